"""Paths that are almost right: with a slash too many, a language before the link, or what mail software left behind it.

Contract, sections 1 and 9. Pure.
"""

import re
from urllib.parse import quote, unquote

from shared.domain import errors
from shared.web import links

LANGUAGES = ("en",)  # that the pages are in
MAX_LOCATION = 8_192  # bytes; API Gateway has 10,240 for all header values of an answer, and answers 503 beyond

# As the reference writes them: two letters, and a country's two where there are several (`pt-BR`).
_LOCALIZED = re.compile(r"/([a-z]{2})(?:-[A-Z]{2})?/[pfr]/(?P<link>[^/]+(?:/r)?(?:\.json)?)")
_MAX_LINK = 1_000  # characters that a pattern is tried on
_NOT_IN_A_PATH = re.compile(r"[\x00-\x1f\x7f\\]")
_IN_A_QUERY = (
    "!$%&'()*+,-./:;=?@[]_~"  # what stands there as it is; all else is percent-encoded (RFC 3986, section 3.4)
)


def moved(path: str, query: str) -> str | None:
    """The path and query that a request should have had, percent-encoded; None where it has them.

    Raises:
        NotFound: the path holds what no path may, so there is nothing to rebuild.
        MalformedRequest: the place is too long to be sent as a header.

    """
    place = _place(path, query)
    if place is not None and len(place) > MAX_LOCATION:
        raise errors.MalformedRequest("The address is too long.")
    return place


def _place(path: str, query: str) -> str | None:
    clean = _clean(path)
    clean = links.mended(clean) or clean
    if link := (_LOCALIZED.fullmatch(clean) if len(clean) <= _MAX_LINK else None):
        return f"/p/{link['link']}{_query_of_a_link(link, query)}"
    return None if clean == path else clean + _written(query)


def _clean(path: str) -> str:
    if path == "/" or not ("//" in path or path.endswith("/")):
        return path
    # Whether the gateway has decoded it already cannot be told; what is decoded twice is nobody's path.
    parts = [unquote(part) for part in path.split("/") if part]
    if any(_NOT_IN_A_PATH.search(part) for part in parts):
        raise errors.NotFound
    # Every part is encoded, slashes within it too: nothing here can lead to another host.
    return "/" + "/".join(quote(part, safe="") for part in parts)


def _query_of_a_link(link: re.Match[str], query: str) -> str:
    if link["link"].endswith(".json"):
        return _written(query)
    # A page asks for the passphrase itself; it has no business in a link.
    return f"?locale={link[1]}" if link[1] in LANGUAGES else ""


def _written(query: str) -> str:
    return f"?{quote(query, safe=_IN_A_QUERY)}" if query else ""
