"""GET /p/{url_token}: the recipient's page."""

from typing import Any

from functions import retrieve
from shared import api, errors, service, site
from shared.push import QR, URL, Push, Retrieved
from shared.qr import drawn

GONE = site.Page("gone.html", {"anonymous": True})


def handler(event: api.Event, context: object) -> api.Event:
    """One route takes `/p/{url_token}` and `/p/{url_token}.json`: retrieve serves the latter."""
    return (retrieve.handler if event["rawPath"].endswith(".json") else _page)(event, context)


@site.page
def _page(request: site.Request) -> site.Answer:
    """Answer with one page for all that is over or never was, so that nobody learns which."""
    try:
        push = service.preview_push(request.url_token, request.caller, now=request.now)
    except errors.NotFound:
        return GONE
    if push.is_expired(request.now):
        return GONE
    if request.route.endswith("/expire"):
        return _expire(request, push)
    # A link preview or a scanner only GETs; a person presses the button.
    if request.method == "GET" and (push.retrieval_step or push.is_protected):
        return _step(push)
    return _reveal(request, push)


def _step(push: Push, refusal: errors.Refusal | None = None) -> site.Page:
    status = site.refused_status(refusal) if refusal else 200
    return site.Page("step.html", {"push": push, "refusal": refusal, "anonymous": True}, status)


def _reveal(request: site.Request, push: Push) -> site.Answer:
    passphrase = request.form.get("passphrase", "") if request.method == "POST" else ""
    try:
        result = service.retrieve_push(request.url_token, passphrase, request.caller, now=request.now)
    except (errors.PassphraseRefused, errors.TooManyAttempts, errors.FilesMissing) as refusal:
        return _step(push, refusal)
    if result.payload is None:
        return GONE
    return site.Page("revealed.html", _shown(request, result))


def _shown(request: site.Request, result: Retrieved) -> dict[str, Any]:
    push = result.push
    return {
        "push": push,
        "payload": result.payload,
        "files": result.files,
        "is_url": push.kind == URL,
        "picture": drawn(result.payload or "") if push.kind == QR else None,
        "days": push.days_remaining(request.now),
        "expire_path": f"/p/{request.url_token}/expire",
        "anonymous": True,
    }


def _expire(request: site.Request, push: Push) -> site.Answer:
    # No owner's rights here: the form has no token of a session, so another page might have sent it.
    if not push.deletable_by_viewer:
        raise errors.Forbidden
    if request.form.get("sure"):
        service.expire_push(request.url_token, request.caller, now=request.now)
        return site.Page("deleted.html", {"anonymous": True})
    raise errors.ForgedForm
