"""Prepare a table restored from point-in-time recovery, so that no used view and no revoked API token comes back.

python -m infra.operator.after_restore end Pushes=restored-pushes ApiTokens=restored-tokens Asks=restored-asks
python -m infra.operator.after_restore copy Pushes=restored-pushes AuditEntries=restored-entries

A restored table has counted fewer views than were used, while the keys for those views still exist in `Secrets`. So
`end` ends every live push of the restored table and destroys its key, in one write each. It ends every API token and
session of a restored `ApiTokens`, because the table does not know later revocations, and every ask of a restored
`Asks`, because it has counted fewer answers. Afterwards the restored table can replace a lost one. While the stack's
own `Pushes` exists, `end` fails, because it would destroy the keys of pushes in use. With `--although-in-use` it ends
those, too.

`copy` adds the items that the stack's own table lacks, live pushes and asks as ended ones; existing items stay
unchanged. It copies no API tokens and no asks of deleted accounts. Both commands are idempotent and print only counts.
docs/operations.md says when to run them.
"""

import argparse
import os
import sys
from datetime import UTC, datetime

import boto3

from infra.operator import installation
from infra.operator.restored_tables import COPIED, ENDED, VARIABLES, copy, end


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installation.add_options(parser)
    parser.add_argument("command", choices=["end", "copy"])
    parser.add_argument("tables", nargs="+", help="Name=restored table, for each of: " + ", ".join(VARIABLES))
    parser.add_argument("--although-in-use", action="store_true", help="end the pushes in use too")
    options = parser.parse_args(arguments)
    restored = _tables_by_id(parser, options)
    live = installation.connect(options)
    if options.command == "copy" and any(live.get(name) == table for name, table in restored.items()):
        parser.error("a table cannot be copied to itself")
    _refuse_unless_active(restored)
    if options.command == "end" and "Pushes" in restored and not options.although_in_use:
        _refuse_live_pushes(live["Pushes"])
    now = datetime.now(UTC)
    counted = end(restored, now=now) if options.command == "end" else copy(restored, live, now=now)
    for what, number in counted.items():
        print(f"{number:>9,} {what}")


def _tables_by_id(parser: argparse.ArgumentParser, options: argparse.Namespace) -> dict[str, str]:
    """Return the restored tables by logical id, from the command line."""
    restored = dict(table.split("=", 1) for table in options.tables if "=" in table)
    allowed = ENDED if options.command == "end" else COPIED
    if len(restored) != len(options.tables) or not restored.keys() <= set(allowed):
        parser.error("Name=table, where Name is one of " + ", ".join(sorted(allowed)))
    return restored


def _refuse_unless_active(restored: dict[str, str]) -> None:
    for table in restored.values():
        status = _status(table)
        if status is None:
            sys.exit(f"There is no table {table}. Nothing was done.")
        if status != "ACTIVE":
            sys.exit(f"The table {table} is not ready: it is {status}. Nothing was done.")


def _refuse_live_pushes(pushes: str) -> None:
    if _status(pushes):
        sys.exit(
            f"The table {pushes} is there, and every push in it would lose its key. Nothing was done. `copy` restores "
            "missing items; if the table is damaged, delete it first, or use --although-in-use."
        )


def _status(table: str) -> str | None:
    # A separate client: those of `shared` would read the settings too early, see restored_tables.py.
    dynamodb = boto3.client("dynamodb", region_name=os.environ["AWS_REGION"])
    try:
        return str(dynamodb.describe_table(TableName=table)["Table"]["TableStatus"])
    except dynamodb.exceptions.ResourceNotFoundException:
        return None


if __name__ == "__main__":
    main()
