"""What a browser's request says: its cookies, and its form once it is sure that the form is one of ours."""

from functools import cached_property
from typing import Any

from shared.domain import errors
from shared.web import cookies, languages, request

# Nothing else is shown again: a query may hold what has no business in a link, such as a passphrase.
_PLACE = ("state", "page", "push_locale", "like")


class Request(request.Request):
    """A request by a browser, which has a session instead of an API token."""

    @property
    def method(self) -> str:
        """GET or POST. A HEAD is a GET whose answer loses its body at the edge."""
        return "GET" if self.is_head else self.original_method

    @property
    def session_cookie(self) -> str:
        """The value of the session's cookie, empty when there is none."""
        return cookies.value(cookies.SESSION, self._cookies)

    @property
    def is_insecure(self) -> bool:
        """Whether the browser drops our cookies, as far as can be seen: it came over plain HTTP, and not to itself.

        It says where a request comes from over TLS and to its own machine only (Fetch Metadata, section 2).
        """
        scheme = self.header("x-forwarded-proto") or self.base_url.partition(":")[0]
        return scheme == "http" and "sec-fetch-site" not in self.headers

    @property
    def form_cookie(self) -> str:
        """The value of the cookie that forms before sign-in go with, empty when there is none."""
        return cookies.form_secret(self._cookies)

    @property
    def choices(self) -> dict[str, str]:
        """What the sender chose last, or by a link, by the names of the form's fields; empty when neither is known."""
        from shared.web import choices  # loaded here, as in `_fields`

        last = cookies.last_choices(self._cookies)
        if "like" not in self.place:
            return last
        return choices.recipe_of(last) | choices.decode(self.place["like"], is_link=True)

    @cached_property
    def requested_locale(self) -> str | None:
        """The served language that the query asks for, None when it asks for none."""
        return languages.match_tag(self.readable_query.get("locale", ""))

    @property
    def locale(self) -> str:
        """The language of the page: of the query, else of the cookie, else what the browser accepts, else a setting."""
        remembered = cookies.value(cookies.LOCALE, self._cookies)
        accepted = self.header("accept-language")
        return self.requested_locale or languages.choose(remembered, accepted) or self.settings.default_locale

    @property
    def place(self) -> dict[str, str]:
        """What the query says of the place in the page, which a link to it in another language keeps."""
        return {name: value for name, value in self.readable_query.items() if name in _PLACE}

    def parameter(self, name: str) -> str:
        """A variable of the path."""
        return str(self._event["pathParameters"][name])

    def form(self) -> dict[str, str]:
        """The fields of the form, once it is sure to be one of ours.

        Raises: ForgedForm, MalformedRequest.
        """
        # Browsers say where a request comes from, whatever the referrer policy; old ones have the cookie's SameSite.
        if self.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise errors.ForgedForm
        return self._fields

    def entered_fields(self) -> dict[str, str]:
        """What a form that did not count may be filled in with again: its fields, where the browser says it is ours.

        Of what another site may have sent, nothing is shown. Raises: MalformedRequest.
        """
        return self._fields if self.headers.get("sec-fetch-site") == "same-origin" else {}

    def owners_form(self) -> dict[str, str]:
        """The fields of a form on a page for the signed-in, which carries a CSRF token of the session.

        Raises: ForgedForm, StaleForm, MalformedRequest.
        """
        return self._check_form_token(self.session_cookie)

    def strangers_form(self) -> dict[str, str]:
        """The fields of a form before sign-in, which carries a CSRF token of a cookie that only our own page sets.

        Another site could sign a victim in to an account of its own otherwise, and read what they push there.

        Raises: ForgedForm, StaleForm, MalformedRequest.
        """
        return self._check_form_token(self.form_cookie)

    def push_parameters(self) -> dict[str, Any]:
        """What the sender's form says of a push.

        Raises: MalformedRequest.
        """
        from shared.web import body

        return body.push_parameters(self.header("content-type"), self.body())

    @cached_property
    def _fields(self) -> dict[str, str]:
        from shared.web import body  # loaded here: assets and redirects read no form

        return body.form_fields(self.header("content-type"), self.body())

    def _check_form_token(self, cookie: str) -> dict[str, str]:
        from secrets import compare_digest  # loaded here, as in `_fields`

        form = self.form()
        form_token_sent = form.get("form_token", "").encode()  # compare_digest takes no text that is not ASCII
        if not cookie or not compare_digest(form_token_sent, form_token(cookie).encode()):
            raise errors.StaleForm
        return form

    @property
    def _cookies(self) -> list[str]:
        cookies_sent: list[str] = self._event.get("cookies") or self.header("cookie").split(";")
        return cookies_sent


def form_token(cookie: str) -> str:
    """The CSRF token that goes with a cookie of this value."""
    # Loaded here, since a page for everybody, such as that of a path which does not exist, has no use for the store.
    from shared.identity import auth

    return auth.form_token(cookie)
