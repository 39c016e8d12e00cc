"""The users of a provider in a user pool, on top of moto, which has none."""

import copy
from collections.abc import Mapping
from typing import Any

from moto.cognitoidp.models import CognitoIdpUser, CognitoIdpUserPool

STATUS = "EXTERNAL_PROVIDER"
_FIND = CognitoIdpUserPool._get_user


def is_federated(parameters: Mapping[str, Any]) -> bool:
    """Return whether AdminCreateUser is called as infra/local/user_pool.py does for a provider's user."""
    return any(attribute["Name"] == "identities" for attribute in parameters.get("UserAttributes", []))


def create(pool: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Create a provider's user; its name is no address."""
    user = CognitoIdpUser(pool.id, parameters["Username"], None, STATUS, parameters["UserAttributes"])
    pool.users[user.username] = user
    return {"User": {"Username": user.username}}


def update(user: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Update the attributes of a provider's user; another account may have the same address."""
    user.update_attributes(parameters["UserAttributes"])
    return {}


def find(pool: CognitoIdpUserPool, username: str) -> Any:
    """Find a user; one of a provider by its name alone, not by its `sub` or address."""
    if username in pool.users:
        return pool.users[username]
    local = copy.copy(pool)
    local.users = {name: user for name, user in pool.users.items() if user.status != STATUS}
    return _FIND(local, username)
