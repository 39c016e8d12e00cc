"""What all answers share: statuses of refusals, headers, and the form in which API Gateway wants them."""

import base64
import gzip
from collections.abc import Mapping

from shared.domain import errors
from shared.web.request import Event, Request

HEADERS = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
}

# Section 7 of the specification, and what the contract adds to it.
STATUSES: dict[type[errors.Refusal], int] = {
    errors.MalformedRequest: 400,
    errors.Unauthenticated: 401,
    errors.PassphraseRefused: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.FilesMissing: 409,
    errors.FilesReplaced: 409,
    errors.TooLarge: 413,
    errors.InvalidPush: 422,
    errors.TooManyAttempts: 429,
    errors.TooManyRepeats: 429,
    errors.QuotaSpent: 429,
    errors.Contended: 503,
    errors.Prefetched: 503,  # what is no success no browser keeps (HTML, section 7.6, Speculative loading)
    # On the pages only.
    errors.CredentialsRefused: 401,
    errors.ForgedForm: 403,
    errors.StaleForm: 403,
    errors.SeenAlready: 409,
    errors.AddressRefused: 422,
    errors.AddressTooLong: 400,
    errors.PasswordRefused: 422,
    errors.CodeRefused: 422,
    errors.TooManyTries: 429,
    errors.OneTimeCodeWanted: 401,
    errors.OneTimeCodeRefused: 422,
    errors.SignInLapsed: 401,
}
UNAVAILABLE = "The service is not available at this moment: please try again."
RETRY_LATER = {"retry-after": "2"}  # seconds, after a 503

# Lambda refuses answers over 6 MB, escaped and all, and a view that was claimed for one of those would be lost.
_MAX_PLAIN_BODY = 1_000_000
_MAX_BASE64_BODY = 4_500_000


def redirect(request: Request) -> Event | None:
    """The answer to a path that is almost right, None where it is quite.

    Raises: NotFound, which names the right path, where a redirect would lose something.
    """
    place = request.redirect_target
    if place is None:
        return None
    # Clients drop their API token, or turn a POST into a GET, where they are redirected.
    if request.original_method not in ("GET", "HEAD"):
        raise errors.NotFound(f"not-found: the path is {place.partition('?')[0]}")
    return to_event(301, HEADERS | {"location": place}, "")


def retry_headers(refusal: errors.Refusal) -> Mapping[str, str]:
    """The header that says when it is worth another try, if ever."""
    if isinstance(refusal, errors.TooManyAttempts | errors.QuotaSpent):
        return {"retry-after": str(refusal.retry_after)}
    return RETRY_LATER if isinstance(refusal, errors.Contended | errors.Prefetched) else {}


def to_event(status: int, headers: dict[str, str], text: str) -> Event:
    """An answer in the form that API Gateway wants, however long its text is."""
    raw = text.encode()
    if len(raw) <= _MAX_PLAIN_BODY:
        return {"statusCode": status, "headers": headers, "body": text, "isBase64Encoded": False}
    if len(raw) > _MAX_BASE64_BODY:
        # Only a body full of escaped characters gets here. A client that sends no Accept-Encoding accepts any coding
        # (RFC 9110, section 12.5.3).
        raw = gzip.compress(raw, compresslevel=1)
        headers = headers | {"content-encoding": "gzip"}
    encoded = base64.b64encode(raw).decode()
    return {"statusCode": status, "headers": headers, "body": encoded, "isBase64Encoded": True}
