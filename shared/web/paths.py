"""Redirects from paths that are almost right: a slash too many, a language before a link, punctuation behind it.

Contract, sections 1 and 9. Pure.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

from shared.domain import errors
from shared.domain.sentence import Sentence
from shared.web import languages, push_links

# Bytes. API Gateway takes 10,240 of header values in a request, and is taken to do so in answers too.
MAX_LOCATION = 8_192
TOO_LONG = Sentence("The address is too long.")

# As the reference writes them: two letters, and a country's two where there are several (`pt-BR`).
_LOCALIZED = re.compile(r"/([a-z]{2}(?:-[A-Z]{2})?)/[pfr]/(?P<link>[^/]+(?:/r)?(?:\.json)?)")
_NOT_IN_A_PATH = re.compile(r"[\x00-\x1f\x7f\\]")
_IN_A_QUERY = "!$%&'()*+,-./:;=?@[]_~"  # stays as it is; all else is percent-encoded (RFC 3986, section 3.4)


def redirect_target(path: str, query: str) -> str | None:
    """The path and query to redirect to, percent-encoded; None where the path is right.

    Raises: NotFound, when the path holds a character that no path may hold; MalformedRequest, when the redirect would
    be too long for a header.
    """
    place = _target(path, query)
    if place is not None and len(place) > MAX_LOCATION:
        raise errors.MalformedRequest(TOO_LONG)
    return place


def _target(path: str, query: str) -> str | None:
    clean = _without_extra_slashes(path)
    clean = push_links.trim_path(clean) or clean
    if link := (_LOCALIZED.fullmatch(clean) if len(clean) <= push_links.MAX_LINK else None):
        return f"/p{_encode_path(link['link'].split('/'))}{_query_of_a_link(link, query)}"
    return None if clean == path else clean + _encode_query(query)


def _without_extra_slashes(path: str) -> str:
    if path == "/" or not ("//" in path or path.endswith("/")):
        return path
    return _encode_path([part for part in path.split("/") if part]) or "/"


def _encode_path(parts: Sequence[str]) -> str:
    """A path of these parts, each encoded, slashes within it too: nothing here can lead to another host.

    Raises: NotFound.
    """
    # The gateway may have decoded the path already. To decode it twice does no harm: no path of ours has a `%`.
    decoded = [unquote(part) for part in parts]
    if any(_NOT_IN_A_PATH.search(part) for part in decoded):
        raise errors.NotFound
    return "".join(f"/{quote(part, safe='')}" for part in decoded)


def _query_of_a_link(link: re.Match[str], query: str) -> str:
    if link["link"].endswith(".json"):
        return _encode_query(query)
    # The query is dropped: a page asks for the passphrase itself, which has no business in a link.
    return f"?locale={language}" if (language := languages.match_tag(link[1])) else ""


def _encode_query(query: str) -> str:
    return f"?{quote(query, safe=_IN_A_QUERY)}" if query else ""
