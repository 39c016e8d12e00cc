"""Files of a push: as they are, as they come, and as they go. Pure."""

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
    """A file to come; `content` is None when its sender brings it to S3 directly."""

    content: bytes | None = field(repr=False)


@dataclass(frozen=True)
class Upload:
    """Where a sender brings one file: a form to POST, with the file as its last field."""

    filename: str = field(repr=False)
    url: str
    fields: dict[str, str] = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True)
class Download:
    """Where a recipient gets one file."""

    filename: str = field(repr=False)
    content_type: str
    size: int
    url: str = field(repr=False)
