"""Dialects: the differences between API v2 and v1 in paths, bodies and responses (contract, section 10). Pure.

The same functions serve both versions.
"""

from typing import Any, NamedTuple

from shared.domain.limits import FILE, URL

WRAPPER = "push"  # the key of a new push's fields in API v2
FORM = "application/x-www-form-urlencoded"


class Dialect(NamedTuple):
    """The field names and defaults of one API version."""

    wrapper: str  # the key around a new push in a body
    audit_key: str = "views"
    kind: str | None = None  # default kind; None to derive it from the fields
    only_owners_create: bool = False  # whether a create always requires an API token
    media_type: str = FORM  # of a body without a content type

    def requires_token(self, route: str) -> bool:
        """Return whether this route creates a push and always requires an API token."""
        return self.only_owners_create and route.startswith("POST ")

    def with_kind(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of a new push, with the dialect's default kind if they have none."""
        return parameters if self.kind is None or parameters.get("kind") else parameters | {"kind": self.kind}


V2 = Dialect(WRAPPER, audit_key="logs", media_type="")
V1 = {
    "p": Dialect("password"),
    "f": Dialect("file_push", kind=FILE, only_owners_create=True),
    "r": Dialect("url", kind=URL, only_owners_create=True),
}


def of(route: str) -> Dialect:
    """Return the dialect of a route key, such as `POST /p.json` or `GET /f/{url_token}/audit.json`."""
    first = route.partition(" /")[2].partition("/")[0]
    return V1.get(first.removesuffix(".json"), V2)
