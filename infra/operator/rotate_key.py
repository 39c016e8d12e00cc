"""Rotate the instance key, and count what still needs its earlier versions.

python -m infra.operator.rotate_key rotate
python -m infra.operator.rotate_key count

`rotate` makes a new version, with a label of its own, so that no later rotation loses it. Functions that are warm take
it up within five minutes, new ones at once. Every earlier version opens what it sealed: nothing is sealed anew.

`count` says for each version how many pushes that are alive were sealed with it, and how many names, notes and links of
owners' lists. It reads both tables from end to end, at half a read unit for each 4 KB.

No key is read, printed, or an argument of any process.
"""

import argparse
import os
import secrets
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from infra.operator import installation

_BYTES = 32


class Version(NamedTuple):
    """One version of the key, and what was sealed with it: pushes that can be opened, labels in the lists."""

    version_id: str
    made_at: datetime
    is_current: bool
    pushes: int
    labels: int


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installation.add_options(parser)
    parser.add_argument("command", choices=["rotate", "count"])
    options = parser.parse_args(arguments)
    installation.connect(options)
    if options.command == "rotate":
        print(f"{rotate()} seals from now on; in functions that are warm, within five minutes.")
    for version in count():
        state = "current" if version.is_current else "earlier"
        needed = f"{version.pushes:>9,} pushes  {version.labels:>9,} labels"
        print(f"{version.version_id}  made {version.made_at:%Y-%m-%d %H:%M}  {state}  {needed}")


def rotate() -> str:
    """Make a new version of the instance key the current one; its id.

    First, every version that is there gets a label of its own. One that is made here has it in the same call, so no
    moment is left in which a second rotation could lose it. A call that the SDK sends again makes no second version.
    """
    from shared import service

    service.keep_instance_keys()
    version_id = str(uuid.uuid4())
    _client("secretsmanager").put_secret_value(
        SecretId=os.environ["INSTANCE_KEY_ARN"],
        ClientRequestToken=version_id,  # what Secrets Manager names the version by
        SecretString=secrets.token_hex(_BYTES),
        VersionStages=["AWSCURRENT", f"kept-{version_id}"],
    )
    return version_id


def count() -> list[Version]:
    """Every version that Secrets Manager keeps, oldest first, and what was sealed with it."""
    from shared.aws import keys

    pushes = Counter(_key_versions(os.environ["SECRETS_TABLE"]))
    labels = Counter(_key_versions(os.environ["PUSHES_TABLE"]))
    return [
        Version(
            one["VersionId"],
            one["CreatedDate"],
            "AWSCURRENT" in one["VersionStages"],
            pushes[one["VersionId"]],
            labels[one["VersionId"]],
        )
        for one in keys.versions()
    ]


def _key_versions(table: str) -> Iterator[str]:
    pages = _client("dynamodb").get_paginator("scan")
    wanted = {"ProjectionExpression": "key_version", "FilterExpression": "attribute_exists(key_version)"}
    return (item["key_version"]["S"] for page in pages.paginate(TableName=table, **wanted) for item in page["Items"])


def _client(service: str) -> Any:
    from shared.aws import clients

    return clients.client(service)


if __name__ == "__main__":
    main()
