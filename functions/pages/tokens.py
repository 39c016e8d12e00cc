"""GET /users/token: an owner's API tokens."""

import re
from datetime import timedelta

from shared import auth
from shared.web import pages

MAX_NAME = 100
MAX_DAYS = 3_650
_MAX_DIGITS = 20  # characters that a pattern is tried on
_DAYS = re.compile(r"0*([0-9]{1,4})")


@pages.for_owners
def handler(request: pages.Request) -> pages.Answer:
    """Show the tokens; make one, which is shown this once; or revoke one."""
    session = auth.require_session(request.caller)
    if request.method == "GET":
        return _list(request)
    form = request.owners_form()
    if "revoke" in form:
        auth.revoke_api_token(session.owner, form["revoke"])
        return pages.Elsewhere("/users/token")
    name, days = form.get("name", "").strip()[:MAX_NAME], form.get("days", "").strip()
    match = _DAYS.fullmatch(days) if len(days) <= _MAX_DIGITS else None
    if days and not (match and 1 <= int(match[1]) <= MAX_DAYS):
        return _list(request, problem=f"Days must be a number from 1 to {MAX_DAYS}, or nothing.")
    expires_at = request.now + timedelta(days=int(match[1])) if match else None
    made = auth.issue_api_token(session.owner, name, now=request.now, expires_at=expires_at, proven_at=session.proof)
    return _list(request, made=made)


def _list(request: pages.Request, *, made: str = "", problem: str = "") -> pages.Page:
    session = auth.require_session(request.caller)
    values = {
        "tokens": auth.api_tokens(session.owner, now=request.now),
        "made": made,
        "problem": problem,
        "base_url": request.base_url,
        "address": session.address,
        "max_name": MAX_NAME,
        "max_days": MAX_DAYS,
    }
    return pages.Page("tokens.html", values, 422 if problem else 200)
