"""A browser's request: cookies, language, and forms with CSRF checks."""

from functools import cached_property
from typing import Any

from shared.domain import errors
from shared.web import cookies, languages, request

# Other parameters are dropped: a query may hold a passphrase, which must not appear in a link.
_PLACE = ("state", "page", "push_locale", "like", "next")


class Request(request.Request):
    """A browser's request, with a session instead of an API token."""

    @property
    def method(self) -> str:
        """GET or POST. HEAD is treated as GET; the edge drops the body."""
        return "GET" if self.is_head else self.original_method

    @property
    def session_cookie(self) -> str:
        """The value of the session cookie; empty if the request has none."""
        return cookies.value(cookies.SESSION, self._cookies)

    @property
    def is_insecure(self) -> bool:
        """Whether the request came over plain HTTP from another machine; then the browser does not keep our cookies.

        Browsers send `Sec-Fetch-Site` only over TLS and to their own machine (Fetch Metadata, section 2).
        """
        scheme = self.header("x-forwarded-proto") or self.base_url.partition(":")[0]
        return scheme == "http" and "sec-fetch-site" not in self.headers

    @property
    def form_cookie(self) -> str:
        """The value of the cookie for CSRF protection while nobody is signed in; empty if the request has none."""
        return cookies.form_secret(self._cookies)

    @property
    def sign_in_state(self) -> tuple[str, str]:
        """The state of this browser's sign-in by the OIDC provider, and the page to open then; empty without one."""
        return cookies.last_state(self._cookies)

    @property
    def keeps_cookies(self) -> bool:
        """Whether the browser has brought back the cookie of the page with the button."""
        return bool(cookies.value(cookies.KEPT, self._cookies))

    @property
    def repeat_cookies(self) -> list[str]:
        """The encrypted repeat of a view of this push (repeat_cookie.py), and cookies that other hosts added."""
        return cookies.values(cookies.REPEAT, self._cookies)

    @property
    def last_address(self) -> str:
        """The e-mail address that a code was mailed to last; empty if the request has none."""
        return cookies.last_address(self._cookies)

    @property
    def choices(self) -> dict[str, str]:
        """The settings to fill in the sender's form, by form field name.

        They come from the query's `like`; without it, from the sender's last push. The settings of the password
        generator always come from the last push. Empty if there are neither.
        """
        from shared.web import choices  # imported here, as in `_fields`

        last = cookies.last_choices(self._cookies, self.settings)
        if "like" not in self.place:
            return last
        return choices.recipe_of(last) | choices.decode(self.place["like"], self.settings, is_link=True)

    @property
    def chosen_locale(self) -> str | None:
        """The language that the reader chose in the footer, for the cookie; None without a choice.

        A link or form of our pages chooses with `language` in its query. Links from elsewhere, such as a sender's with
        `locale`, set no cookie: they choose the language of one page.
        """
        return self._locale_in("language") if self.is_from_our_page else None

    @property
    def locale(self) -> str:
        """The page's language: from the query, else the cookie, else Accept-Language, else the settings."""
        remembered = languages.match_tag(cookies.value(cookies.LOCALE, self._cookies))
        accepted = self.header("accept-language")
        return (
            self._locale_in("language")
            or self._locale_in("locale")
            or remembered
            or languages.from_accept_language(accepted)
            or self.settings.default_locale
        )

    @property
    def locale_query(self) -> str:
        """The query that keeps the language of a sender's link on the next page; empty without such a language."""
        language = self._locale_in("language") or self._locale_in("locale")
        return f"?locale={language}" if language else ""

    @property
    def is_from_our_page(self) -> bool:
        """Whether one of our pages led here. Old browsers do not say, but support SameSite cookies."""
        return self.headers.get("sec-fetch-site", "same-origin") == "same-origin"

    @property
    def place(self) -> dict[str, str]:
        """The query parameters to keep in a link to the same page in another language."""
        return {name: value for name, value in self.readable_query.items() if name in _PLACE}

    def parameter(self, name: str) -> str:
        """Return a path parameter."""
        return str(self._event["pathParameters"][name])

    def form(self) -> dict[str, str]:
        """Return the fields of a form that one of our pages sent.

        Raises: ForgedForm, if another site sent it; MalformedRequest.
        """
        if not self.is_from_our_page:  # Sec-Fetch-Site does not depend on the referrer policy
            raise errors.ForgedForm
        return self._fields

    def entered_fields(self) -> dict[str, str]:
        """Return the fields to show again after a rejected form; empty unless one of our pages sent it.

        Raises: MalformedRequest.
        """
        return self._fields if self.headers.get("sec-fetch-site") == "same-origin" else {}

    def kept_key(self) -> str:
        """Return the idempotency key of a form that is shown again, or a new key.

        A key from another site is not kept, because its author could test guesses of the payload with it.

        Raises: MalformedRequest.
        """
        from shared.domain import idempotency  # imported here, as in `_fields`

        entered = self.entered_fields() if self.method == "POST" else {}
        return idempotency.key_or_none(entered.get("idempotency_key", "")) or idempotency.new_key()

    def owners_form(self) -> dict[str, str]:
        """Return the fields of a form for signed-in users, after checking the session's CSRF token.

        Raises: ForgedForm, StaleForm, MalformedRequest.
        """
        return self._check_form_token(self.session_cookie)

    def strangers_form(self) -> dict[str, str]:
        """Return the fields of a form for users who are not signed in, after checking its CSRF token.

        Without the check, another site could sign a victim in to an attacker's account and read the victim's pushes
        there.

        Raises: ForgedForm, StaleForm, MalformedRequest.
        """
        return self._check_form_token(self.form_cookie)

    def push_parameters(self) -> dict[str, Any]:
        """Return the parameters of a new push from the sender's form.

        Raises: MalformedRequest.
        """
        from shared.web import body

        return body.push_parameters(self.header("content-type"), self.body())

    @cached_property
    def _fields(self) -> dict[str, str]:
        from shared.web import body  # imported here: assets and redirects read no form

        return body.form_fields(self.header("content-type"), self.body())

    def _locale_in(self, parameter: str) -> str | None:
        """Return the served language that a parameter of the query names, or None."""
        return languages.match_tag(self.readable_query.get(parameter, ""))

    def _check_form_token(self, cookie: str) -> dict[str, str]:
        from secrets import compare_digest  # imported here, as in `_fields`

        form = self.form()
        form_token_sent = form.get("form_token", "").encode()  # compare_digest rejects non-ASCII strings
        if not cookie or not compare_digest(form_token_sent, form_token(cookie).encode()):
            raise errors.StaleForm
        return form

    @property
    def _cookies(self) -> list[str]:
        cookies_sent: list[str] = self._event.get("cookies") or self.header("cookie").split(";")
        return cookies_sent


def form_token(cookie: str) -> str:
    """Return the CSRF token that belongs to a cookie's value."""
    # Imported here: public pages, such as the 404 page, need no store.
    from shared.identity import auth

    return auth.form_token(cookie)
