"""Common parts of HTTP responses: status codes, headers and the gateway's format."""

import base64
import gzip
from collections.abc import Mapping

from shared.domain import errors
from shared.web import paths
from shared.web.request import Event, Request

HEADERS = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
}

# These are part of the contract.
STATUSES: dict[type[errors.Refusal], int] = {
    errors.MalformedRequest: 400,
    errors.Unauthenticated: 401,
    errors.PassphraseRefused: 401,
    errors.Forbidden: 403,
    errors.WrongNetwork: 403,
    errors.NotFound: 404,
    errors.FilesMissing: 409,
    errors.FilesReplaced: 409,
    errors.TooLarge: 413,
    errors.InvalidPush: 422,
    errors.TooManyAttempts: 429,
    errors.TooManyRepeats: 429,
    errors.QuotaSpent: 429,
    errors.Contended: 503,
    errors.Prefetched: 503,  # browsers discard a failed prefetch (HTML, section 7.6, Speculative loading)
    # Pages only.
    errors.CredentialsRefused: 401,
    errors.ForgedForm: 403,
    errors.StaleForm: 403,
    errors.SecondFactorRequired: 403,
    errors.SeenAlready: 409,
    errors.AddressRefused: 422,
    errors.AddressTooLong: 400,
    errors.PasswordRefused: 422,
    errors.CodeRefused: 422,
    errors.TooManyTries: 429,
    errors.OneTimeCodeWanted: 401,
    errors.OneTimeCodeRefused: 422,
    errors.SignInLapsed: 401,
    errors.ProviderRefused: 401,
    errors.ProviderUnavailable: 503,
}
UNAVAILABLE = "The service is not available just now. Please try again."
RETRY_LATER = {"retry-after": "2"}  # seconds, after a 503

# Lambda rejects a response over 6 MB, JSON escapes included, and its view would be lost.
_MAX_PLAIN_BODY = 1_000_000
_MAX_BASE64_BODY = 4_500_000


def redirect(request: Request) -> Event | None:
    """Return the redirect for an almost correct path, or None if the path is correct.

    Raises: NotFound, which names the correct path, if the method is neither GET nor HEAD; the errors of
    `paths.redirect_target`.
    """
    place = paths.redirect_target(request.path, request.raw_query)
    if place is None:
        return None
    # After a redirect, clients may drop the API token or turn a POST into a GET.
    if request.original_method not in ("GET", "HEAD"):
        raise errors.NotFound(f"not-found: the path is {place.partition('?')[0]}")
    return to_event(301, HEADERS | {"location": place}, "")


def retry_headers(refusal: errors.Refusal) -> Mapping[str, str]:
    """Return the Retry-After header for a refusal; empty if a retry cannot help."""
    if isinstance(refusal, errors.TooManyAttempts | errors.QuotaSpent):
        return {"retry-after": str(refusal.retry_after)}
    return RETRY_LATER if isinstance(refusal, errors.Contended | errors.Prefetched) else {}


def to_event(status: int, headers: dict[str, str], text: str) -> Event:
    """Return a response in API Gateway's format, compressed if it is too long."""
    raw = text.encode()
    if len(raw) <= _MAX_PLAIN_BODY:
        return {"statusCode": status, "headers": headers, "body": text, "isBase64Encoded": False}
    if len(raw) > _MAX_BASE64_BODY:
        # Only a body full of escaped characters is this long. Without Accept-Encoding, a client accepts any coding
        # (RFC 9110, section 12.5.3).
        raw = gzip.compress(raw, compresslevel=1)
        headers = headers | {"content-encoding": "gzip"}
    encoded = base64.b64encode(raw).decode()
    return {"statusCode": status, "headers": headers, "body": encoded, "isBase64Encoded": True}
