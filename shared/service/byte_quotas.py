"""Daily quotas of bytes stored in S3: one for each owner's files, one for all anonymous callers together.

Bytes are counted before anything is stored. A file that the sender will upload directly to S3 counts with its declared
size, even if it is never uploaded. Declaring costs nothing, so one source (an IPv4 address, or an IPv6 /64 network) may
use only a tenth of the anonymous quota.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from shared.aws import quotas
from shared.domain.audit import Caller
from shared.domain.file import NewFile
from shared.domain.sentence import Sentence
from shared.runtime import settings

_DAY = timedelta(days=1)
_EVERYBODY = "anonymous"
_SOURCES = 10  # sources needed to use up the anonymous quota


def spend(caller: Caller, files: Sequence[NewFile], payload: bytes | None, *, now: datetime) -> None:
    """Count the bytes of a new push: its files, and for an anonymous caller also the sealed payload.

    `payload` is the sealed payload if it is stored in S3, None if it is stored in DynamoDB.

    Raises: QuotaSpent; then nothing is counted towards the quota of all anonymous callers.
    """
    size = sum(file.size for file in files)
    if caller.owner is not None:
        _spend(_file_quota(settings.current().daily_file_bytes), caller.owner, size, now)
    elif limit := settings.current().daily_anonymous_bytes:
        size += len(payload or b"")
        share = max(1, limit // _SOURCES)
        _spend(_anonymous_quota("anonymous bytes of a source", share), quotas.source(caller.ip), size, now)
        _spend(_anonymous_quota("anonymous bytes", limit), _EVERYBODY, size, now)


def give_back(owner: str, files: Sequence[NewFile], *, now: datetime) -> None:
    """Undo `spend` for an owner's push that was not stored."""
    _spend(_file_quota(settings.current().daily_file_bytes), owner, -sum(file.size for file in files), now)


def _spend(quota: quotas.Quota, who: str, size: int, now: datetime) -> None:
    if quota.limit and size:
        quotas.spend(quota, who, size, now=now)


def _file_quota(limit: int) -> quotas.Quota:
    refusal = Sentence(
        "You may send {limit} bytes of files a day (UTC), and this is more. Please try again tomorrow.", limit=limit
    )
    return quotas.Quota("file bytes", limit, _DAY, refusal)


def _anonymous_quota(name: str, limit: int) -> quotas.Quota:
    refusal = Sentence(
        "This service accepts no more from senders without an account today. "
        "Please sign in, send less than 3 KB, or try again tomorrow."
    )
    return quotas.Quota(name, limit, _DAY, refusal)
