"""The instance key from Secrets Manager, cached in memory and refreshed regularly, because it may be rotated."""

import time as clock
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws import clients
from shared.domain.seal import InstanceKey
from shared.runtime import deadline, metrics, settings

# A day's key is first needed a minute before the day begins (idempotency.py). By then, every process knows each version
# older than this.
_SETTLED = timedelta(hours=1)


# Seconds before a process checks again for a rotated key. docs/operations.md promises five minutes.
FRESH = 300.0
_PAUSE = 60.0  # seconds until the next check after Secrets Manager failed


class _Known:
    """The instance key that this process seals new pushes with, and the time at which it must check for a newer one.

    The time is of the wall clock, because the monotonic clock may stop while Lambda freezes the process.
    """

    key: InstanceKey | None = None
    until = 0.0


def current() -> InstanceKey:
    """Return the instance key for new pushes. After a rotation, this is the new key within five minutes.

    If Secrets Manager fails, this is the cached key. What it seals can still be opened later.
    """
    now = clock.time()
    # If the clock was set back, the cached key must not stay valid for longer.
    if _Known.key and now < _Known.until <= now + FRESH:
        return _Known.key
    return _refresh(_Known.key, now)


def forget_current() -> None:
    """Forget the current key, so that the next call of `current` reads it."""
    _Known.key = None


@cache
def version(version_id: str) -> InstanceKey:
    """Return this version of the instance key, to open pushes that were sealed with it."""
    return _read(clients.client("secretsmanager"), VersionId=version_id)


@lru_cache(maxsize=4)
def of_days(days: tuple[date, ...]) -> tuple[InstanceKey, ...]:
    """Return for each day (UTC) the version of the instance key that was the newest one hour before the day began.

    If there was none yet, return the first version. So all processes get the same result. If they took the newest
    version of all, two processes could differ during a rotation.
    """
    listed = versions()
    return tuple(_of_day(day, listed) for day in days)


def versions() -> list[Mapping[str, Any]]:
    """Return all versions of the instance key that have a staging label, oldest first, without the key itself.

    The format is that of ListSecretVersionIds.
    """
    client, which = clients.client("secretsmanager"), {"SecretId": settings.current().instance_key_arn}
    answer = client.list_secret_version_ids(**which)
    listed = list(answer["Versions"])
    while token := answer.get("NextToken"):
        answer = client.list_secret_version_ids(**which, NextToken=token)
        listed += answer["Versions"]
    # An unfinished or failed rotation may leave a version without a key (API_RotateSecret).
    with_key = [one for one in listed if one["VersionStages"] != ["AWSPENDING"]]
    return sorted(with_key, key=lambda one: one["CreatedDate"])


def label_versions() -> None:
    """Give each unlabelled key version its own staging label, so that no rotation deletes it. Idempotent.

    Secrets Manager deletes versions without labels: one rotation moves AWSCURRENT, the next moves AWSPREVIOUS
    (API_UpdateSecretVersionStage). This function does not read the keys.
    """
    client, arn = clients.client("secretsmanager"), settings.current().instance_key_arn
    for version_id, labels in client.describe_secret(SecretId=arn)["VersionIdsToStages"].items():
        if all(label.startswith("AWS") for label in labels) and labels != ["AWSPENDING"]:
            own = {"VersionStage": f"kept-{version_id}", "MoveToVersionId": version_id}
            client.update_secret_version_stage(SecretId=arn, **own)


def _of_day(day: date, all_versions: Sequence[Mapping[str, Any]]) -> InstanceKey:
    settled = datetime.combine(day, time(), UTC) - _SETTLED
    before = [listed for listed in all_versions if listed["CreatedDate"] < settled]
    version_id = (before[-1] if before else all_versions[0])["VersionId"]
    known = current()
    return known if known.version == version_id else version(version_id)


def _refresh(known: InstanceKey | None, now: float) -> InstanceKey:
    lasts = FRESH
    try:  # with a cached key, one short try: the request should not wait for a refresh
        key = _read((clients.single_try_client if known else clients.client)("secretsmanager"))
    except (BotoCoreError, ClientError, deadline.OutOfTime) as error:
        if known is None:
            raise
        metrics.count("KeyNotRefreshed", metrics.error_name(error))
        key, lasts = known, _PAUSE
    _Known.key, _Known.until = key, now + lasts
    return key


def _read(client: Any, **which: str) -> InstanceKey:
    answer = client.get_secret_value(SecretId=settings.current().instance_key_arn, **which)
    return InstanceKey(answer["VersionId"], answer["SecretString"].encode())
