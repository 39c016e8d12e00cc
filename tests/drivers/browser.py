"""A browser without JavaScript: it follows redirects, keeps cookies, and fills in forms.

It calls the handlers in process or a running stack, depending on its `api`.
"""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urlsplit

from shared.web.cookies import SESSION as SESSION_COOKIE
from tests.drivers.client import Answer, Api, match_route

FORM = "application/x-www-form-urlencoded"


@dataclass
class Browser:
    """A browser of one person, at the path `at` with this `query`; `page` has the HTML.

    `scoped` has the cookies of a path, by path and name; `cookies` those of all paths. Without `keeps_cookies`, it
    drops those that a page sets. A redirect to the origin `outside` is not followed; `page` has it.
    """

    api: Api = field(default_factory=Api)
    cookies: dict[str, str] = field(default_factory=dict)
    at: str = "/"
    query: str = ""
    page: Answer = field(default_factory=lambda: Answer(0, {}, ""))
    scoped: dict[tuple[str, str], str] = field(default_factory=dict)
    keeps_cookies: bool = True
    outside: str = ""

    @property
    def session(self) -> str:
        """Return the session cookie's value."""
        return self.cookies[SESSION_COOKIE]

    @property
    def owner(self) -> str:
        """Return the signed-in owner."""
        from shared.identity import auth

        seen = auth.find_session(self.session, now=self.api.now)
        assert seen is not None
        return seen.owner

    def visit(self, url: str) -> "Browser":
        return self._request("GET", url)

    def submit(self, action: str | None = None, headers: dict[str, str] | None = None, /, **fields: str) -> "Browser":
        """Send the page's form with this `action`, including its hidden fields and defaults."""
        form = next(one for one in forms(self.page.text) if action is None or one.action == action)
        sent = urlencode([*form.fields, *fields.items()]).encode()
        here = f"{self.at}?{self.query}" if self.query else self.at
        return self._request("POST", form.action or here, sent, headers)

    def _request(
        self, method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> "Browser":
        parts = urlsplit(url)
        path = parts.path or urlsplit(self.at).path
        sent = {"content-type": FORM, "sec-fetch-site": "same-origin"} if body is not None else {}
        of_path = {name: value for (scope, name), value in self.scoped.items() if f"{path}/".startswith(f"{scope}/")}
        kept = [f"{name}={value}" for name, value in (self.cookies | of_path).items()]
        sent = {name: value for name, value in (sent | (headers or {})).items() if value}
        page, to_set = self.api.exchange(method, path, query=parts.query, headers=sent, body=body, cookies=kept)
        for cookie in to_set if self.keeps_cookies else ():
            name, _, value = cookie.partition(";")[0].partition("=")
            if scope := re.search("; Path=(/[^;]+)", cookie):
                self.scoped[scope[1], name] = value
                continue
            self.cookies = {other: held for other, held in self.cookies.items() if other != name}
            self.cookies |= {name: value} if value else {}
        self.at, self.query, self.page = path, parts.query, page
        location = self.page.headers.get("location")
        if location and self.outside and location.startswith(f"{self.outside}/"):
            return self
        assert location is None or is_ours(location), location
        return self._request("GET", location) if location and self.page.status in (301, 303) else self


def is_ours(location: str) -> bool:
    """Return whether a path is one of ours: printable, one leading slash, no double slash or backslash, a route."""
    is_path = re.fullmatch(r"/[!-\[\]-~]*", location) and "//" not in location
    return bool(is_path) and match_route("GET", location.partition("?")[0])[0] != "$default"


@dataclass
class Form:
    """A form of a page, with the fields that it would send unchanged."""

    action: str
    fields: list[tuple[str, str]] = field(default_factory=list)


def forms(html: str) -> list[Form]:
    parser = _Forms()
    parser.feed(html)
    return parser.found


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values: dict[str, Any] = dict(attrs)
        if tag == "select":
            self._select = values.get("name") or ""
        if tag == "option" and "selected" in values and self.found:
            self.found[-1].fields.append((self._select, values.get("value") or ""))
        if tag == "form":
            self.found.append(Form(values.get("action") or ""))
        is_choice = values.get("type") in ("checkbox", "radio")
        sends = tag == "input" and values.get("type") != "file" and (not is_choice or "checked" in values)
        if sends and self.found and values.get("name"):
            self.found[-1].fields.append((values["name"], values.get("value") or ""))
