"""Find the accounts that an operator names: by e-mail address, `sub` or Cognito's user name.

An address may have two accounts: one with a password, and one of the OIDC provider. They are never joined, and no
command chooses between them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.aws.cognito import Account

HELP = "its e-mail address, sub or user name"


def find(name: str) -> list[Account]:
    """Return all accounts with this address, `sub` or user name. A new one may be missing for some seconds."""
    from shared.aws import cognito

    # By address, AdminGetUser knows only accounts with a password; by `sub` as well. Lists know all, but lag, and may
    # find a provider's address only as the provider writes it.
    texts = dict.fromkeys((name, name.lower()))
    listed = [one for text in texts for attribute in ("email", "sub") for one in _list_usernames(attribute, text)]
    found = [cognito.find(one) for one in dict.fromkeys([*texts, *listed]) if one]
    return list({account.sub: account for account in found if account}.values())


def choose(name: str) -> Account:
    """Return the account with this address, `sub` or user name. Exits if there is none, or more than one."""
    found = find(name)
    if not found:
        sys.exit(f"There is no account {name}.")
    if len(found) > 1:
        sys.exit(f"{name} has {len(found)} accounts. Name one by its first column:\n{describe(found)}")
    return found[0]


def is_of_provider(account: Account) -> bool:
    """Return whether the account's owner signs in at the OIDC provider."""
    return account.username != account.sub


def describe(found: list[Account]) -> str:
    """Return a line for each account: user name, address, way to sign in, state, date of creation."""
    return "\n".join(map(_line, found))


def _line(account: Account) -> str:
    from shared.domain import visible

    confirmed = "confirmed" if account.is_confirmed and account.is_verified else "not confirmed"
    way = "provider" if is_of_provider(account) else "password"
    state = "enabled" if account.is_enabled else "disabled"
    created = f"created {account.created_at:%Y-%m-%d}"
    address = visible.without_invisible(account.address)  # the provider's text, for a terminal
    return f"  {account.username}  {address} ({confirmed}), {way}, {state}, {created}"


def _list_usernames(attribute: str, value: str) -> list[str]:
    from shared.aws import clients
    from shared.runtime import settings

    if '"' in value or "\\" in value:  # in no address; they would change the filter
        return []
    pages = clients.client("cognito-idp").get_paginator("list_users")
    wanted = pages.paginate(UserPoolId=settings.current().user_pool_id, Filter=f'{attribute} = "{value}"')
    return [user["Username"] for page in wanted for user in page["Users"]]
