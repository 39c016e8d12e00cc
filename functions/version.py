"""GET /api/v2/version: return the version and the features, with any API token or none."""

from typing import TYPE_CHECKING, Any

from shared import __version__
from shared.web import api

if TYPE_CHECKING:
    from shared.runtime.settings import Settings

REFERENCE = "2.11.4"  # the Password Pusher release with the same API; clients reject releases that are too old


@api.public
def handler(request: api.Request) -> api.Response:
    """Return 200. API v1's version has no features."""
    if "/api/v1/" in request.route:
        return api.ok(_identity("1.5"))
    return api.ok({**_identity("2.1"), "features": _features(request.settings)})


def _identity(api_version: str) -> dict[str, Any]:
    return {
        # Our release is build metadata, which version comparisons ignore (Semantic Versioning 2.0.0, 10).
        "application_version": f"{REFERENCE}+{__version__}",
        "api_version": api_version,
        "edition": "oss",
    }


def _features(settings: "Settings") -> dict[str, Any]:
    return {
        "anonymous_access": settings.anonymous_access,
        "api_token_authentication": True,
        "accounts": {"enabled": False},
        "pushes": {
            "enabled": True,
            "email_auto_dispatch": settings.mails_links,
            "file_attachments": {
                "enabled": settings.file_attachments,
                "requires_authentication": settings.file_authentication,
            },
            "url_pushes": {"enabled": settings.url_pushes},
            "qr_code_pushes": {"enabled": settings.qr_code_pushes},
        },
        "requests": {"enabled": False},
    }
