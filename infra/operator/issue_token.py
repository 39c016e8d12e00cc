"""Create, list and revoke API tokens as an operator: on AWS, or with --local on the running local stack.

python -m infra.operator.issue_token mint --account bob@example.com --name laptop --days 90
python -m infra.operator.issue_token mint --owner backup-job
python -m infra.operator.issue_token list --owner backup-job
python -m infra.operator.issue_token revoke --owner backup-job --digest 0123abcd

--account takes the e-mail address, `sub` or user name of somebody who signs in. --owner takes a name of your choice;
nobody can sign in with it. An owner and an account are never the same, even with equal names.
"""

import argparse
import sys
from datetime import UTC, datetime, timedelta

from infra.operator import accounts, installation
from shared.domain.token import ApiToken


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    options = _parser().parse_args(arguments)
    installation.connect(options)
    options.act(options)


def _mint(options: argparse.Namespace) -> None:
    from shared.identity import auth

    now = datetime.now(UTC)
    expires_at = None if options.days is None else now + timedelta(days=options.days)
    end = f"until {expires_at:%Y-%m-%d}" if expires_at else "until it is revoked"
    token = auth.issue_api_token(_owner(options), options.name, now=now, expires_at=expires_at)
    print(f"API token for {_whose(options)}, valid {end}. It is shown only once:", file=sys.stderr)
    print(token)


def _list(options: argparse.Namespace) -> None:
    for token in _tokens(options):
        end = f"{token.expires_at:%Y-%m-%d}" if token.expires_at else "no end"
        print(f"{token.digest[:12]}  …{token.last_four}  created {token.created_at:%Y-%m-%d}  {end}  {token.name}")


def _revoke(options: argparse.Namespace) -> None:
    from shared.aws import tokens

    matches = [token for token in _tokens(options) if token.digest.startswith(options.digest)]
    if len(matches) != 1:
        sys.exit(
            f"{len(matches)} API tokens of {_whose(options)} have a digest with this start; exactly one must match."
        )
    tokens.revoke(matches[0])
    print(f"Revoked …{matches[0].last_four}: the next request with it is refused.")


def _tokens(options: argparse.Namespace) -> list[ApiToken]:
    from shared.identity import auth

    return auth.list_api_tokens(_owner(options), now=datetime.now(UTC))


def _owner(options: argparse.Namespace) -> str:
    from shared.domain import owners

    if options.account is None:
        return owners.of_name(options.owner)
    account = accounts.choose(options.account)
    if not account.is_confirmed:
        sys.exit(f"There is no confirmed account {options.account}.")
    return account.owner


def _whose(options: argparse.Namespace) -> str:
    return str(options.account or options.owner)


def _days(text: str) -> int:
    days = int(text)
    if days < 1:
        raise argparse.ArgumentTypeError("a token is valid for one day at least")
    return days


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, act in {"mint": _mint, "list": _list, "revoke": _revoke}.items():
        command = commands.add_parser(name)
        command.set_defaults(act=act)
        whose = command.add_mutually_exclusive_group(required=True)
        whose.add_argument("--account", help=accounts.HELP)
        whose.add_argument("--owner", help="a name of your choice; nobody can sign in with it")
        if act is _mint:
            command.add_argument("--name", default="", help="what the token is for")
            command.add_argument("--days", type=_days, help="days until it expires (default: never)")
        if act is _revoke:
            command.add_argument("--digest", required=True, help="the start of its digest, as `list` shows it")
    installation.add_options(parser, *commands.choices.values())
    return parser


if __name__ == "__main__":
    main()
