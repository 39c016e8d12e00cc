"""Quotas of bytes that go to S3 on one day: one for each owner's files, and one for all anonymous callers together.

Bytes are counted before anything is stored, whether they come in the request or by a form of S3 later.
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


def spend(caller: Caller, files: Sequence[NewFile], payload: bytes | None, *, now: datetime) -> None:
    """Count the bytes of a new push: its files, and of an anonymous caller the sealed payload too.

    `payload` is the sealed payload if it goes to S3, else None.

    Raises: QuotaSpent; then nothing is counted.
    """
    size = sum(file.size for file in files)
    if caller.owner is not None:
        _spend(_file_quota(settings.current().daily_file_bytes), caller.owner, size, now)
    else:
        _spend(_anonymous_quota(settings.current().daily_anonymous_bytes), _EVERYBODY, size + len(payload or b""), now)


def _spend(quota: quotas.Quota, who: str, size: int, now: datetime) -> None:
    if quota.limit and size:
        quotas.spend(quota, who, size, now=now)


def _file_quota(limit: int) -> quotas.Quota:
    refusal = Sentence(
        "One day (UTC) takes {limit} bytes of files from you, and these are too many: please try tomorrow.", limit=limit
    )
    return quotas.Quota("file bytes", limit, _DAY, refusal)


def _anonymous_quota(limit: int) -> quotas.Quota:
    refusal = Sentence(
        "That is more than this service takes on one day from callers without an account: "
        "please sign in, send less than 3 KB, or try again tomorrow."
    )
    return quotas.Quota("anonymous bytes", limit, _DAY, refusal)
