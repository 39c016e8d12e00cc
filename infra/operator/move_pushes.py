"""Move all pushes and asks of one account to another, such as from one with a password to the OIDC provider's.

python -m infra.operator.move_pushes --from-account 0f7c2a51-… --to-account oidc_248289761001
python -m infra.operator.move_pushes --from-account 0f7c2a51-… --to-account oidc_248289761001 --move

Without --move, it only prints both accounts and counts. Both are named by `sub` or user name. An address is refused:
equal addresses do not prove that two accounts belong to one person, so ask the person in another way.

First disable the old account (infra/operator/account.py), which ends its sessions and API tokens; a deleted one is
named by its `sub`. API tokens, sessions and the used amounts of quotas are not moved. A push keeps its link,
passphrase, name, note and audit log, because nothing that seals them depends on the owner. From then on its notices
and events name the new account.

Each push moves by one conditional write. If the command was killed, run it again. Run it until it moves nothing:
indexes lag behind their tables.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from infra.operator import accounts, installation

if TYPE_CHECKING:
    from shared.aws.cognito import Account

_SUB = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    options = _parser().parse_args(arguments)
    installation.connect(options)
    act(options)


def act(options: argparse.Namespace) -> None:
    """Print both accounts; then count the pushes, or move them."""
    source, target = _source(options.from_account, is_move=options.move), _target(options.to_account)
    if source == target:
        sys.exit("Both are the same account. Nothing was moved.")
    counted = move(source, target) if options.move else count(source)
    for what, number in counted.items():
        print(f"{number:>9,} {what} {'moved' if options.move else 'to move'}")
    if not options.move:
        print("Nothing was moved. If both accounts belong to one person, repeat this with --move.")


def count(source: str) -> Counter[str]:
    """Return the number of the owner's items, by what they are."""
    return Counter({what: sum(1 for _ in _keys(index, source)) for what, (_, index) in _kinds().items()})


def move(source: str, target: str) -> Counter[str]:
    """Give all items of one owner to another; return their number, by what they are. Idempotent.

    Raises: ClientError, if other writes to a push conflict after every retry.
    """
    return Counter(
        {
            what: sum(_move_item(table, key, source, target) for key in _keys(index, source))
            for what, (table, index) in _kinds().items()
        }
    )


def _kinds() -> dict[str, tuple[Any, Any]]:
    """Return the tables whose items have an `owner`, with their indexes by owner."""
    from shared.aws.tables import Asks, Pushes

    return {"asks": (Asks, Asks.by_owner), "pushes": (Pushes, Pushes.by_owner)}  # an ask first: its answers follow it


def _keys(index: Any, owner: str) -> Iterator[str]:
    return (item.id for item in index.query(owner))


def _move_item(table: Any, key: str, source: str, target: str) -> bool:
    """Change the owner of one item and nothing else; return False if it has another owner by now."""
    from shared.aws import dynamodb
    from shared.aws.dynamodb import Update, Write

    return dynamodb.write(Write(updates=[Update(table, key, [table.owner.set(target)], table.owner == source)]))


def _source(name: str, *, is_move: bool) -> str:
    """Return the owner to move from. Exits unless the account is disabled or deleted, or this is only a count."""
    from shared.domain import owners

    account = _named(name)
    if account is None:
        if not _SUB.fullmatch(name):
            sys.exit(f"There is no account {name}. Name a deleted one by its sub.")
        print(f"From\n  {name}  deleted, or never there")
        return owners.of_account(name)
    print(f"From\n{accounts.describe([account])}")
    if is_move and account.is_enabled:
        sys.exit("This account is in use: disable it first (infra.operator.account). Nothing was moved.")
    return account.owner


def _target(name: str) -> str:
    """Return the owner to move to. Exits unless the account can sign in."""
    account = _named(name)
    if account is None:
        sys.exit(f"There is no account {name}: its owner must have signed in once. Nothing was moved.")
    print(f"To\n{accounts.describe([account])}")
    if not (account.is_enabled and account.is_confirmed):
        sys.exit("This account cannot sign in. Nothing was moved.")
    return account.owner


def _named(name: str) -> Account | None:
    """Return the account with this `sub` or user name; None if there is none. Exits if the name is an address."""
    found = accounts.find(name)
    exact = [account for account in found if name.lower() in (account.sub, account.username.lower())]
    if found and not exact:
        sys.exit(
            "An address does not say whose account it is. Name each account by its first column:\n"
            + accounts.describe(found)
        )
    return exact[0] if exact else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installation.add_options(parser)
    parser.add_argument("--from-account", required=True, help="sub or user name of the account that has the pushes")
    parser.add_argument("--to-account", required=True, help="sub or user name of the account that gets them")
    parser.add_argument("--move", action="store_true", help="move them, instead of only counting")
    return parser


if __name__ == "__main__":
    main()
