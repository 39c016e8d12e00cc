"""The template variables to share a link: the link, its QR code and a message to paste."""

from typing import Any

from shared.domain import base64url
from shared.domain.push import Push
from shared.web import html, page_request
from shared.web.qr import draw


def sealed_key_id(push: Push) -> str:
    """Return the id of the key that the page's script must find in the address; empty without one."""
    return base64url.encode(push.sealed_key_id or b"")


def sharing_values(request: page_request.Request, push: Push) -> dict[str, Any]:
    """Return the variables for an active push, in the language of the query's `push_locale`."""
    link, spoken = request.links.to_page(push, request.url_token), request.links.locale or request.locale
    return {
        "push": push,
        "link": link,
        # The page's script draws it, since only the page knows the whole link.
        "picture": None if push.sealed_key_id else draw(link),
        "sealed_key_id": sealed_key_id(push),
        "push_locale": request.links.locale,
        "message": html.text("message.txt", {"push": push, "link": link}, spoken),
        "message_locale": spoken,
    }
