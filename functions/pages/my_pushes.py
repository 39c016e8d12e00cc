"""GET /pushes: an owner's pushes, and the record of each."""

from collections.abc import Mapping

from shared.domain import errors, networks, seal
from shared.domain.push import Listed
from shared.service import cold_start, pushes
from shared.web import pages
from shared.web.request import next_page

cold_start.make_clients("dynamodb", "secretsmanager")
pages.prepare()


@pages.for_owners
def handler(request: pages.Request) -> pages.Answer:
    """Show a list, or one push with its audit log; expire a push, mail its link, or set its notices."""
    if request.route.endswith("/pushes"):
        return _list(request)
    push_id = request.parameter("id")
    if not seal.is_digest(push_id):
        raise errors.NotFound
    listed = pushes.find_listed(push_id, request.caller, now=request.now)
    return _act(request, listed) if request.method == "POST" else _record(request, listed)


def _list(request: pages.Request) -> pages.Page:
    state = "expired" if request.query().get("state") == "expired" else "active"
    ask = pushes.expired_pushes if state == "expired" else pushes.active_pushes
    page = request.page_number()
    listed, more = ask(request.caller, page, now=request.now)
    values = {"pushes": listed, "state": state, "page": page, "next": next_page(page, more=more)}
    return pages.Page("pushes.html", values)


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
