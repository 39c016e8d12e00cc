"""Files and large ciphertexts in S3: store and remove them, presign download links (forms: `uploads.py`)."""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import datetime, timedelta
from typing import TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

from shared.aws import clients
from shared.domain.file import Download, File, NewFile
from shared.runtime import settings

_T = TypeVar("_T")
_ON_ITS_WAY = timedelta(seconds=5)  # allowed for a link to travel through a browser to S3
# A file's key and its signed query, in visible ASCII, because a link becomes a Location header unchanged.
_SIGNED_KEY = re.compile(r"([0-9a-f]{64}/[\w/-]{1,200})\?([!-~]+)", re.ASCII)
# S3 returns 403 for a missing object if the caller may not list the bucket; HEAD has no body with details.
_NOT_THERE = (403, 404)
PAYLOAD, FILE_LIST = "payload", "list"  # the names of sealed objects


class NotRemoved(Exception):
    """S3 failed to delete some objects of a push; `response` has the error codes, for the log."""

    def __init__(self, codes: str) -> None:
        super().__init__()
        self.response = {"Error": {"Code": codes}}


def put_sealed(folder: str, name: str, ciphertext: bytes) -> None:
    """Store a ciphertext too large for an item; `name` is PAYLOAD or FILE_LIST."""
    clients.client("s3").put_object(Bucket=_bucket(), Key=f"{folder}/{name}", Body=ciphertext)


def get_sealed(folder: str, name: str) -> bytes:
    """Return the ciphertext with the name PAYLOAD or FILE_LIST."""
    answer = clients.client("s3").get_object(Bucket=_bucket(), Key=f"{folder}/{name}")
    ciphertext: bytes = answer["Body"].read()
    return ciphertext


def put_files(folder: str, new: Sequence[NewFile]) -> None:
    """Store the files included in the request, in parallel; the sender uploads the others."""
    inline = [(number, file) for number, file in enumerate(new) if file.content is not None]
    if not inline:
        return
    client = clients.client("s3")  # created here: creating a client is not thread-safe

    def put(numbered: tuple[int, NewFile]) -> None:
        number, file = numbered
        key = file_key(folder, number)
        client.put_object(Bucket=_bucket(), Key=key, Body=file.content, ContentType=file.content_type)

    run_parallel(put, inline)


def run_parallel(work: Callable[[_T], None], items: Sequence[_T]) -> None:
    """Call `work` with each item at the same time, each in a thread. Raises: the error of the first that fails."""
    with ThreadPoolExecutor(len(items)) as pool:
        # The deadline is a context variable, and threads do not inherit the context.
        for future in [pool.submit(copy_context().run, work, item) for item in items]:
            future.result()


def origin() -> str:
    """Return scheme and host of the forms and links, for the pages' content security policies."""
    parts = urlsplit(clients.client("s3").meta.endpoint_url)
    host = f"{_bucket()}.{parts.netloc}" if _is_name(parts.hostname) else parts.netloc
    return f"{parts.scheme}://{host}"


def downloads(
    folder: str, file_list: Sequence[File], places: Sequence[str] | None = None, *, lifetime: timedelta
) -> tuple[Download, ...]:
    """Return presigned links, valid for `lifetime`, always as attachments so that browsers never render them.

    `places` has the end of each object's key (`uploads.locate_files`). None if all files came with the create: then
    the end is the file's number.
    """
    places = places or [str(number) for number in range(len(file_list))]
    return tuple(_download(folder, place, file, lifetime) for place, file in zip(places, file_list, strict=True))


def is_download_available(link: str, *, now: datetime) -> bool:
    """Return whether this is an unexpired link from `downloads`, and its file exists.

    For others, S3 would respond with XML. Only S3 can check the signature.
    """
    client = clients.client("s3")
    is_host = _is_name(urlsplit(client.meta.endpoint_url).hostname)
    place = f"{origin()}/" if is_host else f"{origin()}/{_bucket()}/"
    if not link.startswith(place):
        return False
    signed = _SIGNED_KEY.fullmatch(link[len(place) :])
    if not signed or not _is_valid_at(signed[2], now + _ON_ITS_WAY):
        return False
    try:
        client.head_object(Bucket=_bucket(), Key=signed[1])
    except client.exceptions.ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] in _NOT_THERE:
            return False
        raise
    return True


def schedule_removals(push_ids: Sequence[str]) -> set[str]:
    """Queue the removal of up to ten pushes' objects, after a delay for the last links to expire.

    Returns the ids that SQS rejected; it responds with 200 even then.
    """
    entries = [{"Id": str(number), "MessageBody": push_id} for number, push_id in enumerate(push_ids)]
    answer = clients.client("sqs").send_message_batch(QueueUrl=settings.current().removal_queue_url, Entries=entries)
    return {push_ids[int(failed["Id"])] for failed in answer.get("Failed", [])}


def remove_objects(push_id: str) -> None:
    """Remove all objects of a push. Idempotent.

    A payload, ten files and their copies fit into one page of 1,000 keys. Read all pages anyway, because a missed
    object would stay for 91 days, until the bucket's lifecycle removes it.

    Raises: NotRemoved, if S3 fails to delete some (it responds with 200 even then); the rest is removed.
    """
    client, refused = clients.client("s3"), set()
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=_bucket(), Prefix=f"{push_id}/"):
        if rows := page.get("Contents"):
            keys = {"Objects": [{"Key": row["Key"]} for row in rows], "Quiet": True}
            answer = client.delete_objects(Bucket=_bucket(), Delete=keys)
            refused |= {error["Code"] for error in answer.get("Errors", [])}
    if refused:
        raise NotRemoved(", ".join(sorted(refused)))


def attachment(filename: str) -> str:
    """Return a Content-Disposition header with the name in both forms (RFC 6266, appendix D)."""
    plain = "".join(character if character.isascii() and character not in '"\\%' else "_" for character in filename)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


def file_key(folder: str, end: int | str) -> str:
    """Return the key of a file: by its number from 0, or of its copy (uploads.py)."""
    return f"{folder}/files/{end}"


def _download(folder: str, place: str, file: File, lifetime: timedelta) -> Download:
    url = clients.client("s3").generate_presigned_url(
        "get_object",
        Params={
            "Bucket": _bucket(),
            "Key": file_key(folder, place),
            "ResponseContentDisposition": attachment(file.filename),
            "ResponseContentType": file.content_type,
            "ResponseCacheControl": "no-store",
        },
        ExpiresIn=int(lifetime.total_seconds()),
    )
    return Download(file.filename, file.content_type, file.size, url)


def _is_valid_at(query: str, at: datetime) -> bool:
    signed = dict(parse_qsl(query))
    try:
        since = datetime.strptime(signed["X-Amz-Date"], "%Y%m%dT%H%M%S%z")
        return at < since + timedelta(seconds=int(signed["X-Amz-Expires"]))
    except (KeyError, ValueError, OverflowError):
        return False


def _is_name(host: str | None) -> bool:
    # The bucket is part of the host name, except for an IP address (local stack).
    return not (host or "").replace(".", "").isdigit()


def _bucket() -> str:
    return settings.current().bucket
