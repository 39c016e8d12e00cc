"""GET /a/{ask_token}: the page behind an ask's link, to send the asker a secret without an account."""

from collections.abc import Mapping

from shared.domain import errors, idempotency
from shared.domain.link_host import find_host
from shared.domain.visible import mark_invisible
from shared.service import answers, cold_start, pushes
from shared.web import pages, push_form

cold_start.make_clients("dynamodb", "secretsmanager")
pages.prepare()

_ANYBODY = {"anonymous": True}  # no page of an ask shows who is signed in


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Show the form; for a POST, send the answer, and redirect to the thank-you. Return 410 if the ask has ended."""
    if request.route.endswith("/thanks"):
        return pages.Page("answered.html", _ANYBODY)
    try:
        return _form(request) if request.method == "GET" else _answer(request, request.form())
    except errors.NotFound:
        return pages.Page("ask_over.html", _ANYBODY, 410)


def _answer(request: pages.Request, form: dict[str, str]) -> pages.Answer:
    if "language" in form:  # also in the query, which sets the page's language
        return _form(request, form)
    entered, key = request.push_parameters(), idempotency.key_or_none(form.get("idempotency_key", ""))
    parameters = {"payload": push_form.text(entered.get("payload")), "files": push_form.files(entered, form)}
    try:
        created = answers.answer_ask(
            request.ask_token, parameters, request.build_caller(None), now=request.now, key=key
        )
    except (errors.InvalidPush, errors.TooLarge, errors.QuotaSpent, errors.Contended) as refusal:
        return _form(request, form, refusal)
    return push_form.show_created(request, created, f"/a/{request.ask_token}/thanks")


def _form(
    request: pages.Request, form: Mapping[str, str] | None = None, refusal: errors.Refusal | None = None
) -> pages.Page:
    """Return the page with the form or, after an error, with the entered text. Raises: NotFound."""
    terms = answers.find_open(request.ask_token, now=request.now).terms
    with_files = terms.files and request.settings.file_attachments
    values = push_form.LIMITS | {
        "asker": mark_invisible(_spelled(terms.address)),
        "message": mark_invisible(terms.message),
        "payload": (form or {}).get("push[payload]", ""),
        "key": request.kept_key(),
        "is_again": form is not None,
        "with_files": with_files,
        "max_bytes": terms.max_bytes,
        "inline_bytes": min(push_form.LIMITS["inline_bytes"], terms.max_bytes),
        "max_file_size": min(request.settings.max_file_size, terms.max_bytes),
        "refused": _refused_fields(refusal, form or {}, "files" if with_files else "payload"),
        "offers_languages": True,
    }
    page = pages.with_refusal("answer.html", values | _ANYBODY, refusal)
    return page._replace(uploads=pushes.files_origin() if with_files else "")


def _spelled(address: str) -> str:
    """Return an e-mail address with an unmistakable host: Punycode, if it could be confused with another."""
    user, at, domain = address.rpartition("@")
    host = find_host(f"https://{domain}")
    return f"{user}{at}{host.name}{domain[len(host.written) :]}" if host else address


def _refused_fields(refusal: errors.Refusal | None, form: Mapping[str, str], largest: str) -> Mapping[str, list[str]]:
    """Return the messages of a refusal by field; `largest` is the field to shorten."""
    if isinstance(refusal, errors.InvalidPush):
        return refusal.fields
    if not isinstance(refusal, errors.TooLarge):
        return {}
    is_own = "direct" in form or refusal.args[0] in (answers.TOO_LARGE, answers.NO_ROOM)
    return {largest: [refusal.args[0] if is_own else push_form.TOO_MUCH_WITHOUT_SCRIPT]}
