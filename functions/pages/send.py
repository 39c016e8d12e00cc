"""GET /: the sender's form. After a create it redirects to the page with the link, so that a reload creates nothing."""

import re
from collections.abc import Mapping
from typing import Any

from shared.domain import errors, idempotency, limits, mail_rules, passwords
from shared.domain.fields import is_blank
from shared.domain.limits import FILE, TEXT, URL
from shared.domain.mail import LOCALE, TO
from shared.domain.new_push import Created
from shared.domain.sentence import Sentence
from shared.domain.web_address import is_web_address
from shared.service import cold_start, create, pushes
from shared.web import choices, cookies, generator, languages, pages, push_form

cold_start.make_clients("dynamodb", "secretsmanager")
pages.prepare()

LIMITS = push_form.LIMITS | {"limit": limits.MAX_PAYLOAD, "qr_limit": limits.MAX_QR_CHARACTERS}
SIGNED_OUT = Sentence("You have been signed out since this form was shown. Sign in in another tab, then send it again.")
SIGNED_OUT_OR_ANYBODY = Sentence(
    "You have been signed out since this form was shown. Sign in in another tab, then send it again,"
    " or send it without an account."
)
FILES_NEED_AN_OWNER = Sentence("You need to sign in to send files. Sign in in another tab, then send the form again.")
CHOOSE_ONE = Sentence("choose at least one file")
HTTPS = "https://"
_MAX_HOST = 255  # characters; longer text skips the pattern
_END_OF_HOST = re.compile(r"[/?#]")
_HOST = re.compile(r"[\w.-]+\.\w+(:\d+)?")
# Fields in the folded part of the form.
FOLDED = {"allowed_ips", "name", "note", "notify_when_viewed", TO, LOCALE}


@pages.page
def handler(request: pages.Request) -> pages.Answer:
    """Show the form, or create the push and redirect to the page with its link."""
    if request.method == "GET":
        is_closed = request.caller.owner is None and not request.settings.anonymous_access
        return pages.Redirect("/users/sign_in") if is_closed else _form(request, request.choices)
    form = request.form()
    try:
        return _answer(request, form)
    except errors.StaleForm as refusal:
        return _form(request, request.entered_fields(), refusal)
    except errors.Unauthenticated:
        return _form(request, form, errors.Unauthenticated(FILES_NEED_AN_OWNER))
    except errors.InvalidPush as refusal:
        return _form(request, form, refusal, refusal.fields)
    except errors.TooLarge as refusal:
        sentence = refusal.args[0] if "direct" in form else push_form.TOO_MUCH_WITHOUT_SCRIPT
        return _form(request, form, refusal, {"files": [sentence]})


def _answer(request: pages.Request, form: dict[str, str]) -> pages.Answer:
    _check_sender(request, form)
    if "language" in form:  # also in the query, which sets the page's language
        return _form(request, form)
    if "generate" in form:
        return _form(request, generator.fill_in(form))
    if "undo" in form:
        return _form(request, generator.undo(form))
    parameters = _submitted_parameters(request.push_parameters(), form)
    _check_files_chosen(parameters)
    key = idempotency.key_or_none(form.get("idempotency_key", ""))
    try:
        return _show_created(request, _create(request, parameters, key))
    except errors.QuotaSpent as refusal:
        return _form(request, form, refusal, {_field_over_quota(refusal, parameters): [refusal.args[0]]})
    except errors.Contended as refusal:
        return _form(request, form, refusal)


def _field_over_quota(refusal: errors.QuotaSpent, parameters: Mapping[str, Any]) -> str:
    """Return the name of the field that exceeds a quota."""
    if refusal.args[0] in (mail_rules.SPENT, mail_rules.FULL):
        return TO
    return "files" if parameters.get("files") else "payload"


def _check_sender(request: pages.Request, form: Mapping[str, str]) -> None:
    """Check that the form was shown to this sender: to the same owner, or to an anonymous caller.

    Otherwise an anonymous push could become an account's, or the reverse. Raises: StaleForm.
    """
    settings = request.settings
    if request.caller.owner is not None:
        request.owners_form()
    elif "form_token" in form or not settings.anonymous_access:
        needs_owner = (form.get("push[kind]") == FILE and settings.file_authentication) or not settings.anonymous_access
        raise errors.StaleForm(SIGNED_OUT if needs_owner else SIGNED_OUT_OR_ANYBODY)


def _create(request: pages.Request, parameters: dict[str, Any], key: str | None) -> Created:
    # `per_body`: after a correction, the same key creates another push instead of repeating the first response.
    return create.create_push(parameters, request.caller, now=request.now, key=key, per_body=True)


def _show_created(request: pages.Request, created: Created) -> pages.Answer:
    form, key = request.form(), created.manage_key
    page = f"/m/{created.url_token}/{key}" if key else f"/p/{created.url_token}/preview"
    cookie = cookies.choices(created.push, passwords.recipe(form))
    if language := languages.match_tag(form.get("push_locale", "")):
        page += f"?push_locale={language}"
    return push_form.show_created(request, created, page, cookie)


def _submitted_parameters(parameters: dict[str, Any], form: dict[str, str]) -> dict[str, Any]:
    """Return the parameters as the sender saw them in the form."""
    submitted = parameters | {name: push_form.text(parameters.get(name)) for name in ("payload", "note")}
    if submitted.get("kind") == URL and isinstance(text := submitted.get("payload"), str):
        submitted["payload"] = ("https" in form) * HTTPS + text.strip()
    if not is_blank(submitted.get(TO)):
        submitted[LOCALE] = form.get("push_locale", "")
    # Ignore files chosen before the sender switched to another kind.
    submitted.pop("files", None)
    return submitted | ({"files": push_form.files(parameters, form)} if submitted.get("kind") == FILE else {})


def _check_files_chosen(parameters: dict[str, Any]) -> None:
    if "files" in parameters and not parameters["files"]:
        raise errors.InvalidPush({"files": [CHOOSE_ONE]})


def _form(
    request: pages.Request,
    form: Mapping[str, str],
    refusal: errors.Refusal | None = None,
    refused: Mapping[str, list[str]] | None = None,
) -> pages.Page:
    """Return the page with the form: with the last choices or, after an error, with the entered fields."""
    typed = {name.removeprefix("push[").removesuffix("]"): value for name, value in form.items()}
    is_again, kind = request.method == "POST", typed.get("kind", TEXT)
    kinds = _kinds(request, asked_for=kind if is_again else TEXT)
    values: dict[str, Any] = {
        "kinds": kinds,
        "with_files": FILE in kinds,
        "form": typed,
        "lifetimes": choices.lifetimes(request.settings.days),
        "lifetime": choices.selected_lifetime(typed, request.settings.days),
        "views": request.settings.views,
        "key": request.kept_key(),
        "refused": refused or {},
        "is_again": is_again,
        "notify_when_viewed": request.caller.notify_when_viewed,
        "is_remembered": not is_again and choices.differ_from_defaults(form, request.settings),
        "first_kind": kind if kind in kinds else TEXT,
        "with_https": _with_https(typed) if "payload" in (refused or {}) else "",
        "max_file_size": request.settings.max_file_size,
        "offers_languages": True,
    }
    values |= generator.variables(typed, is_again=is_again)
    values["opens_options"] = values["shows_recipe"] or not FOLDED.isdisjoint(values["refused"])
    page = pages.with_refusal("send.html", LIMITS | values, refusal)
    return page._replace(uploads=pushes.files_origin() if FILE in kinds else "")


def _with_https(typed: Mapping[str, str]) -> str:
    """Return the address to offer for a refused one that lacks only its scheme; empty if there is none."""
    text = typed.get("payload", "").strip()
    host = _END_OF_HOST.split(text, maxsplit=1)[0]
    if typed.get("kind") != URL or len(host) > _MAX_HOST or not _HOST.fullmatch(host):
        return ""
    return HTTPS + text if is_web_address(HTTPS + text) else ""


def _kinds(request: pages.Request, asked_for: str) -> list[str]:
    """Return the kinds offered in the form. Files only if the sender may send them, or already chose them."""
    settings = request.settings
    with_files = request.caller.owner is not None or not settings.file_authentication or asked_for == FILE
    return [kind for kind in settings.kinds if kind != FILE or with_files]
