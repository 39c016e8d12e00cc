"""Files of a push: stored, new, uploaded and downloaded. Pure."""

from datetime import datetime
from typing import NamedTuple

from shared.domain.safe_repr import hide_fields


@hide_fields("filename")
class File(NamedTuple):
    """A file of a push; `size` is in bytes."""

    filename: str
    content_type: str
    size: int


@hide_fields("filename", "content")
class NewFile(NamedTuple):
    """A file of a new push; `content` is None when its sender uploads it to S3 directly."""

    filename: str
    content_type: str
    size: int
    content: bytes | None

    @property
    def as_file(self) -> File:
        """What the push keeps of it."""
        return File(self.filename, self.content_type, self.size)


@hide_fields("filename", "fields")
class Upload(NamedTuple):
    """Where a sender uploads one file: a form to POST to `url`, its `fields` first and the file last."""

    filename: str
    url: str
    fields: dict[str, str]
    expires_at: datetime


@hide_fields("filename", "url")
class Download(NamedTuple):
    """Where a recipient gets one file; `size` is in bytes."""

    filename: str
    content_type: str
    size: int
    url: str
