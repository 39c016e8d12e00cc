"""GET /pushes: an owner's pushes, and the record of each."""

from collections.abc import Collection, Mapping
from datetime import timedelta

from shared.domain import errors, networks
from shared.domain.push import Listed
from shared.service import cold_start, pushes
from shared.web import pages
from shared.web.request import next_page

cold_start.make_clients("dynamodb", "secretsmanager")
pages.prepare()

_SOON = timedelta(days=1)
_CHOSEN = "expire-"  # and the push's id: the name of a check box of the list
_LISTS = {"active": pushes.active_pushes, "expired": pushes.expired_pushes}


@pages.for_owners
def handler(request: pages.Request) -> pages.Answer:
    """Show a list, or one push with its audit log; expire pushes, mail a link, set notices, or export as JSON."""
    if request.route.endswith("/pushes"):
        return _list(request)
    push_id = request.parameter("id")
    if push_id == "several":  # a sign-in in between leads here by GET
        return _expire_several(request) if request.method == "POST" else pages.Redirect("/pushes")
    if request.method == "GET" and push_id.endswith(".json"):
        return _export(request, push_id.removesuffix(".json"))
    listed = pushes.find_listed(push_id, request.caller, now=request.now)
    return _act(request, listed) if request.method == "POST" else _record(request, listed)


def _list(request: pages.Request, refusal: errors.Refusal | None = None, chosen: Collection[str] = ()) -> pages.Page:
    query = request.readable_query
    state = "expired" if query.get("state") == "expired" else "active"
    page = request.page_number()
    listed, more = _LISTS[state](request.caller, page, now=request.now)
    values = {
        "pushes": listed,
        "state": state,
        "page": page,
        "next": next_page(page, more=more),
        "links": request.links,
        "soon": request.now + _SOON,
        "chosen": chosen,
        "done": _count(query.get("done")),
        "failed": _count(query.get("failed")) or 0,
    }
    return pages.with_refusal("pushes.html", values, refusal)


def _count(text: str | None) -> int | None:
    """Return a number of pushes from the query, which anybody can write; None if it is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 2 else None  # noqa: PLR2004 (50)


def _expire_several(request: pages.Request) -> pages.Answer:
    """Expire the chosen pushes, or the one whose button was pressed; the next page says how many."""
    form = request.form()
    chosen = [name.removeprefix(_CHOSEN) for name in form if name.startswith(_CHOSEN)]
    try:
        form = request.owners_form()
    except errors.StaleForm as refusal:
        return _list(request, refusal, chosen)
    wanted = [form["only"]] if "only" in form else chosen
    done, failed = pushes.expire_several(wanted, request.caller, now=request.now)
    return pages.Redirect(f"/pushes?done={done}&failed={failed}")


def _export(request: pages.Request, name: str) -> pages.Asset:
    """Return a page of a list, or one push, with the audit logs, as a file to save."""
    from shared.service import export  # loaded here, with the next: few requests export
    from shared.web import exports

    page, more = 1, False
    if name in _LISTS:
        page = request.page_number()
        listed, more = _LISTS[name](request.caller, page, now=request.now)
    else:
        listed = [pushes.find_listed(name, request.caller, now=request.now)]
    rows = exports.exported_pushes(export.with_logs(listed), request.links, now=request.now)
    return exports.file(request, f"pushes-{name[:12]}-{page}.json", {"pushes": rows}, page=page, more=more)


def _act(request: pages.Request, listed: Listed) -> pages.Answer:
    try:
        form = request.owners_form()
    except errors.StaleForm as refusal:
        return _record(request, listed, refusal)
    if "notify_emails_to" in form:
        return _mail(request, listed, form)
    if "notify_when_viewed" in form:
        pushes.set_notices(listed.push, is_on=form["notify_when_viewed"] == "true")
        return pages.Redirect(f"/pushes/{listed.push.id}")
    if "expire" not in form:
        raise errors.ForgedForm
    pushes.expire_push(listed.label.url_token, request.caller, now=request.now)
    return pages.Redirect(f"/pushes/{listed.push.id}")


def _mail(request: pages.Request, listed: Listed, form: Mapping[str, str]) -> pages.Answer:
    from shared.service import mailing  # imported here: few requests send mail

    try:
        mailing.mail_link(listed.label.url_token, form, request.caller, now=request.now)
    except (errors.InvalidPush, errors.QuotaSpent) as refusal:
        return _record(request, listed, refusal, form)
    return pages.Redirect(f"/pushes/{listed.push.id}")


def _record(
    request: pages.Request, listed: Listed, refusal: errors.Refusal | None = None, mail: Mapping[str, str] | None = None
) -> pages.Page:
    page = request.page_number()
    entries, more = pushes.audit_log(listed.push, page)
    is_expired = listed.push.is_expired(request.now)
    values = {
        "push": listed.push,
        "label": listed.label,
        "link": request.links.to_page(listed.push, listed.label.url_token),
        "entries": entries,
        "page": page,
        "next": next_page(page, more=more),
        "is_expired": is_expired,
        "mails_links": request.settings.mails_links,
        "sends_notices": bool(listed.push.notify_when_viewed),
        "mail": mail or {},
        "refused": refusal.fields if isinstance(refusal, errors.InvalidPush) else {},
        "networks": networks.texts(listed.push.networks or b""),
        "missing": () if is_expired else pushes.missing_files(listed),
    }
    return pages.with_refusal("record.html", values, refusal)
