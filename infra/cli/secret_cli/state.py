"""`secret status` and `secret end`: see whether a link was opened, and take it back."""

import argparse
import json

from . import terminal
from .api import Service
from .config import Config
from .failure import Exit, Failure
from .link import Link, parse, parse_push


def status(options: argparse.Namespace, config: Config) -> None:
    """Print the state of an anonymous push by its manage link, or the audit log of an owner's push.

    Raises: Failure.
    """
    link = parse_push(terminal.read_link())
    if not link.manage_key and not config.token_for(link.base_url):
        raise Failure(Exit.USAGE, "Use the link that was printed for you alone, or set the owner's API token.")
    with _service(link, config) as service:
        what = "status" if link.manage_key else "audit"
        document = service.ask("GET", f"{link.endpoint}/{what}", headers=_headers(link))
    print(json.dumps(document) if options.json else _lines(document))


def end(options: argparse.Namespace, config: Config) -> None:
    """End a push, as its sender or as a recipient who may, or an ask.

    Raises: Failure.
    """
    link = parse(terminal.read_link())
    with _service(link, config) as service:
        ended = service.ask("DELETE", link.endpoint, headers=_headers(link))
    print(json.dumps({"expired": ended["expired"], "expired_on": ended["expired_on"]}) if options.json else "Ended.")


def _service(link: Link, config: Config) -> Service:
    return Service(link.base_url, None if link.manage_key else config.token_for(link.base_url))


def _headers(link: Link) -> dict[str, str]:
    return {"X-Manage-Key": link.manage_key} if link.manage_key else {}


def _lines(document: dict[str, object]) -> str:
    logs = document.get("logs")
    if isinstance(logs, list):
        rows = [f"{entry['created_at']}  {entry['kind']:<20}  {entry['ip']}" for entry in logs]
    else:
        rows = [f"{name:<20}  {'-' if value is None else value}" for name, value in document.items()]
    return terminal.printable("\n".join(rows))
