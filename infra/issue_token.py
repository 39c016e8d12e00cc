"""Mint, list and revoke API tokens, for an operator: on AWS, or with --local on the running local stack.

python -m infra.issue_token mint --owner bob@example.com --name laptop --days 90
python -m infra.issue_token list --owner bob@example.com
python -m infra.issue_token revoke --owner bob@example.com --digest 0123abcd
"""

import argparse
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from infra import template
from infra.local import LOCAL

if TYPE_CHECKING:  # The store reads its settings when it is loaded, which are not there yet.
    from shared import store


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    chosen = _parser().parse_args(arguments)
    if chosen.local:
        _speak_to_local_stack(LOCAL)
    _find_tables(chosen.stack_name)
    chosen.act(chosen)


def _mint(chosen: argparse.Namespace) -> None:
    from shared import auth

    now = datetime.now(UTC)
    expires_at = None if chosen.days is None else now + timedelta(days=chosen.days)
    end = f"until {expires_at:%Y-%m-%d}" if expires_at else "until it is revoked"
    token = auth.issue_api_token(chosen.owner.lower(), chosen.name, now=now, expires_at=expires_at)
    print(f"API token for {chosen.owner}, valid {end}. It is shown only this once:", file=sys.stderr)
    print(token)


def _list(chosen: argparse.Namespace) -> None:
    for token in _tokens(chosen.owner):
        end = f"{token.expires_at:%Y-%m-%d}" if token.expires_at else "no end"
        print(f"{token.digest[:12]}  …{token.last_four}  made {token.created_at:%Y-%m-%d}  {end}  {token.name}")


def _revoke(chosen: argparse.Namespace) -> None:
    from shared import store

    found = [token for token in _tokens(chosen.owner) if token.digest.startswith(chosen.digest)]
    if len(found) != 1:
        sys.exit(f"{len(found)} API tokens of {chosen.owner} have a digest that starts so; one is needed.")
    store.remove_api_token(found[0].digest)
    print(f"Revoked …{found[0].last_four}: the next request with it is refused.")


def _tokens(owner: str) -> "list[store.ApiToken]":
    from shared import auth

    # Until 0.4.0 tokens were minted for an address as it was written.
    return [token for one in {owner, owner.lower()} for token in auth.api_tokens(one, now=datetime.now(UTC))]


def _speak_to_local_stack(path: Path) -> None:
    if not path.exists():
        sys.exit("No local stack is running here. Start one with: make run")
    os.environ.update(json.loads(path.read_text())["environment"])


def _find_tables(stack_name: str) -> None:
    """Settings as the functions have them, of which the store needs the region and the tables."""
    import boto3

    cloudformation = boto3.client("cloudformation")
    os.environ.setdefault("AWS_REGION", cloudformation.meta.region_name)
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack_name)
    found = [resource for page in pages for resource in page["StackResourceSummaries"]]
    ids = {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in found}
    for name, value in template.environment().items():
        parameter = value["Ref"]
        os.environ[name] = ids.get(parameter) or template.defaults()[parameter]


def _days(text: str) -> int:
    days = int(text)
    if days < 1:
        raise argparse.ArgumentTypeError("a token is valid for one day at least")
    return days


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack-name", default="secret-sharing", help="the CloudFormation stack")
    parser.add_argument("--local", action="store_true", help="the local stack that `make run` has started")
    commands = parser.add_subparsers(required=True)
    for name, act in {"mint": _mint, "list": _list, "revoke": _revoke}.items():
        command = commands.add_parser(name)
        command.set_defaults(act=act)
        command.add_argument("--owner", required=True, help="the e-mail address of the owner")
        if act is _mint:
            command.add_argument("--name", default="", help="what the token is for")
            command.add_argument("--days", type=_days, help="how many days it is valid; no end when left out")
        if act is _revoke:
            command.add_argument("--digest", required=True, help="the start of its digest, as `list` shows it")
    return parser


if __name__ == "__main__":
    main()
