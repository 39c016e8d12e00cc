"""The instance key, in Secrets Manager: read once per version and process, and kept in memory."""

from datetime import UTC, date, datetime, time
from functools import cache, lru_cache

from shared import settings
from shared.aws import clients
from shared.domain.seal import InstanceKey


@cache
def current() -> InstanceKey:
    """The key that seals new pushes."""
    return _read()


@cache
def version(version_id: str) -> InstanceKey:
    """The key that sealed an old push, even if it has been rotated since."""
    return _read(VersionId=version_id)


@lru_cache(maxsize=4)
def of_day(day: date) -> InstanceKey:
    """The key that was the newest when a day (UTC) began, or the installation's first: the same for every process.

    Were it the newest of all, two processes would not agree on it while a rotation is going on.
    """
    answer = clients.client("secretsmanager").list_secret_version_ids(SecretId=settings.current().instance_key_arn)
    versions = sorted(answer["Versions"], key=lambda listed: listed["CreatedDate"])
    began = datetime.combine(day, time(), UTC)
    before = [listed for listed in versions if listed["CreatedDate"] < began]
    version_id = (before[-1] if before else versions[0])["VersionId"]
    return current() if current().version == version_id else version(version_id)


def keep_versions() -> None:
    """Give a staging label of its own to every version that has none, so that no rotation loses one. Idempotent.

    Secrets Manager forgets a version without labels: one rotation takes AWSCURRENT from it, the next AWSPREVIOUS
    (API_UpdateSecretVersionStage). The key itself is not read.
    """
    client, arn = clients.client("secretsmanager"), settings.current().instance_key_arn
    for version_id, labels in client.describe_secret(SecretId=arn)["VersionIdsToStages"].items():
        if all(label.startswith("AWS") for label in labels):
            own = {"VersionStage": f"kept-{version_id}", "MoveToVersionId": version_id}
            client.update_secret_version_stage(SecretId=arn, **own)


def _read(**which: str) -> InstanceKey:
    client = clients.client("secretsmanager")
    answer = client.get_secret_value(SecretId=settings.current().instance_key_arn, **which)
    return InstanceKey(answer["VersionId"], answer["SecretString"].encode())
