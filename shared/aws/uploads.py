"""Uploads: files that a sender brings to S3 by a form. Whether they have arrived, and which objects are handed out.

S3 takes a form as often as it is sent while it is valid, and the last upload wins. So the first view copies each file
to a place that no form names. It also computes a stamp of each, a digest of S3's ETag, and one write keeps the stamps
on the push. From then on a file is its copy or, where it was too large to copy in time, an object that has its stamp.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import NamedTuple

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError  # noqa: A004 (botocore's own name)

from shared.aws import clients
from shared.domain import errors, seal
from shared.domain.file import File
from shared.runtime import deadline, settings

# Bytes. S3 copies some 100 MB a second, and each try of a call has two seconds.
MAX_COPIED = 64 * 1024 * 1024
# Seconds for all copies of a push together; the claim, which comes after them, needs its own time.
_COPY_TIME = 5.0
_STAMP_LENGTH = 16  # hex digits of the ETag's digest; ten of them are kept in an item that every view writes
_CHANGED = {"PreconditionFailed", "NoSuchKey"}
_BUSY = {"SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout"}


class _Object(NamedTuple):
    """An object of a push as S3 lists it; `etag` is opaque (with SSE-KMS it is no MD5), `size` is in bytes."""

    etag: str
    size: int

    @property
    def stamp(self) -> str:
        return seal.digest(self.etag)[:_STAMP_LENGTH]


def copy_uploads(folder: str, declared: Sequence[File]) -> list[str]:
    """Copy every file that a form can still replace, and return the stamps of the files, in their order.

    Idempotent: what is copied already is not copied again.

    Raises: FilesMissing, while some have not arrived, or one is being replaced at this moment.
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
    """The numbers of the files of a push that are in S3, counted from 0; a form takes a file of its own size only."""
    return {int(end) for end in _objects(folder) if end.isdecimal()}


def locate_files(folder: str, stamps: Sequence[str]) -> list[str]:
    """Where the files with these stamps lie, as the ends of their keys: `0`, or `0/<stamp>` for a copy.

    Raises: FilesReplaced, when a file that was not copied has another stamp by now.
    """
    objects = _objects(folder)
    return [_locate(objects, number, stamp) for number, stamp in enumerate(stamps)]


def _locate(objects: Mapping[str, _Object], number: int, stamp: str) -> str:
    copy = _copy_key(number, stamp)
    if copy in objects:
        return copy
    upload = objects.get(str(number))
    if upload and upload.stamp == stamp:
        return str(number)
    raise errors.FilesReplaced


def _copy_key(number: int | str, stamp: str) -> str:
    # The stamp is in the name: of two first views that see different files, neither overwrites the other's copy.
    return f"{number}/{stamp}"


def _objects(folder: str) -> dict[str, _Object]:
    """The files of a push and their copies, by the ends of their keys: far from the 1,000 of one answer."""
    prefix = f"{folder}/files/"
    answer = clients.client("s3").list_objects_v2(Bucket=settings.current().bucket, Prefix=prefix)
    rows = answer.get("Contents", [])
    return {row["Key"].removeprefix(prefix): _Object(row["ETag"], row["Size"]) for row in rows}


def _copy(folder: str, numbered: Sequence[tuple[str, _Object]]) -> None:
    """Copy all of them in parallel; a file that S3 does not copy in time stays where it is, guarded by its stamp."""
    client, bucket = clients.client("s3"), settings.current().bucket  # made here, since making one is not thread-safe

    def copy(number: str, upload: _Object) -> None:
        source = f"{folder}/files/{number}"
        client.copy_object(
            Bucket=bucket,
            Key=f"{folder}/files/{_copy_key(number, upload.stamp)}",
            CopySource={"Bucket": bucket, "Key": source},
            CopySourceIfMatch=upload.etag,
        )

    with deadline.within(min(_COPY_TIME, deadline.seconds_left())), ThreadPoolExecutor(len(numbered)) as pool:
        # The deadline stands in the context, which threads do not share.
        for future in [pool.submit(copy_context().run, _copy_or_skip, partial(copy, *pair)) for pair in numbered]:
            future.result()


def _copy_or_skip(copy: Callable[[], None]) -> None:
    try:
        copy()
    except (HTTPClientError, ConnectionError, deadline.OutOfTime):
        return  # left where it is: see _place
    except ClientError as error:
        if error.response["Error"]["Code"] in _CHANGED:
            raise errors.FilesMissing from error
        if error.response["Error"]["Code"] not in _BUSY:
            raise
