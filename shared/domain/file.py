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
    """A file of a new push; `content` is None if the sender uploads it to S3 directly."""

    filename: str
    content_type: str
    size: int
    content: bytes | None

    @property
    def as_file(self) -> File:
        """Return the file without its content, as the push stores it."""
        return File(self.filename, self.content_type, self.size)


@hide_fields("filename", "fields")
class Upload(NamedTuple):
    """A form to upload one file: POST to `url`, with `fields` first and the file last."""

    filename: str
    url: str
    fields: dict[str, str]
    expires_at: datetime


@hide_fields("filename", "url")
class Download(NamedTuple):
    """A link to download one file; `size` is in bytes."""

    filename: str
    content_type: str
    size: int
    url: str
