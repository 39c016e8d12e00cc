"""Redirects for almost correct paths: extra slashes, a language prefix, trailing punctuation.

See the contract, sections 1 and 9. Pure.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

from shared.domain import errors
from shared.domain.sentence import Sentence
from shared.web import languages, push_links

# Bytes. API Gateway allows 10,240 for the headers of a request; we assume the same for a response.
MAX_LOCATION = 8_192
TOO_LONG = Sentence("The address is too long.")

# Password Pusher's language tags: two letters, for some languages with a country (`pt-BR`).
_LOCALIZED = re.compile(
    r"/([a-z]{2}(?:-[A-Z]{2})?)/(?:[pfr]/(?P<link>[^/]+(?:/r)?(?:\.json)?)|(?P<own>(?:m/[^/]+|a)/[^/]+))"
)
# Pages of those who have signed in, as a sign-in may lead to: no other path and no other host. A page of a push is none
# of them, because a visit may count a view.
_LOCAL = re.compile(
    r"/(?:(?:pushes|asks)(?:/[A-Za-z0-9_-]{1,100}){0,2}|users/(?:account|token))?(?:\?[A-Za-z0-9_=&-]{0,200})?"
)
_NOT_IN_A_PATH = re.compile(r"[\x00-\x1f\x7f\\]")
_IN_A_QUERY = "!$%&'()*+,-./:;=?@[]_~"  # not percent-encoded (RFC 3986, section 3.4)


def redirect_target(path: str, query: str) -> str | None:
    """Return the percent-encoded path and query to redirect to, or None if the path is correct.

    Raises: NotFound, if the path contains a forbidden character; MalformedRequest, if the target is too long for a
    header.
    """
    place = _target(path, query)
    if place is not None and len(place) > MAX_LOCATION:
        raise errors.MalformedRequest(TOO_LONG)
    return place


def local_page(place: str) -> str:
    """Return the path of a page to open after a sign-in, with its query; an empty string if it is no such page."""
    return place if _LOCAL.fullmatch(place) else ""


def _target(path: str, query: str) -> str | None:
    clean = _without_extra_slashes(path)
    clean = push_links.trim_path(clean) or clean
    if link := (_LOCALIZED.fullmatch(clean) if len(clean) <= push_links.MAX_LINK else None):
        return _encode_path((link["own"] or f"p/{link['link']}").split("/")) + _query_of_a_link(link, query)
    return None if clean == path else clean + _encode_query(query)


def _without_extra_slashes(path: str) -> str:
    if path == "/" or not ("//" in path or path.endswith("/")):
        return path
    return _encode_path([part for part in path.split("/") if part]) or "/"


def _encode_path(parts: Sequence[str]) -> str:
    """Return a path of these parts, with slashes inside a part encoded, so that it cannot lead to another host.

    Raises: NotFound, if a part contains a forbidden character.
    """
    # The gateway may have decoded the path already. Decoding it twice is harmless: none of our paths contains a `%`.
    decoded = [unquote(part) for part in parts]
    if any(_NOT_IN_A_PATH.search(part) for part in decoded):
        raise errors.NotFound
    return "".join(f"/{quote(part, safe='')}" for part in decoded)


def _query_of_a_link(link: re.Match[str], query: str) -> str:
    if (link["link"] or "").endswith(".json"):
        return _encode_query(query)
    # Drop the query: it may hold a passphrase, which must not be in a link. The page has a field for it.
    return f"?locale={language}" if (language := languages.match_tag(link[1])) else ""


def _encode_query(query: str) -> str:
    return f"?{quote(query, safe=_IN_A_QUERY)}" if query else ""
