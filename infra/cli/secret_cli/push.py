"""`secret push`: create a push and print its link."""

import argparse
import json
import mimetypes
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from . import seal, terminal, transfer
from .api import Service
from .config import Config

_PIECE = 65_536  # bytes
_UNKNOWN_TYPE = "application/octet-stream"


def run(options: argparse.Namespace, config: Config) -> None:
    """Create the push, upload its files and print the link.

    Raises: Failure.
    """
    base_url = config.require_base_url()
    text = terminal.read_secret() if options.text or not options.files else ""
    key = seal.Key.new() if options.seal else None
    passphrase = terminal.read_passphrase(options.passphrase_file, is_asked=options.passphrase)
    contents = _contents(options, text, key)
    push = _limits(options) | contents | ({"passphrase": passphrase} if passphrase else {})
    headers = {"Idempotency-Key": secrets.token_urlsafe(32)}  # one for this run: a retry creates no second push
    with Service(base_url, config.token) as service:
        created = service.ask("POST", "/api/v2/pushes", headers=headers, body={"push": push})
        if options.files:
            _upload(service, created, options.files, [one["size"] for one in contents["files"]], key)
    _print(created, key, as_json=options.json)


def _limits(options: argparse.Namespace) -> dict[str, Any]:
    wanted = {
        "kind": options.kind,
        "name": options.name,
        "expire_after_days": options.days,
        "expire_after_views": options.views,
        "allowed_ips": options.allowed_ips,
        "retrieval_step": options.confirm,
        "deletable_by_viewer": options.deletable,
    }
    return {field: value for field, value in wanted.items() if value is not None}


def _contents(options: argparse.Namespace, text: str, key: seal.Key | None) -> dict[str, Any]:
    """Return payload and declared files, sealed if there is a key: then the service does not even see names."""
    files = [_described(path) for path in options.files]
    if key is None:
        declared = [{"filename": one["name"], "content_type": one["type"], "size": one["size"]} for one in files]
        return {"payload": text} | ({"files": declared} if files else {})
    payload = seal.seal_list(key, text, files) if files else seal.seal_text(key, text)
    declared = [
        {"filename": str(number), "content_type": _UNKNOWN_TYPE, "size": seal.sealed_size(one["size"])}
        for number, one in enumerate(files, 1)
    ]
    return {"payload": payload, "sealed_by": "sender"} | ({"files": declared} if files else {})


def _described(path: Path) -> dict[str, Any]:
    return {"name": path.name, "type": mimetypes.guess_type(path.name)[0] or _UNKNOWN_TYPE, "size": path.stat().st_size}


def _upload(
    service: Service, created: dict[str, Any], paths: list[Path], sizes: list[int], key: seal.Key | None
) -> None:
    """Bring the files, or end the push: without all of them nobody can retrieve it."""

    def encode(number: int, content: BinaryIO) -> Iterator[bytes]:
        return seal.seal_file(key, number, content) if key else iter(lambda: content.read(_PIECE), b"")

    try:
        transfer.upload_all(paths, created["uploads"], sizes, encode)
    except BaseException:
        terminal.say("Not all files arrived, so the push is ended.")
        service.ask("DELETE", f"/api/v2/pushes/{created['url_token']}", headers=_manage(created))
        raise


def _manage(created: dict[str, Any]) -> dict[str, str]:
    manage_url = created.get("manage_url")
    return {"X-Manage-Key": manage_url.rsplit("/", 1)[-1]} if manage_url else {}


def _print(created: dict[str, Any], key: seal.Key | None, *, as_json: bool) -> None:
    link = created["html_url"] + (f"#{key.fragment}" if key else "")
    if as_json:
        wanted = ("url_token", "manage_url", "expires_at", "expire_after_views", "ignored")
        print(json.dumps({"link": link} | {name: created[name] for name in wanted if name in created}))
        return
    print(link)
    if manage_url := created.get("manage_url"):
        terminal.say(f"For you alone, to see its state or end it: {manage_url}")
