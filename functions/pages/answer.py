"""GET /a/{ask_token}: the page behind an ask's link, to send the asker a secret without an account."""

import json
from collections.abc import Mapping
from typing import Any

from shared.domain import errors, idempotency, limits
from shared.domain.ask import Opened
from shared.domain.new_push import Created
from shared.domain.sentence import Sentence
from shared.service import answers, cold_start
from shared.web import body, pages, statuses, wire

cold_start.make_clients("dynamodb", "secretsmanager")
pages.prepare()

FAILED = Sentence("That did not work just now. Please try again.")
_ANYBODY = {"anonymous": True}  # no page of an ask shows who is signed in


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Show the form; for a POST, send the answer, and redirect to the thank-you. An ask that is over is 410."""
    if request.route.endswith("/thanks"):
        return pages.Page("answered.html", _ANYBODY)
    try:
        if request.method == "GET":
            return _form(request, answers.find_open(request.ask_token, now=request.now))
        return _answer(request, request.form())
    except errors.NotFound:
        return pages.Page("ask_over.html", _ANYBODY, 410)


def _answer(request: pages.Request, form: dict[str, str]) -> pages.Answer:
    key = idempotency.key_or_none(form.get("idempotency_key", ""))
    caller, parameters = request.build_caller(None), _parameters(request, form)
    try:
        created = answers.answer_ask(request.ask_token, parameters, caller, now=request.now, key=key)
    except (errors.InvalidPush, errors.TooLarge, errors.QuotaSpent, errors.Contended) as refusal:
        return _form(request, answers.find_open(request.ask_token, now=request.now), form, refusal)
    return _show_thanks(request, created)


def _parameters(request: pages.Request, form: Mapping[str, str]) -> dict[str, Any]:
    """Return what was entered, with the line breaks of the sender's system."""
    entered = request.push_parameters()
    payload, files = entered.get("payload"), entered.get("files")
    if isinstance(payload, str):
        payload = payload.replace("\r\n", "\n")  # browsers send CR LF, which would break an SSH key
    if "direct" in form:
        files = body.json_list(form["direct"])
    return {"payload": payload} | ({"files": files} if files else {})


def _show_thanks(request: pages.Request, created: Created) -> pages.Answer:
    page = f"/a/{request.ask_token}/thanks"
    if "application/json" not in request.header("accept"):
        return pages.Redirect(page)
    # Only the page's script accepts JSON: it uploads the files, then opens the page.
    content = json.dumps({"preview": page, "uploads": wire.uploads(created)})
    return pages.Asset(content, statuses.HEADERS["content-type"], "no-store", 201)


def _form(
    request: pages.Request,
    opened: Opened,
    form: Mapping[str, str] | None = None,
    refusal: errors.Refusal | None = None,
) -> pages.Page:
    """Return the page with the form or, after an error, with the entered text."""
    key = request.entered_fields().get("idempotency_key", "") if form else ""
    values = _ANYBODY | {
        "terms": opened.terms,
        "expires_at": opened.ask.expires_at,
        "payload": (form or {}).get("push[payload]", ""),
        "key": idempotency.key_or_none(key) or idempotency.new_key(),
        "refused": refusal.fields if isinstance(refusal, errors.InvalidPush) else {},
        "max_files": limits.MAX_FILES,
        "inline_bytes": min(limits.MAX_INLINE_BYTES, opened.terms.max_bytes),
        "sentence": FAILED if isinstance(refusal, errors.Contended) else refusal,
    }
    return pages.with_refusal("answer.html", values, refusal)
