"""The instance key, in Secrets Manager: read once per version and process, and kept in memory."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from typing import Any

from shared import settings
from shared.aws import clients
from shared.domain.seal import InstanceKey

# A day's version is asked for from a minute before the day on (repeats.py). What was made this long before is by then
# known to all who ask; of a version that is made between two askings only one would know.
_SETTLED = timedelta(hours=1)


@cache
def current() -> InstanceKey:
    """The key that seals new pushes."""
    return _read()


@cache
def version(version_id: str) -> InstanceKey:
    """The key that sealed an old push, even if it has been rotated since."""
    return _read(VersionId=version_id)


@lru_cache(maxsize=4)
def of_days(days: tuple[date, ...]) -> tuple[InstanceKey, ...]:
    """For each day (UTC) the key that was the newest an hour before it, or the installation's first.

    So it is the same for every process. Were it the newest of all, two processes would not agree on it while a rotation
    is going on.
    """
    answer = clients.client("secretsmanager").list_secret_version_ids(SecretId=settings.current().instance_key_arn)
    # A rotation that has not ended, or has failed, may leave a version that holds no key (API_RotateSecret).
    held = [listed for listed in answer["Versions"] if listed["VersionStages"] != ["AWSPENDING"]]
    versions = sorted(held, key=lambda listed: listed["CreatedDate"])
    return tuple(_of_day(day, versions) for day in days)


def keep_versions() -> None:
    """Give a staging label of its own to every key that has none, so that no rotation loses one. Idempotent.

    Secrets Manager forgets a version without labels: one rotation takes AWSCURRENT from it, the next AWSPREVIOUS
    (API_UpdateSecretVersionStage). The key itself is not read.
    """
    client, arn = clients.client("secretsmanager"), settings.current().instance_key_arn
    for version_id, labels in client.describe_secret(SecretId=arn)["VersionIdsToStages"].items():
        if all(label.startswith("AWS") for label in labels) and labels != ["AWSPENDING"]:
            own = {"VersionStage": f"kept-{version_id}", "MoveToVersionId": version_id}
            client.update_secret_version_stage(SecretId=arn, **own)


def _of_day(day: date, versions: Sequence[Mapping[str, Any]]) -> InstanceKey:
    settled = datetime.combine(day, time(), UTC) - _SETTLED
    before = [listed for listed in versions if listed["CreatedDate"] < settled]
    version_id = (before[-1] if before else versions[0])["VersionId"]
    return current() if current().version == version_id else version(version_id)


def _read(**which: str) -> InstanceKey:
    client = clients.client("secretsmanager")
    answer = client.get_secret_value(SecretId=settings.current().instance_key_arn, **which)
    return InstanceKey(answer["VersionId"], answer["SecretString"].encode())
