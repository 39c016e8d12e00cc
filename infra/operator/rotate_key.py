"""Rotate the instance key, count the data that needs earlier versions, and end the pushes that need one of them.

python -m infra.operator.rotate_key rotate
python -m infra.operator.rotate_key count
python -m infra.operator.rotate_key end 0f7c2a51-…

`rotate` creates a version with a label of its own, so that no later rotation loses it. Warm functions use it within
five minutes, cold ones immediately. Earlier versions still decrypt their data; nothing is encrypted again.

`count` prints the live pushes of each version, and the names, notes and links in owners' lists of pushes and asks. It
reads the three tables completely, at half a read unit for each 4 KB.

`end` ends every live push of an earlier version, as its sender could, and destroys the data kept for repeated requests.
Nobody can recover them. It ends asks of that version, too. Names, notes and links in owners' lists stay readable.

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
    """One version of the key and the data encrypted with it: pushes that can be opened, labels in the lists."""

    version_id: str
    made_at: datetime
    is_current: bool
    pushes: int
    labels: int


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installation.add_options(parser)
    parser.add_argument("command", choices=["rotate", "count", "end"])
    parser.add_argument("version", nargs="?", help="for `end`: the version id that `count` prints")
    options = parser.parse_args(arguments)
    if (options.command == "end") != (options.version is not None):
        parser.error("`end` needs one version, the other commands none")
    installation.connect(options)
    if options.command == "rotate":
        print(f"{rotate()} is the current version now; warm functions use it within five minutes.")
    if options.command == "end":
        print(f"{end(options.version, now=datetime.now(UTC)):,} pushes ended.")
    for version in count():
        state = "current" if version.is_current else "earlier"
        needed = f"{version.pushes:>9,} pushes  {version.labels:>9,} labels"
        print(f"{version.version_id}  created {version.made_at:%Y-%m-%d %H:%M}  {state}  {needed}")


def rotate() -> str:
    """Create a current version of the instance key and return its id.

    First, every existing version gets a label of its own. The created one has its label in the same call, so that a
    second rotation cannot lose it. A call that the SDK repeats creates no second version.
    """
    from shared.service import pushes

    pushes.label_instance_keys()
    version_id = str(uuid.uuid4())
    _client("secretsmanager").put_secret_value(
        SecretId=os.environ["INSTANCE_KEY_ARN"],
        ClientRequestToken=version_id,  # Secrets Manager uses it as the version's id
        SecretString=secrets.token_hex(_BYTES),
        VersionStages=["AWSCURRENT", f"kept-{version_id}"],
    )
    return version_id


def end(version_id: str, *, now: datetime) -> int:
    """End all pushes of a version of the key; return how many were alive. Idempotent.

    Exits if the version is the current one, which is still in use, or does not exist.
    """
    from shared.aws import asks, keys, store

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
                store.destroy(item["id"]["S"])  # the data kept for leases of an ended push
    for item in _sealed_items(os.environ["ASKS_TABLE"]):
        if item["key_version"]["S"] == version_id and (ask := asks.find(item["id"]["S"])):
            asks.end(ask, now)
    return ended


def count() -> list[Version]:
    """Return every version in Secrets Manager, oldest first, with the amount of its data."""
    from shared.aws import keys

    pushes = Counter(item["key_version"]["S"] for item in _sealed_items(os.environ["SECRETS_TABLE"]))
    listed = (item for table in ("PUSHES_TABLE", "ASKS_TABLE") for item in _sealed_items(os.environ[table]))
    labels = Counter(item["key_version"]["S"] for item in listed)
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
    """Yield the id and version of each item of a table that is encrypted with a version of the key."""
    pages = _client("dynamodb").get_paginator("scan")
    wanted = {"ProjectionExpression": "id, key_version", "FilterExpression": "attribute_exists(key_version)"}
    return (item for page in pages.paginate(TableName=table, **wanted) for item in page["Items"])


def _client(service: str) -> Any:
    from shared.aws import clients

    return clients.client(service)


if __name__ == "__main__":
    main()
