"""Files, and what is sealed and too large for a DynamoDB item, in S3: put, linked to, and removed."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, quote, urlsplit

from shared.aws import clients
from shared.domain.file import Download, File, NewFile, Upload
from shared.domain.limits import UPLOAD_LIFETIME
from shared.runtime import settings

_ON_ITS_WAY = timedelta(seconds=5)  # that a link may take from here through a browser to S3
# A file's key and the query that signs it, in visible ASCII: a link goes into a Location as it is.
_SIGNED_KEY = re.compile(r"([0-9a-f]{64}/[\w/-]{1,200})\?([!-~]+)", re.ASCII)
# Whoever may not list the bucket is told 403 of an object that is not there; HEAD has no body that would say more.
_NOT_THERE = (403, 404)
PAYLOAD, FILE_LIST = "payload", "list"  # the names of sealed objects


class NotRemoved(Exception):
    """S3 refused to delete some of the objects of a push; `response` has its error codes, for the log."""

    def __init__(self, codes: str) -> None:
        super().__init__()
        self.response = {"Error": {"Code": codes}}


def put_sealed(folder: str, name: str, ciphertext: bytes) -> None:
    """Keep what is sealed and too large for an item, under PAYLOAD or FILE_LIST."""
    clients.client("s3").put_object(Bucket=_bucket(), Key=f"{folder}/{name}", Body=ciphertext)


def get_sealed(folder: str, name: str) -> bytes:
    """What is kept under PAYLOAD or FILE_LIST."""
    answer = clients.client("s3").get_object(Bucket=_bucket(), Key=f"{folder}/{name}")
    ciphertext: bytes = answer["Body"].read()
    return ciphertext


def put_files(folder: str, new: Sequence[NewFile]) -> None:
    """Keep the files that came with the request, in parallel; the sender uploads the others."""
    inline = [(number, file) for number, file in enumerate(new) if file.content is not None]
    if not inline:
        return
    client = clients.client("s3")  # made here, since making one is not thread-safe

    def put(numbered: tuple[int, NewFile]) -> None:
        number, file = numbered
        key = _file_key(folder, number)
        client.put_object(Bucket=_bucket(), Key=key, Body=file.content, ContentType=file.content_type)

    with ThreadPoolExecutor(len(inline)) as pool:
        # The deadline stands in the context, which threads do not share.
        for future in [pool.submit(copy_context().run, put, numbered) for numbered in inline]:
            future.result()


def uploads(folder: str, new: Sequence[NewFile], *, now: datetime) -> tuple[Upload, ...]:
    """A form for each file that did not come with the request: it takes that size to that place only, for an hour."""
    return tuple(_upload(folder, number, file, now) for number, file in enumerate(new) if file.content is None)


def origin() -> str:
    """Scheme and host of the forms and of the links, as the content security policies of the pages name them."""
    parts = urlsplit(clients.client("s3").meta.endpoint_url)
    host = f"{_bucket()}.{parts.netloc}" if _is_name(parts.hostname) else parts.netloc
    return f"{parts.scheme}://{host}"


def downloads(
    folder: str, file_list: Sequence[File], places: Sequence[str] | None = None, *, lifetime: timedelta
) -> tuple[Download, ...]:
    """Links that give the files for as long as `lifetime`, always as attachments, so that no browser renders them.

    `places` says where each lies (`uploads.locate_files`), None for files that came with the request.
    """
    places = places or [str(number) for number in range(len(file_list))]
    return tuple(_download(folder, place, file, lifetime) for place, file in zip(places, file_list, strict=True))


def is_download_available(link: str, *, now: datetime) -> bool:
    """Whether it is one of the links of `downloads` that works on, and the file is there.

    S3 answers any other with XML. Its signature only S3 can check.
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
    """Have the objects of up to ten pushes removed after the queue's delay, when the last links have lapsed.

    Returns the ids that the queue did not take: SQS answers 200 all the same.
    """
    entries = [{"Id": str(number), "MessageBody": push_id} for number, push_id in enumerate(push_ids)]
    answer = clients.client("sqs").send_message_batch(QueueUrl=settings.current().removal_queue_url, Entries=entries)
    return {push_ids[int(failed["Id"])] for failed in answer.get("Failed", [])}


def remove_objects(push_id: str) -> None:
    """Remove everything of a push. Idempotent: a push that has nothing there is fine.

    A payload, ten files and their copies are far from the 1,000 keys of one page. All pages are read all the same: what
    was left behind would lie there unseen for the 91 days of the bucket's lifecycle.

    Raises: NotRemoved, when S3 refuses some of it (it answers 200 all the same); the rest is removed.
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
    """A Content-Disposition header with the name in both forms (RFC 6266, appendix D)."""
    plain = "".join(character if character.isascii() and character not in '"\\%' else "_" for character in filename)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


def _upload(folder: str, number: int, file: NewFile, now: datetime) -> Upload:
    form = clients.client("s3").generate_presigned_post(
        Bucket=_bucket(),
        Key=_file_key(folder, number),
        Fields={"Content-Type": file.content_type},
        Conditions=[{"Content-Type": file.content_type}, ["content-length-range", file.size, file.size]],
        ExpiresIn=int(UPLOAD_LIFETIME.total_seconds()),
    )
    return Upload(file.filename, form["url"], form["fields"], now + UPLOAD_LIFETIME)


def _download(folder: str, place: str, file: File, lifetime: timedelta) -> Download:
    url = clients.client("s3").generate_presigned_url(
        "get_object",
        Params={
            "Bucket": _bucket(),
            "Key": _file_key(folder, place),
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
    # The bucket is a part of the host name, except where the host is an IP address (as on the local stack).
    return not (host or "").replace(".", "").isdigit()


def _bucket() -> str:
    return settings.current().bucket


def _file_key(folder: str, number: int | str) -> str:
    return f"{folder}/files/{number}"
