"""`secret ask`: create a link by which people without an account send you a secret, or list those links."""

import argparse
import json
import secrets
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from . import terminal
from .api import Service
from .config import Config
from .failure import Exit, Failure

_PATH = "/api/v2/asks"
_MAX_PAGES = 200  # the service lists no more
_TITLE = 60  # characters
_PRINTED = ("ask_token", "answers", "expires_at")


def run(options: argparse.Namespace, config: Config) -> None:
    """Create an ask and print its link, or list the caller's asks.

    Raises: Failure.
    """
    base_url = config.require_base_url()
    if not config.token:
        raise Failure(Exit.USAGE, "Who asks? Set SECRET_TOKEN, or token in the configuration file.")
    fields = {} if options.list else _fields(options)
    with Service(base_url, config.token) as service:
        if options.list:
            _print_list(list(_asks(service)), as_json=options.json)
        else:
            _create(service, fields, as_json=options.json)


def _fields(options: argparse.Namespace) -> dict[str, Any]:
    wanted = {
        "message": _message(options.message),
        "name": options.name,
        "answers": options.answers,
        "files": options.files,
        "expire_after_days": options.days,
        "notify_when_answered": options.mail,
        "push": None if options.views is None else {"expire_after_views": options.views},
    }
    return {field: value for field, value in wanted.items() if value is not None}


def _message(given: str | None) -> str:
    if given is None and sys.stdin.isatty():
        raise Failure(Exit.USAGE, 'What do you ask for? For example: secret ask "The router\'s password, please"')
    return terminal.read_secret() if given is None else given


def _create(service: Service, fields: dict[str, Any], *, as_json: bool) -> None:
    headers = {"Idempotency-Key": secrets.token_urlsafe(32)}  # one for this run: a retry creates no second ask
    created = service.ask("POST", _PATH, headers=headers, body={"ask": fields})
    link = created["html_url"]
    print(json.dumps({"link": link} | {name: created[name] for name in _PRINTED}) if as_json else link)


def _asks(service: Service) -> Iterator[dict[str, Any]]:
    """Yield all asks, newest first; the page after the last one is empty."""
    for page in range(1, _MAX_PAGES + 1):
        asks = service.ask("GET", f"{_PATH}?page={page}")
        if not asks:
            return
        yield from asks


def _print_list(asks: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asks))
        return
    for one in asks:
        state = f"over since {one['expired_on']}" if one["expired"] else f"open until {one['expires_at']}"
        answered = f"{one['answers'] - one['answers_remaining']} of {one['answers']} answers"
        title = textwrap.shorten(one["name"] or one["message"], _TITLE, placeholder="…")
        print(terminal.printable(f"{one['html_url']}  {state}  {answered}  {title}"))
