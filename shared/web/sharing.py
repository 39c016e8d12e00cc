"""The template variables to share a link: the link, its QR code and a message to paste."""

from typing import Any

from shared.domain.push import Push
from shared.web import html, page_request
from shared.web.qr import draw


def sharing_values(request: page_request.Request, push: Push) -> dict[str, Any]:
    """Return the variables for an active push, in the language of the query's `push_locale`."""
    link, spoken = request.links.to_page(push, request.url_token), request.links.locale or request.locale
    return {
        "push": push,
        "link": link,
        "picture": draw(link),
        "push_locale": request.links.locale,
        "message": html.text("message.txt", {"push": push, "link": link}, spoken),
        "message_locale": spoken,
    }
