"""What the versions of the API differ in: API v2, and v1 as older clients speak it (contract, section 10). Pure.

The same functions serve both; a dialect has what differs in the paths, the bodies and the answers.
"""

from typing import Any, NamedTuple

from shared.domain.limits import FILE, URL

WRAPPER = "push"  # the key of a new push's fields in API v2
FORM = "application/x-www-form-urlencoded"


class Dialect(NamedTuple):
    """One way to write a push and its record."""

    wrapper: str  # the key that a new push stands under
    audit_key: str = "views"
    kind: str | None = None  # of a push whose sender names none; None where its fields tell
    is_for_owners: bool = False  # whether a create always needs an API token, whatever the settings
    media_type: str = FORM  # of a body that does not say what it is

    def is_for_owners_to_send(self, route: str) -> bool:
        """Whether this route is the create of a dialect in which that needs an API token."""
        return self.is_for_owners and route.startswith("POST ")

    def with_kind(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """The parameters of a new push, with this dialect's kind where the sender names none."""
        return parameters if self.kind is None or parameters.get("kind") else parameters | {"kind": self.kind}


V2 = Dialect(WRAPPER, audit_key="logs", media_type="")
V1 = {
    "p": Dialect("password"),
    "f": Dialect("file_push", kind=FILE, is_for_owners=True),
    "r": Dialect("url", kind=URL, is_for_owners=True),
}


def of(route: str) -> Dialect:
    """The dialect of a route's key, such as `POST /p.json` or `GET /f/{url_token}/audit.json`."""
    first = route.partition(" /")[2].partition("/")[0]
    return V1.get(first.removesuffix(".json"), V2)
