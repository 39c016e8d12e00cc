"""Rotate the instance key, count what still needs its earlier versions, and end the pushes that need one of them.

python -m infra.operator.rotate_key rotate
python -m infra.operator.rotate_key count
python -m infra.operator.rotate_key end 0f7c2a51-…

`rotate` makes a new version, with a label of its own, so that no later rotation loses it. Functions that are warm take
it up within five minutes, new ones at once. Every earlier version opens what it sealed: nothing is sealed anew.

`count` says for each version how many pushes that are alive were sealed with it, and how many names, notes and links of
owners' lists. It reads both tables from end to end, at half a read unit for each 4 KB.

`end` ends every push that an earlier version sealed and that is alive, as its sender could, and destroys what is kept
of it for those who may ask again. Nobody gets them back. Names, notes and links of owners' lists stay readable.

No key is read, printed, or an argument of any process.
"""

import argparse
import os
import secrets
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from infra.operator import end_push, installation

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
    parser.add_argument("command", choices=["rotate", "count", "end"])
    parser.add_argument("version", nargs="?", help="of `end`: the version, as `count` names it")
    options = parser.parse_args(arguments)
    if (options.command == "end") != (options.version is not None):
        parser.error("`end` takes one version, the other commands none")
    installation.connect(options)
    if options.command == "rotate":
        print(f"{rotate()} seals from now on; in functions that are warm, within five minutes.")
    if options.command == "end":
        print(f"{end(options.version, now=datetime.now(UTC)):,} pushes ended.")
    for version in count():
        state = "current" if version.is_current else "earlier"
        needed = f"{version.pushes:>9,} pushes  {version.labels:>9,} labels"
        print(f"{version.version_id}  made {version.made_at:%Y-%m-%d %H:%M}  {state}  {needed}")


def rotate() -> str:
    """Make a new version of the instance key the current one; its id.

    First, every version that is there gets a label of its own. One that is made here has it in the same call, so no
    moment is left in which a second rotation could lose it. A call that the SDK sends again makes no second version.
    """
    from shared.service import pushes

    pushes.label_instance_keys()
    version_id = str(uuid.uuid4())
    _client("secretsmanager").put_secret_value(
        SecretId=os.environ["INSTANCE_KEY_ARN"],
        ClientRequestToken=version_id,  # what Secrets Manager names the version by
        SecretString=secrets.token_hex(_BYTES),
        VersionStages=["AWSCURRENT", f"kept-{version_id}"],
    )
    return version_id


def end(version_id: str, *, now: datetime) -> int:
    """End all pushes that a version of the key sealed; how many were alive. Idempotent.

    Exits where it is the current version, which goes on sealing, or none that is kept.
    """
    from shared.aws import keys, store

    stages = {one["VersionId"]: one["VersionStages"] for one in keys.versions()}
    if version_id not in stages:
        sys.exit(f"There is no version {version_id}. Nothing was done.")
    if "AWSCURRENT" in stages[version_id]:
        sys.exit(f"{version_id} is the current version. Nothing was done: `rotate` first, and wait five minutes.")
    ended = 0
    for item in _sealed_items(os.environ["SECRETS_TABLE"]):
        if item["key_version"]["S"] == version_id:
            if end_push.end_push(item["id"]["S"], "rotate_key", now):
                ended += 1
            else:
                store.destroy(item["id"]["S"])  # what leases keep of a push that is over
    return ended


def count() -> list[Version]:
    """Every version that Secrets Manager keeps, oldest first, and what was sealed with it."""
    from shared.aws import keys

    pushes = Counter(item["key_version"]["S"] for item in _sealed_items(os.environ["SECRETS_TABLE"]))
    labels = Counter(item["key_version"]["S"] for item in _sealed_items(os.environ["PUSHES_TABLE"]))
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


def _sealed_items(table: str) -> Iterator[dict[str, Any]]:
    """The id and the version of each item of a table that a version of the key has sealed."""
    pages = _client("dynamodb").get_paginator("scan")
    wanted = {"ProjectionExpression": "id, key_version", "FilterExpression": "attribute_exists(key_version)"}
    return (item for page in pages.paginate(TableName=table, **wanted) for item in page["Items"])


def _client(service: str) -> Any:
    from shared.aws import clients

    return clients.client(service)


if __name__ == "__main__":
    main()
