"""CORS: which origins' pages may read the API's responses (Fetch, section 3.2). Pure.

By default none may; a setting lists the origins. API v1's create is open to every origin, as it always was. Credentials
mode is off, so browsers send no cookies. A page needs an API token of its own.
"""

from collections.abc import Mapping

ANY = "*"
# Response headers that a script may read.
_READABLE = "link, x-page, x-per-page, retry-after"
_SENDABLE = (
    "accept, authorization, content-type, idempotency-key, x-manage-key, x-passphrase, x-user-email, x-user-token"
)
_FOR_AN_HOUR = "3600"


def response_headers(route: str, path: str, origin: str, allowed: tuple[str, ...]) -> Mapping[str, str]:
    """Return the CORS headers for a request from `origin`; `allowed` holds the configured origins."""
    if route.endswith(" /p.json"):
        return {"access-control-allow-origin": ANY}
    if not path.startswith("/api/") or not allowed:
        return {}
    exposed = {"access-control-expose-headers": _READABLE}
    if ANY in allowed:
        return {"access-control-allow-origin": ANY} | exposed
    # Without `vary`, a cache could serve one origin's response to another.
    varies = {"vary": "origin"}
    return {"access-control-allow-origin": origin} | exposed | varies if origin in allowed else varies


def preflight(methods: str) -> Mapping[str, str]:
    """Return the headers of a response to a preflight request."""
    return {
        "access-control-allow-methods": methods,
        "access-control-allow-headers": _SENDABLE,
        "access-control-max-age": _FOR_AN_HOUR,
    }
