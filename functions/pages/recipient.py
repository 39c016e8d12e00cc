"""GET /p/{url_token}: the recipient's page."""

from datetime import timedelta

from functions import not_found, preview_push, retrieve_push
from functions.pages import redirect
from shared.domain import access, errors, idempotency
from shared.domain.limits import FILE
from shared.domain.push import Push, Retrieved
from shared.service import cold_start, pushes, repeat_cookie, retrieve
from shared.web import cookies, pages, revealed
from shared.web.request import Event
from shared.web.sharing import sealed_key_id, sharing_values

cold_start.make_clients("dynamodb", "secretsmanager")
pages.prepare()

# A lease that ends sooner may be over before the browser follows the redirect: the POST then shows the secret itself.
_TIME_TO_FOLLOW = timedelta(seconds=10)
REFUSALS = (
    errors.PassphraseRefused,
    errors.TooManyAttempts,
    errors.SeenAlready,
    errors.FilesMissing,
    errors.FilesReplaced,
)
GONE = pages.Page("gone.html", {"anonymous": True})


# A path parameter is a whole segment, so the route `/p/{url_token}` also gets API v1's `/p/{url_token}.json`.
JSON = {"GET": retrieve_push.handler, "HEAD": preview_push.handler}


def handler(event: Event, context: object) -> Event:
    """Route a request: JSON to the API's handlers, older servers' links to the redirect, the rest to the page."""
    method, _, path = event["routeKey"].partition(" ")
    if pages.Request(event).asks_for_json:
        return JSON.get(method, not_found.handler)(event, context)
    return _page(event, context) if path.startswith("/p/") else redirect.handler(event, context)


@pages.page
def _page(request: pages.Request) -> pages.Answer:
    """Return the recipient's page. Expired and unknown pushes get the same page, to hide whether a push existed."""
    if request.is_head:
        return _step(request, _push(request))  # like the preview: 404 for an unknown push
    if request.route.endswith("/preview"):
        return _preview(request)
    if request.route.endswith("/file"):
        return _file(request)
    try:
        return _answer(request)
    except errors.NotFound:
        return GONE
    except errors.WrongNetwork as refusal:
        return pages.with_refusal("elsewhere.html", {"anonymous": True}, refusal)


def _answer(request: pages.Request) -> pages.Answer:
    if request.method == "GET":
        return _repeat(request) or _open(request, _push(request))
    form = request.form()
    if request.route.endswith("/expire"):
        return _expire_for_sender(request) if "manage_key" in form else _expire(request, _push(request))
    return _reveal(request, form.get("passphrase", ""), idempotency.key_or_none(form.get("idempotency_key", "")))


def _open(request: pages.Request, push: Push) -> pages.Answer:
    """Return the page with the button, or the secret if the link itself reveals it."""
    if access.is_elsewhere(push, request.ip):
        raise errors.WrongNetwork
    if not _needs_button(request, push) and not request.is_prefetch:
        # The page with files has a form to renew the download links with the same key.
        return _reveal(request, "", idempotency.new_key() if push.kind == FILE else None)
    return GONE if push.is_expired(request.now) else _step(request, push)


def _needs_button(request: pages.Request, push: Push) -> bool:
    """Return whether a GET shows the button, and so counts no view.

    Link previews and scanners only send GET; a person presses the button. `/r` is the link with a button. A browser
    that prefetches may show the page later, so it also gets the button. Owners see a warning before they count a view
    of their own push. The page of a push that its sender sealed looks for the key in the link first. A browser that
    may repeat a view must not claim another one by the same GET.
    """
    is_link = request.route.endswith("/{url_token}")
    is_asked = push.retrieval_step or push.is_protected or push.is_owned_by(request.caller) or push.sealed_key_id
    return not is_link or bool(is_asked or request.repeat_cookies)


def _push(request: pages.Request) -> Push:
    return pushes.preview_push(request.url_token, now=request.now)


def _step(request: pages.Request, push: Push, refusal: errors.Refusal | None = None, sent_key: str = "") -> pages.Page:
    """Return the page with the button; `sent_key` is the idempotency key of a refused form."""
    # During a lease, a retry repeats the same view without counting it, but only with the same key.
    is_repeat = isinstance(refusal, errors.PassphraseRefused | errors.TooManyAttempts) and refusal.is_repeat
    values = {
        "push": push,
        "is_own": push.is_owned_by(request.caller),
        "is_wrong": isinstance(refusal, errors.PassphraseRefused),
        "wait": refusal.retry_after if isinstance(refusal, errors.TooManyAttempts) and not is_repeat else 0,
        "is_repeat": is_repeat,
        "sealed_key_id": sealed_key_id(push),
        # A new key per page: a second press or a reload then repeats the same view.
        "key": sent_key if is_repeat else idempotency.new_key(),
        "anonymous": True,
    }
    page = pages.with_refusal("step.html", values, refusal)
    cookie = None if request.keeps_cookies else cookies.kept()
    return page._replace(offers_languages=_needs_button(request, push), cookie=cookie)


def _preview(request: pages.Request) -> pages.Page:
    """Return the preview, which a sender sees after a create.

    Everybody with the link can open it, so it shows nothing private to the sender.
    """
    try:
        push = _push(request)
    except errors.NotFound:
        return GONE._replace(status=404)
    if push.is_expired(request.now):
        return GONE
    mailed = push.mailed if push.is_owned_by(request.caller) else None
    return pages.Page("preview.html", sharing_values(request, push) | {"mailed": mailed})


def _reveal(request: pages.Request, passphrase: str, key: str | None) -> pages.Answer:
    arguments = (request.url_token, passphrase, request.caller)
    try:
        result = retrieve.retrieve_push(*arguments, now=request.now, key=key, once=True)
    except REFUSALS as refusal:
        return _refused(request, refusal, key or "")
    if result.payload is None:
        return GONE
    if request.method == "POST" and request.keeps_cookies and key and result.leased_until:
        lifetime = result.leased_until - request.now
        if lifetime >= _TIME_TO_FOLLOW:  # a page that came by GET can be left and returned to
            # Nobody has checked the passphrase of a push without one: any text, too long for a cookie perhaps.
            repeat = repeat_cookie.Repeat(key, passphrase if result.push.is_protected else "")
            sealed = repeat_cookie.seal_repeat(request.url_token, repeat, result.key_version)
            return _redirect_to_link(request, cookies.repeat(request.url_token, sealed, lifetime))
    return _show(request, result, key, is_repeat=False)


def _redirect_to_link(request: pages.Request, cookie: str | None = None) -> pages.Redirect:
    # Not to `/r`: a GET of that never reveals the secret.
    return pages.Redirect(f"/p/{request.url_token}{request.locale_query}", cookie=cookie)


def _repeat(request: pages.Request) -> pages.Answer | None:
    """Show the secret again, for a GET with the cookie of the POST. None without a living lease: it claims no view."""
    sent = [] if request.is_prefetch else request.repeat_cookies
    repeat = repeat_cookie.open_repeat(request.url_token, sent) if sent else None
    if repeat is None:
        return None
    if not request.route.endswith("/{url_token}"):
        return _redirect_to_link(request)
    arguments = (request.url_token, repeat.passphrase, request.caller)
    try:
        result = retrieve.retrieve_push(*arguments, now=request.now, key=repeat.key, repeats_only=True)
    except errors.SeenAlready:
        return None
    except REFUSALS as refusal:
        return _refused(request, refusal, repeat.key)
    return _show(request, result, repeat.key, is_repeat=True)


def _refused(request: pages.Request, refusal: errors.Refusal, key: str) -> pages.Page:
    if isinstance(refusal, errors.PassphraseRefused | errors.TooManyAttempts | errors.SeenAlready):
        return _step(request, refusal.push, refusal, key)
    return _step(request, _push(request), refusal)


def _show(request: pages.Request, result: Retrieved, key: str | None, *, is_repeat: bool) -> pages.Page:
    values = revealed.values(request, result, key, is_repeat=is_repeat)
    origin = pushes.files_origin() if result.files else ""
    # A repeat counts no view, so the reader may request it in another language.
    return pages.Page("revealed.html", values, downloads=origin, offers_languages=is_repeat)


def _file(request: pages.Request) -> pages.Answer:
    """Redirect to S3 while the download link works. Later, S3 would show an XML error, so show a page instead."""
    link = request.form().get("link", "")
    if pushes.is_download_available(link, now=request.now):
        return pages.Redirect(link)
    try:
        is_over = _push(request).is_expired(request.now)
    except errors.NotFound:
        is_over = True
    values = {"is_over": is_over, "path_of_link": f"/p/{request.url_token}", "anonymous": True}
    return pages.Page("lapsed.html", values, 410)


def _expire(request: pages.Request, push: Push) -> pages.Page:
    if push.is_expired(request.now) and not access.is_elsewhere(push, request.ip):
        return GONE
    # Owners have no special rights here: the form has no CSRF token, so another site may have sent it.
    if not push.deletable_by_viewer:
        raise errors.Forbidden
    if not request.form().get("sure"):
        raise errors.ForgedForm
    pushes.expire_push(request.url_token, request.caller, now=request.now)
    return pages.Page("deleted.html", {"anonymous": True})


def _expire_for_sender(request: pages.Request) -> pages.Redirect:
    """Delete the push for its anonymous sender, whose own page has this form, and lead back there."""
    form = request.form()
    if not form.get("sure"):
        raise errors.ForgedForm
    url_token, key = request.url_token, form["manage_key"]
    pushes.expire_push(url_token, request.caller, now=request.now, manage_key=key)
    return pages.Redirect(f"/m/{url_token}/{key}")
