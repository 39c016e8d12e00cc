"""CORS: which pages of other origins may read the API's answers (Fetch, section 3.2). Pure.

None, unless the setting names them; but API v1's create, which pages of any origin have always used. No credentials: a
browser sends no cookie along, and an API token only where the page itself has one.
"""

from collections.abc import Mapping

ANY = "*"
# What a script may read beside the body; the rest of ours are for browsers.
_READABLE = "link, x-page, x-per-page, retry-after"
_SENDABLE = "accept, authorization, content-type, idempotency-key, x-user-email, x-user-token"
_FOR_AN_HOUR = "3600"


def response_headers(route: str, path: str, origin: str, allowed: tuple[str, ...]) -> Mapping[str, str]:
    """The headers of an answer to a page of this origin; `allowed` are the origins that the setting names."""
    if route.endswith(" /p.json"):
        return {"access-control-allow-origin": ANY}
    if not path.startswith("/api/") or not allowed:
        return {}
    exposed = {"access-control-expose-headers": _READABLE}
    if ANY in allowed:
        return {"access-control-allow-origin": ANY} | exposed
    # Without `vary`, a cache would give one origin what was meant for another.
    varies = {"vary": "origin"}
    return {"access-control-allow-origin": origin} | exposed | varies if origin in allowed else varies


def preflight(methods: str) -> Mapping[str, str]:
    """What is said to a browser that asks before it sends."""
    return {
        "access-control-allow-methods": methods,
        "access-control-allow-headers": _SENDABLE,
        "access-control-max-age": _FOR_AN_HOUR,
    }
