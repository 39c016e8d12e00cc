"""The values of the page that shows a secret."""

from datetime import timedelta
from typing import Any

from shared.domain.limits import DOWNLOAD_LIFETIME, QR, URL
from shared.domain.link_host import LinkHost, find_host
from shared.domain.push import Retrieved
from shared.domain.visible import count_invisible, mark_invisible
from shared.web.page_request import Request
from shared.web.qr import draw
from shared.web.sharing import sealed_key_id

MAX_LINK = 8_192  # characters; browsers follow no longer links, and the page contains the link twice
_LONG = 500  # characters; a longer text can be saved as a file
_MARKED = 10_000  # characters in which invisible ones are marked; the page contains them twice


def values(request: Request, result: Retrieved, key: str | None, *, is_repeat: bool) -> dict[str, Any]:
    """Return the variables of the template.

    `key` is the idempotency key, with which a form renews the download links; with a cookie (`is_repeat`), a GET does.
    """
    push, payload = result.push, result.payload or ""
    links_until = result.at + DOWNLOAD_LIFETIME
    if push.views_remaining:  # Renewed links expire with the push, so show that time if it is earlier.
        links_until = min(links_until, push.expires_at)
    return {
        "push": push,
        "payload": payload,
        "files": result.files,
        "is_url": push.kind == URL,
        "host": _host(result),
        "marked": _marked(payload),
        "is_long": len(payload) > _LONG,
        "picture": draw(payload) if push.kind == QR else None,
        "until": links_until,
        "seconds": max(0, (links_until - request.now) // timedelta(seconds=1)),
        "key": key if result.leased_until else None,
        "is_repeat": is_repeat,
        "sealed_key_id": sealed_key_id(push),
        "path_of_link": f"/p/{request.url_token}",
        "anonymous": True,
    }


def _host(result: Retrieved) -> LinkHost | None:
    """Return the host of a push that is a link; None if it is no link, or one that browsers may read differently."""
    payload = result.payload or ""
    return find_host(payload) if result.push.kind == URL and len(payload) <= MAX_LINK else None


def _marked(payload: str) -> tuple[int, list[tuple[str, str]]]:
    """Return the number of invisible characters, and the text with their codes; cut after the first thousands."""
    count = count_invisible(payload)
    return count, mark_invisible(payload[:_MARKED]) if count else []
