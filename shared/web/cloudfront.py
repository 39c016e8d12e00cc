"""Whom a request comes from, where CloudFront stands before the gateway. Pure.

The gateway then sees CloudFront's address, and the caller's stands in a header, which anybody could send who asks the
gateway directly. So a header counts only beside the secret that CloudFront alone adds (template.yaml, Distribution).
Any other word for the caller's address, X-Forwarded-For among them, is the caller's own and never read.
"""

from collections.abc import Mapping

SECRET = "x-origin-secret"  # noqa: S105 (the name of a header)
ADDRESS = "true-client-ip"  # put there by the distribution's function, whatever the caller sent


def is_from_cloudfront(headers: Mapping[str, str], secret: str) -> bool:
    """Whether a request came by the front; always where there is none and `secret` is empty."""
    if not secret:
        return True
    import hmac  # loaded here: it loads OpenSSL, and most installations have no front

    return hmac.compare_digest(headers.get(SECRET, "").encode(), secret.encode())


def caller_address(headers: Mapping[str, str], seen: str, secret: str) -> str:
    """The caller's address: as the front says, where the request came by one; else as the gateway has `seen` it."""
    return headers.get(ADDRESS, seen) if secret and is_from_cloudfront(headers, secret) else seen
