"""The user pool behind the hosted sign-in endpoints: its app clients, and the users of its provider."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

PROVIDER: Final = "Oidc"  # the provider's name in the template

Fields = Mapping[str, str]


class Refused(Exception):
    """A request to refuse where no redirect is allowed, or at the token endpoint."""


class Person(NamedTuple):
    """A person as the provider describes them."""

    sub: str
    email: str
    is_verified: bool = True


class UserPool:
    """The only user pool of an emulator; `cognito` is a client of its API."""

    def __init__(self, cognito: Any) -> None:
        self._cognito = cognito

    @property
    def id(self) -> str:
        """Return its id, which begins with the region."""
        return str(self._cognito.list_user_pools(MaxResults=1)["UserPools"][0]["Id"])

    def client(self, client_id: str) -> dict[str, Any]:
        """Return an app client.

        Raises: Refused, if there is none.
        """
        which = {"UserPoolId": self.id, "ClientId": client_id or "none"}
        try:
            client: dict[str, Any] = self._cognito.describe_user_pool_client(**which)["UserPoolClient"]
        except self._cognito.exceptions.ResourceNotFoundException:
            raise Refused("invalid_client") from None
        return client

    def user(self, username: str) -> Any:
        """Return a user."""
        return self._cognito.admin_get_user(UserPoolId=self.id, Username=username)

    def federate(self, person: Person) -> str:
        """Create the person's user, or update its attributes, as every sign-in does; return the user's name."""
        username = f"{PROVIDER}_{person.sub}".lower()  # the pool ignores case
        mapped = {"email": person.email, "email_verified": str(person.is_verified).lower()}
        which = {"UserPoolId": self.id, "Username": username}
        try:
            self._cognito.admin_update_user_attributes(**which, UserAttributes=_attributes(mapped))
        except self._cognito.exceptions.UserNotFoundException:
            # On AWS, nobody can create such a user with this call. Both emulators are taught to.
            identity = {"userId": person.sub, "providerName": PROVIDER, "providerType": "OIDC", "primary": "true"}
            attributes = _attributes(mapped | {"identities": json.dumps([identity])})
            self._cognito.admin_create_user(**which, UserAttributes=attributes, MessageAction="SUPPRESS")
        return username


def _attributes(values: Fields) -> list[dict[str, str]]:
    return [{"Name": name, "Value": value} for name, value in values.items()]
