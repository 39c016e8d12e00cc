"""GET /: the sender's form."""

from collections.abc import Mapping
from typing import Any

from shared import creation, service
from shared.domain import errors, idempotency, limits, passwords
from shared.domain.new_push import Created
from shared.domain.push import FILE, TEXT
from shared.web import answers, body, pages, wire
from shared.web.qr import drawn


@pages.page
def handler(request: pages.Request) -> pages.Answer:
    """Show the form, or make the push and show its link."""
    owner = request.caller.owner
    if not request.settings.anonymous_access and owner is None:
        return pages.Elsewhere("/users/sign_in")
    if request.method == "GET":
        return _form(request, {})
    form = request.owners_form() if owner else request.form()
    if "generate" in form:
        return _form(request, form | {"push[payload]": passwords.generated()})
    return _create(request, form)


def _create(request: pages.Request, form: dict[str, str]) -> pages.Answer:
    parameters = _meant(request.push_parameters(), form)
    try:
        _check_chosen(parameters)
        key = form.get("idempotency_key", "")
        made = creation.create_push(
            parameters,
            request.caller,
            now=request.now,
            key=key if idempotency.is_key(key) else None,
            per_body=True,
        )
    except errors.InvalidPush as refusal:
        return _form(request, form, refusal.fields, 422)
    except errors.TooLarge as refusal:
        sentence = str(refusal) if "direct" in form else "hold more together than a form may without JavaScript"
        return _form(request, form, {"files": [sentence]}, 413)
    except errors.QuotaSpent as refusal:
        field = "files" if parameters.get("files") else "payload"
        return _form(request, form, {field: [str(refusal)]}, 429, answers.waits(refusal))
    return _sent(request, made)


def _meant(parameters: dict[str, Any], form: dict[str, str]) -> dict[str, Any]:
    """What the sender saw when they sent it."""
    # A browser writes every line break as two characters, which a key or a script may not bear.
    meant = dict(parameters)
    for name in ("payload", "note"):
        if isinstance(written := meant.get(name), str):
            meant[name] = written.replace("\r\n", "\n")
    # Files chosen before the sender turned to another kind are out of sight.
    chosen = meant.pop("files", [])
    if "direct" in form:
        chosen = body.json_list(form["direct"])
    return meant | ({"files": chosen} if meant.get("kind") == FILE else {})


def _check_chosen(parameters: dict[str, Any]) -> None:
    if "files" in parameters and not parameters["files"]:
        raise errors.InvalidPush({"files": ["choose at least one"]})


def _sent(request: pages.Request, made: Created) -> pages.Answer:
    shown = wire.created(made, request.base_url)
    link = shown["html_url"]
    # Only the page's own script declares files, and it brings them before it shows this page.
    values = {"push": made.push, "link": link, "picture": drawn(link), "uploads": shown.get("uploads")}
    return pages.Page("sent.html", values)


def _form(
    request: pages.Request,
    form: dict[str, str],
    refused: dict[str, list[str]] | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> pages.Page:
    chosen = request.settings
    with_files = FILE in chosen.kinds and (request.caller.owner is not None or not chosen.file_authentication)
    kinds = [kind for kind in chosen.kinds if kind != FILE or with_files]
    values: dict[str, Any] = {
        "kinds": kinds,
        "with_files": with_files,
        "form": {name.removeprefix("push[").removesuffix("]"): value for name, value in form.items()},
        "refused": refused or {},
        "days": limits.DAYS,
        "views": limits.VIEWS,
        "limit": limits.MAX_PAYLOAD,
        "qr_limit": limits.MAX_QR_CHARACTERS,
        "inline_bytes": limits.MAX_INLINE_BYTES,
        "max_files": limits.MAX_FILES,
        "key": form.get("idempotency_key") or idempotency.new_key(),
        "first_kind": form.get("push[kind]", TEXT),
    }
    return pages.Page("send.html", values, status, headers or {}, uploads=service.upload_origin() if with_files else "")
