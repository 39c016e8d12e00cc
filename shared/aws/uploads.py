"""Files that the sender uploads to S3 in a form: presign the forms, find the files, protect them from replacement.

S3 accepts a presigned form repeatedly until it expires, and the last upload wins. So the first view copies each file to
another key, and stores its stamp, a digest of S3's ETag, with the push. Later views use the copy. A file too large to
copy in time stays where it is. Later views check its stamp, and fail if the file was replaced.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError  # noqa: A004 (botocore's own name)

from shared.aws import clients, files
from shared.domain import digests, errors
from shared.domain.file import File, NewFile, Upload
from shared.domain.limits import UPLOAD_LIFETIME
from shared.runtime import deadline, settings

# Bytes. S3 copies about 100 MB per second, and each try has a timeout of two seconds.
MAX_COPIED = 64 * 1024 * 1024
# Seconds for all copies of a push together; the claim afterwards needs time, too.
_COPY_TIME = 5.0
_STAMP_LENGTH = 16  # hex digits of the ETag's digest; short, because ten stamps are in an item written by every view
_CHANGED = {"PreconditionFailed", "NoSuchKey"}
_BUSY = {"SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout"}


class _Object(NamedTuple):
    """An object of a push in S3; `etag` is opaque (not an MD5 with SSE-KMS), `size` is in bytes."""

    etag: str
    size: int

    @property
    def stamp(self) -> str:
        return digests.digest(self.etag)[:_STAMP_LENGTH]


def forms(folder: str, new: Sequence[NewFile], *, now: datetime) -> tuple[Upload, ...]:
    """Return a presigned form for each file whose content is not in the request: exact size, fixed key, one hour."""
    return tuple(_form(folder, number, file, now) for number, file in enumerate(new) if file.content is None)


def copy_uploads(folder: str, declared: Sequence[File]) -> list[str]:
    """Copy the files of a push where a form cannot replace them; return their stamps in the order of `declared`.

    Idempotent: existing copies are not copied again.

    Raises: FilesMissing, if some have not arrived, or one is being replaced right now.
    """
    objects = _objects(folder)
    uploads = [objects.get(str(number)) for number in range(len(declared))]
    arrived = [upload for upload, file in zip(uploads, declared, strict=True) if upload and upload.size == file.size]
    if len(arrived) < len(declared):
        raise errors.FilesMissing
    to_copy = [
        (str(number), upload)
        for number, upload in enumerate(arrived)
        if upload.size <= MAX_COPIED and _copy_key(number, upload.stamp) not in objects
    ]
    if to_copy:
        _copy(folder, to_copy)
    return [upload.stamp for upload in arrived]


def uploaded_numbers(folder: str) -> set[int]:
    """Return the numbers of uploaded files, counted from 0; a form accepts only its file's size."""
    return {int(end) for end in _objects(folder) if end.isdecimal()}


def locate_files(folder: str, stamps: Sequence[str]) -> list[str]:
    """Return the end of each file's key in S3: its number from 0, such as `0`, or for a copy, `0/<stamp>`.

    Raises: FilesReplaced, if a file without a copy has another stamp now.
    """
    objects = _objects(folder)
    return [_locate(objects, number, stamp) for number, stamp in enumerate(stamps)]


def _form(folder: str, number: int, file: NewFile, now: datetime) -> Upload:
    form = clients.client("s3").generate_presigned_post(
        Bucket=settings.current().bucket,
        Key=files.file_key(folder, number),
        Fields={"Content-Type": file.content_type},
        Conditions=[{"Content-Type": file.content_type}, ["content-length-range", file.size, file.size]],
        ExpiresIn=int(UPLOAD_LIFETIME.total_seconds()),
    )
    return Upload(file.filename, form["url"], form["fields"], now + UPLOAD_LIFETIME)


def _locate(objects: Mapping[str, _Object], number: int, stamp: str) -> str:
    copy = _copy_key(number, stamp)
    if copy in objects:
        return copy
    upload = objects.get(str(number))
    if upload and upload.stamp == stamp:
        return str(number)
    raise errors.FilesReplaced


def _copy_key(number: int | str, stamp: str) -> str:
    # The name includes the stamp, so that two concurrent first views never overwrite each other's copy.
    return f"{number}/{stamp}"


def _objects(folder: str) -> dict[str, _Object]:
    """Return the objects of a push by the end of their keys; always fewer than the 1,000 of one response."""
    prefix = files.file_key(folder, "")
    answer = clients.client("s3").list_objects_v2(Bucket=settings.current().bucket, Prefix=prefix)
    rows = answer.get("Contents", [])
    return {row["Key"].removeprefix(prefix): _Object(row["ETag"], row["Size"]) for row in rows}


def _copy(folder: str, numbered: Sequence[tuple[str, _Object]]) -> None:
    """Copy in parallel; a file not copied in time is used in place, protected by its stamp."""
    # Created here: creating a client is not thread-safe.
    client, bucket = clients.client("s3"), settings.current().bucket

    def copy(number: str, upload: _Object) -> None:
        client.copy_object(
            Bucket=bucket,
            Key=files.file_key(folder, _copy_key(number, upload.stamp)),
            CopySource={"Bucket": bucket, "Key": files.file_key(folder, number)},
            CopySourceIfMatch=upload.etag,
        )

    with deadline.within(min(_COPY_TIME, deadline.seconds_left())):
        files.run_parallel(lambda pair: _copy_or_skip(partial(copy, *pair)), numbered)


def _copy_or_skip(copy: Callable[[], None]) -> None:
    try:
        copy()
    except (HTTPClientError, ConnectionError, deadline.OutOfTime):
        return  # used in place, see _locate
    except ClientError as error:
        if error.response["Error"]["Code"] in _CHANGED:
            raise errors.FilesMissing from error
        if error.response["Error"]["Code"] not in _BUSY:
            raise
