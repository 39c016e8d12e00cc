"""Disable or delete an account, or remove its lost second factor. All its sessions and API tokens end immediately.

python -m infra.operator.account disable --account bob@example.com
python -m infra.operator.account delete --account bob@example.com
python -m infra.operator.account end-two-factor --account bob@example.com

If an address has an account with a password and another of the OIDC provider, the command lists both: name one by its
user name. A deleted account of the provider comes back, empty, when its owner signs in again: disable it instead.

Existing pushes stay until they expire; after a deletion nobody can list them. A deletion removes the asks. If you
enable an account again in Cognito's console, its owner must sign in and create API tokens again.

end-two-factor is for an owner who has lost the device with their authenticator app. From then on the password alone is
enough, so verify who asks. The device may have been signed in, so sessions and API tokens end as well.
"""

import argparse
import sys
from datetime import UTC, datetime

from infra.operator import accounts, installation

_DONE = {
    "disable": "The account is disabled.",
    "delete": "The account is deleted.",
    "end-two-factor": "The account signs in with its password alone.",
}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    options = _parser().parse_args(arguments)
    installation.connect(options)
    act(options)


def act(options: argparse.Namespace) -> None:
    """Change the account in Cognito first, so that nobody signs in after its sessions have ended."""
    from shared.aws import clients, cognito
    from shared.identity import auth
    from shared.runtime import settings
    from shared.service import asks

    account = accounts.choose(options.account)
    if options.command == "end-two-factor":
        if accounts.is_of_provider(account):
            sys.exit("This account signs in at the provider, which has its own second factor. Nothing was done.")
        cognito.end_two_factor(account.username)
    else:
        which = {"UserPoolId": settings.current().user_pool_id, "Username": account.username}
        client = clients.client("cognito-idp")
        (client.admin_delete_user if options.command == "delete" else client.admin_disable_user)(**which)
    auth.end_all_credentials(account.owner, now=datetime.now(UTC))
    if options.command == "delete":
        asks.remove_all(account.owner)
    print(f"{_DONE[options.command]} Its sessions and API tokens have ended.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    for name in _DONE:
        commands.add_parser(name).add_argument("--account", required=True, help=accounts.HELP)
    installation.add_options(parser, *commands.choices.values())
    return parser


if __name__ == "__main__":
    main()
