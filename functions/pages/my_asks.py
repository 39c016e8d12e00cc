"""GET /asks: an owner's asks, the form for a new one, and the page of each with its link."""

from collections.abc import Mapping
from typing import Any

from shared.domain import digests, errors, idempotency, limits
from shared.domain.ask import Opened
from shared.identity import auth
from shared.service import asks, cold_start
from shared.web import choices, pages, qr
from shared.web.request import next_page

cold_start.make_clients("cognito-idp", "dynamodb", "secretsmanager")
pages.prepare()

_EXPORT = "all.json"
_FIELDS = ("message", "name", "expire_after_days", "answers", "files", "max_bytes", "notify_when_answered")
_OF_PUSH = ("expire_after_duration", "expire_after_views", "deletable_by_viewer", "retrieval_step")
_NUMBERS = ("expire_after_days", "answers")  # an empty field is the default
_SIZES = (1, 10, 25, 100, 1024)  # MiB
_VIEWS = (1, 2, 3, 5, 10, 20, 50, 100)
_MIB = 2**20


@pages.page
def handler(request: pages.Request) -> pages.Answer:
    """Show the list, the form, or an ask; create or end an ask; or export a page of the list as JSON."""
    ask_id = "" if request.route.endswith("/asks") else request.parameter("id")
    if ask_id == "new" and request.method == "POST":
        return _create(request)  # also without a session: the form is shown again, with its text
    auth.require_owner(request.caller)
    if not ask_id:
        return _list(request)
    if ask_id == "new":
        return _new(request)
    if request.method == "GET" and ask_id == _EXPORT:
        return _export(request)
    opened = asks.find_own(ask_id, request.caller, now=request.now)
    return _end(request, opened) if request.method == "POST" else _page(request, opened)


def _list(request: pages.Request) -> pages.Page:
    page = request.page_number()
    listed, more = asks.list_asks(request.caller, page, now=request.now)
    values = {
        "asks": listed,
        "now": request.now,
        "links": request.links,
        "page": page,
        "next": next_page(page, more=more),
    }
    return pages.Page("asks.html", values)


def _new(request: pages.Request) -> pages.Page:
    try:
        asks.require_address(request.caller)
    except errors.Forbidden as refusal:
        return _form(request, {}, refusal)
    return _form(request, {})


def _create(request: pages.Request) -> pages.Answer:
    """Create an ask and redirect to its page, so that a reload creates nothing."""
    try:
        form = request.owners_form()
        parameters = _parameters(form)
        key = idempotency.key_or_none(form.get("idempotency_key", ""))
        # The key depends on the fields: a second press is the same ask, a corrected form after "Back" is another one.
        own_key = key and digests.digest(repr((key, parameters)))
        created = asks.create_ask(parameters, request.caller, now=request.now, key=own_key, locale=request.locale)
    except errors.Unauthenticated:  # the session ended, and the browser does not know
        return _form(request, request.entered_fields(), errors.StaleForm())
    except (errors.StaleForm, errors.Forbidden, errors.InvalidPush, errors.Contended) as refusal:
        return _form(request, request.entered_fields(), refusal)
    return pages.Redirect(f"/asks/{created.ask.id}")


def _parameters(form: Mapping[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {name: form[name] for name in _FIELDS if name in form}
    given |= {name: None for name in _NUMBERS if not given.get(name, "").strip()}
    given["message"] = given.get("message", "").replace("\r\n", "\n")
    return given | {"push": {name: form[name] for name in _OF_PUSH if form.get(name)}}


def _form(request: pages.Request, form: Mapping[str, str], refusal: errors.Refusal | None = None) -> pages.Page:
    """Return the page with the form or, after an error, with the entered fields."""
    current = request.settings
    views = sorted({one for one in (*_VIEWS, current.views.default) if current.views.include(one)})
    values = {
        "form": form,
        "may_ask": not isinstance(refusal, errors.Forbidden),
        "refused": refusal.fields if isinstance(refusal, errors.InvalidPush) else {},
        "key": request.kept_key(),
        "days": current.days,
        "answers": limits.ASK_ANSWERS,
        "max_message": limits.MAX_ASK_MESSAGE,
        "max_name": limits.MAX_NAME,
        "sizes": [size * _MIB for size in _SIZES],
        "size": form.get("max_bytes", str(limits.ASK_BYTES.default)),
        "lifetimes": choices.lifetimes(current.days),
        "lifetime": choices.selected_lifetime(form, current.days),
        "views": views,
        "chosen_views": form.get("expire_after_views", str(current.views.default)),
    }
    return pages.with_refusal("ask_form.html", values, refusal)


def _page(request: pages.Request, opened: Opened, refusal: errors.Refusal | None = None) -> pages.Page:
    """Return the page of an ask; after a create it shows the new link."""
    link = request.links.to_ask_page(opened.terms.ask_token)
    values = {
        "opened": opened,
        "ended_on": opened.ask.ended_on(request.now),
        "link": link,
        "picture": qr.draw(link),
        "sealed_key_id": "",
    }
    return pages.with_refusal("ask.html", values, refusal)


def _end(request: pages.Request, opened: Opened) -> pages.Answer:
    try:
        request.owners_form()
    except errors.StaleForm as refusal:
        return _page(request, opened, refusal)
    asks.end_ask(opened.terms.ask_token, request.caller, now=request.now)
    return pages.Redirect("/asks")


def _export(request: pages.Request) -> pages.Asset:
    """Return a page of the list as a file to save, without the links."""
    from shared.web import exports  # loaded here: few requests export

    page = request.page_number()
    listed, more = asks.list_asks(request.caller, page, now=request.now)
    rows = [exports.exported_ask(one, request.links, now=request.now) for one in listed]
    return exports.file(request, f"asks-{page}.json", {"asks": rows}, page=page, more=more)
