"""The files of an owner's pushes and asks; they have no links, because a link opens a push. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shared.web import assets, pages, wire
from shared.web.request import next_page

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from shared.domain.ask import Opened
    from shared.service.export import Exported
    from shared.web.push_links import Links

_OPENING = {"url_token", "html_url", "json_url", "passphrase"}  # fields of a push that the file leaves out


def file(
    request: pages.Request, filename: str, rows: dict[str, list[wire.Json]], *, page: int, more: bool
) -> pages.Asset:
    """Return a page (from 1) of a list as a file to save; `rows` is the list by its name."""
    content: dict[str, Any] = {
        "exported_at": request.now.isoformat(),
        "page": page,
        "next_page": next_page(page, more=more),
        **rows,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    return pages.Asset(text, "application/json; charset=utf-8", assets.NOT_KEPT, filename=filename)


def exported_pushes(exported: Iterable[Exported], links: Links, *, now: datetime) -> list[wire.Json]:
    """Return an owner's pushes with their audit logs."""
    return [
        {
            "id": listed.push.id,
            **{name: value for name, value in pushes[0].items() if name not in _OPENING},
            "ended_by": str(listed.push.ending) if listed.push.is_expired(now) else None,
            "logs": None if entries is None else wire.audit_log(entries)["logs"],
        }
        for listed, entries in exported
        for pushes in [wire.listed_pushes([listed], links, now=now)]
    ]


def exported_ask(opened: Opened, links: Links, *, now: datetime) -> wire.Json:
    """Return an ask."""
    shown = wire.ask(opened, links, now=now)
    del shown["ask_token"], shown["html_url"]
    return {"id": opened.ask.id, **shown}
