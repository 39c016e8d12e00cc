"""Files of a push: stored, new, uploaded and downloaded. Pure."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class File:
    """A file of a push; `size` is in bytes."""

    filename: str = field(repr=False)
    content_type: str
    size: int


@dataclass(frozen=True)
class NewFile(File):
    """A file of a new push; `content` is None when its sender uploads it to S3 directly."""

    content: bytes | None = field(repr=False)


@dataclass(frozen=True)
class Upload:
    """Where a sender uploads one file: a form to POST to `url`, its `fields` first and the file last."""

    filename: str = field(repr=False)
    url: str
    fields: dict[str, str] = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True)
class Download:
    """Where a recipient gets one file; `size` is in bytes."""

    filename: str = field(repr=False)
    content_type: str
    size: int
    url: str = field(repr=False)
