"""Files that a sender brings to S3 by a form: whether they are there, and what of them is handed out.

S3 takes a form as often as it is sent while it is valid, and the last upload wins. So the first view copies each file
to a place that no form names, and stamps what it found with a digest of S3's ETag; the stamps are kept on the push, by
one write. From then on a file is its copy or, where it was too large to copy in time, what still has its stamp.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError  # noqa: A004 (botocore's own name)

from shared import deadline, settings
from shared.aws import clients
from shared.domain import errors, seal
from shared.domain.file import File

# Bytes; S3 copies some 100 MB a second, and a try has two seconds to be answered.
MAX_COPIED = 64 * 1024 * 1024
# Seconds for all copies of a push together: a claim comes after them, and is not begun with too little time left.
_COPY_TIME = 5.0
_STAMP_LENGTH = 16  # hex digits of the ETag's digest; ten of them are kept in an item that every view writes
_CHANGED = {"PreconditionFailed", "NoSuchKey"}
_BUSY = {"SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout"}


@dataclass(frozen=True)
class _Found:
    """An object of a push as S3 lists it; `etag` is opaque (with SSE-KMS it is no MD5)."""

    etag: str
    size: int

    @property
    def stamp(self) -> str:
        return seal.digest(self.etag)[:_STAMP_LENGTH]


def keep(push_id: str, declared: Sequence[File]) -> list[str]:
    """Copy what a form can still replace, and give the stamps of the files, in their order.

    Raises: FilesMissing, while some have not arrived, or one is being replaced at this moment.
    """
    found = _listed(push_id)
    arrived = [found.get(str(number)) for number in range(len(declared))]
    there = [one for one, file in zip(arrived, declared, strict=True) if one and one.size == file.size]
    if len(there) < len(declared):
        raise errors.FilesMissing
    to_copy = [
        (str(number), one)
        for number, one in enumerate(there)
        if one.size <= MAX_COPIED and _copy_of(number, one.stamp) not in found
    ]
    if to_copy:
        _copy(push_id, to_copy)
    return [one.stamp for one in there]


def places(push_id: str, stamps: Sequence[str]) -> list[str]:
    """Where the files with these stamps lie, below the files of the push.

    Raises: FilesReplaced, when one that was not copied is another by now.
    """
    found = _listed(push_id)
    return [_place(found, number, stamp) for number, stamp in enumerate(stamps)]


def _place(found: Mapping[str, _Found], number: int, stamp: str) -> str:
    copied = _copy_of(number, stamp)
    if copied in found:
        return copied
    brought = found.get(str(number))
    if brought and brought.stamp == stamp:
        return str(number)
    raise errors.FilesReplaced


def _copy_of(number: int | str, stamp: str) -> str:
    # The stamp in the name: of two first views that see different files, neither overwrites what the other copied.
    return f"{number}/{stamp}"


def _listed(push_id: str) -> dict[str, _Found]:
    """What lies below the files of a push. Ten files and their copies are far from the 1,000 of one answer."""
    prefix = f"{push_id}/files/"
    listed = clients.client("s3").list_objects_v2(Bucket=settings.current().bucket, Prefix=prefix).get("Contents", [])
    return {one["Key"].removeprefix(prefix): _Found(one["ETag"], one["Size"]) for one in listed}


def _copy(push_id: str, found: Sequence[tuple[str, _Found]]) -> None:
    """Copy all at once; what S3 does not manage in time stays where it is, and its stamp guards it."""
    client, bucket = clients.client("s3"), settings.current().bucket  # made here: making one is not safe among threads

    def copy(number: str, one: _Found) -> None:
        source = f"{push_id}/files/{number}"
        client.copy_object(
            Bucket=bucket,
            Key=f"{push_id}/files/{_copy_of(number, one.stamp)}",
            CopySource={"Bucket": bucket, "Key": source},
            CopySourceIfMatch=one.etag,
        )

    with deadline.within(min(_COPY_TIME, deadline.left())), ThreadPoolExecutor(len(found)) as pool:
        # The deadline stands in the context, which threads do not share.
        for done in [pool.submit(copy_context().run, _unless_too_slow, partial(copy, *one)) for one in found]:
            done.result()


def _unless_too_slow(copy: Callable[[], None]) -> None:
    try:
        copy()
    except (HTTPClientError, ConnectionError, deadline.OutOfTime):
        return  # left where it is: see _place
    except ClientError as error:
        if error.response["Error"]["Code"] in _CHANGED:
            raise errors.FilesMissing from error
        if error.response["Error"]["Code"] not in _BUSY:
            raise
