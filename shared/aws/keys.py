"""The instance key, in Secrets Manager: kept in memory, and asked for again now and then, in case it was rotated."""

import time as clock
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws import clients
from shared.domain.seal import InstanceKey
from shared.runtime import deadline, metrics, settings

# The key of a day is first needed a minute before the day begins (idempotency.py). A version that was created this long
# before is known to every process by then.
_SETTLED = timedelta(hours=1)


# Seconds that a process seals with the key it knows before it asks whether that is still the current one: one call of
# many requests. docs/operations.md promises five minutes.
FRESH = 300.0
_PAUSE = 60.0  # seconds until it asks again after Secrets Manager gave no answer


class _Known:
    """The current key as this process knows it, and until when it believes that, by the wall clock.

    Not by the monotonic one, which stands still while a function is frozen.
    """

    key: InstanceKey | None = None
    until = 0.0


def current() -> InstanceKey:
    """The key that seals new pushes, five minutes after a rotation at the latest.

    Where Secrets Manager does not answer, the key that is known goes on sealing: it opens what it sealed in any case.
    """
    now = clock.time()
    # A clock that was set back must not make the process believe for longer.
    if _Known.key and now < _Known.until <= now + FRESH:
        return _Known.key
    return _refresh(_Known.key, now)


def forget_current() -> None:
    """Forget the current key; the next call of `current` reads it."""
    _Known.key = None


@cache
def version(version_id: str) -> InstanceKey:
    """The key that sealed an old push, even if it has been rotated since."""
    return _read(clients.client("secretsmanager"), VersionId=version_id)


@lru_cache(maxsize=4)
def of_days(days: tuple[date, ...]) -> tuple[InstanceKey, ...]:
    """For each day (UTC) the key that was the newest an hour before it, or the installation's first.

    So it is the same for every process. Were it the newest of all, two processes would not agree on it while a rotation
    is going on.
    """
    listed = versions()
    return tuple(_of_day(day, listed) for day in days)


def versions() -> list[Mapping[str, Any]]:
    """Every version that has a label, oldest first, as ListSecretVersionIds has it; no key is among it."""
    client, which = clients.client("secretsmanager"), {"SecretId": settings.current().instance_key_arn}
    answer = client.list_secret_version_ids(**which)
    listed = list(answer["Versions"])
    while token := answer.get("NextToken"):
        answer = client.list_secret_version_ids(**which, NextToken=token)
        listed += answer["Versions"]
    # A rotation that has not ended, or has failed, may leave a version that holds no key (API_RotateSecret).
    with_key = [one for one in listed if one["VersionStages"] != ["AWSPENDING"]]
    return sorted(with_key, key=lambda one: one["CreatedDate"])


def label_versions() -> None:
    """Give a staging label of its own to every key that has none, so that no rotation loses one. Idempotent.

    Secrets Manager forgets a version without labels: one rotation takes AWSCURRENT from it, the next AWSPREVIOUS
    (API_UpdateSecretVersionStage). The key itself is not read.
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
    try:  # Where a key is known, one short try: nobody who pushes should wait for what can wait.
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
