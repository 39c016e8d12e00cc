"""The instance key, in Secrets Manager: read once per version and process, and kept in memory."""

from functools import cache

from shared import aws, settings
from shared.seal import InstanceKey


@cache
def current() -> InstanceKey:
    """The key that seals new pushes."""
    return _read()


@cache
def version(version_id: str) -> InstanceKey:
    """The key that sealed an old push, even if it has been rotated since."""
    return _read(VersionId=version_id)


def _read(**which: str) -> InstanceKey:
    client = aws.client("secretsmanager")
    answer = client.get_secret_value(SecretId=settings.current().instance_key_arn, **which)
    return InstanceKey(answer["VersionId"], answer["SecretString"].encode())
