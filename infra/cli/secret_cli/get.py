"""`secret get`: retrieve a secret once, and again without another view if the answer was lost."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from . import pending, seal, terminal, transfer
from .api import Service
from .config import Config
from .failure import Exit, Failure
from .link import Link, parse_push


def run(options: argparse.Namespace, config: Config) -> None:
    """Read the link, check that its key fits, claim a view, and write what it holds.

    Raises: Failure.
    """
    link = parse_push(terminal.read_link())
    passphrase = terminal.read_passphrase(options.passphrase_file, is_asked=options.passphrase)
    with Service(link.base_url, config.token_for(link.base_url)) as service:
        key = _fitting_key(link, service.ask("GET", f"{link.endpoint}/preview"))
        with pending.view(link) as view:
            push = _retrieve(service, link, passphrase, view.key)
            text, names = _opened(push, key)
            files = sorted(push["files"], key=lambda one: int(one["filename"])) if key else push["files"]
            saved = transfer.download_all(files, names, options.output, lambda *file: _decoded(key, *file))
            _write(push, text, [str(path) for path in saved], options.json, view)


def _retrieve(service: Service, link: Link, passphrase: str | None, idempotency_key: str) -> dict[str, Any]:
    headers = {"Idempotency-Key": idempotency_key}
    if passphrase:
        headers["X-Passphrase"] = quote(passphrase, safe="")
    push: dict[str, Any] = service.ask("GET", link.endpoint, headers=headers)
    if push["expired"]:
        raise Failure(Exit.GONE, "This link has expired, was opened the allowed number of times, or was deleted.")
    return push


def _fitting_key(link: Link, preview: dict[str, Any]) -> seal.Key | None:
    """Return the link's key, or None for a push that its sender did not seal. Nothing is claimed yet.

    Raises: Failure, if the key is missing or is another push's.
    """
    if preview.get("sealed_by") != "sender":
        return None
    if link.key is None:
        raise Failure(
            Exit.INCOMPLETE_LINK, "The link is not whole: the key behind # is missing or cut off. No view was used."
        )
    if link.key.id != preview.get("sealed_key_id"):
        raise Failure(Exit.INCOMPLETE_LINK, "The key behind # does not fit this link. No view was used.")
    return link.key


def _opened(push: dict[str, Any], key: seal.Key | None) -> tuple[str, list[str]]:
    """Return the text and the files' names: of a sealed push both are in the payload, and files are called 1, 2, 3."""
    names = [one["filename"] for one in push["files"]]
    if key is None:
        return push["payload"] or "", names
    try:
        text, listed = seal.open_payload(key, push["payload"])
    except seal.Unopenable:
        raise Failure(Exit.FAILED, "The service returned something that this link's key does not open.") from None
    if sorted(names) != sorted(map(str, range(1, len(listed) + 1))):
        raise Failure(Exit.FAILED, "The service did not return the files that the sender sealed.")
    return text, listed


def _decoded(key: seal.Key | None, number: int, arrived: Iterable[bytes]) -> Iterator[bytes]:
    try:
        yield from seal.open_file(key, number, arrived) if key else arrived
    except seal.Unopenable:
        raise Failure(Exit.FAILED, "A file was changed or cut on its way. Nothing of it was saved.") from None


def _write(push: dict[str, Any], text: str, saved: list[str], as_json: bool, view: pending.Pending) -> None:
    """Write the answer byte for byte; a terminal gets no control characters, and may ask again for the exact bytes."""
    if as_json:
        answer = {"payload": text, "files": saved, "views_remaining": push["views_remaining"]}
        print(json.dumps(answer | {"expires_at": push["expires_at"], "kind": push["kind"]}))
    elif sys.stdout.isatty():
        print(terminal.printable(text))
        view.is_kept = terminal.printable(text) != text
        if view.is_kept:
            terminal.say(
                "It has characters that cannot be seen. Within a minute: secret get > FILE, for the exact text."
            )
    else:
        sys.stdout.buffer.write(text.encode())
    sys.stdout.flush()
    if saved and not as_json:
        terminal.say(f"Saved: {', '.join(saved)}")
