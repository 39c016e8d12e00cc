"""The caller's IP address behind CloudFront. Pure.

Behind CloudFront the gateway sees CloudFront's address, and a header holds the caller's. Anybody who calls the gateway
directly could forge the header. It is trusted only together with a secret that only CloudFront sends
(infra/front.yaml). Other headers, such as X-Forwarded-For, come from the caller and are never read.
"""

from collections.abc import Mapping

SECRET = "x-origin-secret"  # noqa: S105 (the name of a header)
ADDRESS = "true-client-ip"  # the distribution's function overwrites the caller's value


def is_from_cloudfront(headers: Mapping[str, str], secret: str) -> bool:
    """Return whether a request came through CloudFront; False if `secret` is empty."""
    if not secret:
        return False
    import hmac  # imported here: it loads OpenSSL, and most installations have no front

    return hmac.compare_digest(headers.get(SECRET, "").encode(), secret.encode())
