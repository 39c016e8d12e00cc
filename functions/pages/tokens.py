"""GET /users/token: an owner's API tokens."""

import re
from collections.abc import Mapping
from datetime import timedelta

from shared.domain import digests, errors, idempotency
from shared.domain.limits import MAX_TOKEN_DAYS, MAX_TOKEN_NAME
from shared.domain.sentence import Sentence
from shared.identity import auth, token_form
from shared.service import cold_start
from shared.web import pages, statuses

cold_start.make_clients("dynamodb")
pages.prepare()

_MAX_DIGITS = 20  # characters; longer text skips the pattern
_DAYS = re.compile(r"0*([0-9]{1,4})")
_BAD_DAYS = Sentence("Days must be a number from 1 to {last}, or empty.", last=MAX_TOKEN_DAYS)
_SESSION_ENDED = Sentence("Your session has ended, and nothing was created.")
_NOTHING: Mapping[str, str] = {}
_STALE = statuses.STATUSES[errors.StaleForm]


@pages.page
def handler(request: pages.Request) -> pages.Answer:
    """Show the API tokens and a newly created one; create one and redirect; or revoke one."""
    if request.caller.session is None:
        return _ask_to_sign_in(request)
    if request.method == "GET":
        return _page(request)
    try:
        form = request.owners_form()
    except errors.StaleForm as refusal:
        return _page(request, request.entered_fields(), problem=refusal.args[0], status=_STALE)
    if "revoke" in form:
        auth.revoke_api_token(request.caller.session.owner, form["revoke"])
        return pages.Redirect("/users/token")
    return _create_token(request, form)


def _create_token(request: pages.Request, form: Mapping[str, str]) -> pages.Answer:
    session = auth.require_session(request.caller)
    name, days = form.get("name", "").strip()[:MAX_TOKEN_NAME], form.get("days", "").strip()
    match = _DAYS.fullmatch(days) if len(days) <= _MAX_DIGITS else None
    if days and not (match and 1 <= int(match[1]) <= MAX_TOKEN_DAYS):
        return _page(request, form, problem=_BAD_DAYS, status=422)
    expires_at = request.now + timedelta(days=int(match[1])) if match else None
    key = idempotency.key_or_none(form.get("idempotency_key", "")) or idempotency.new_key()
    arguments = (request.session_cookie, session, key, name, days)
    receipt = token_form.create_token(*arguments, now=request.now, expires_at=expires_at)
    return pages.Redirect(f"/users/token?created={receipt}")  # so that a reload creates nothing


def _find_new_token(request: pages.Request) -> str | None:
    """Return the API token that was just created.

    Empty more than a minute after its creation; None if there is no such token.
    """
    receipt, session = request.query().get("created", ""), request.caller.session
    if request.method != "GET" or session is None or not digests.is_digest(receipt):
        return None
    return token_form.find_token(request.session_cookie, session, receipt, now=request.now)


def _ask_to_sign_in(request: pages.Request) -> pages.Page:
    """Return the form with the entered fields and a link to sign in.

    Raises: Unauthenticated, if the form is empty, so that nothing would be lost; MalformedRequest.
    """
    typed = request.entered_fields() if request.method == "POST" else {}
    if not (typed.get("name") or typed.get("days")):
        raise errors.Unauthenticated
    return _page(request, typed, problem=_SESSION_ENDED, status=_STALE)


def _page(
    request: pages.Request, typed: Mapping[str, str] = _NOTHING, *, problem: str = "", status: int = 200
) -> pages.Page:
    session, new_token = request.caller.session, _find_new_token(request)
    values = {
        "tokens": auth.list_api_tokens(session.owner, now=request.now) if session else (),
        "address": session.address if session else "",
        "new_token": new_token,
        "key": idempotency.new_key(),
        "problem": problem,
        "is_about_days": problem is _BAD_DAYS,
        "form": {"name": typed.get("name", ""), "days": typed.get("days", "")},
        "base_url": request.base_url,
        "max_name": MAX_TOKEN_NAME,
        "max_days": MAX_TOKEN_DAYS,
    }
    return pages.Page("tokens.html", values, status, offers_languages=new_token is None)
