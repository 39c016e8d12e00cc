"""No pattern or other code with superlinear running time gets all of a caller's long text.

Nothing is timed: every pattern is replaced by one that records its longest text.
"""

import ast
import importlib
import json
import pkgutil
import re
import unicodedata
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from urllib.parse import quote, urlencode

import multipart
import pytest

import functions
import functions.pages
import shared.aws
import shared.domain
import shared.web
from infra.build import template
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import Api

MOST = 5_000  # characters; a part's header may have 4 KB
MANY = 1_000_000
GATEWAY = 9_000  # characters of a query or a header that a gateway accepts

WORST = {
    "spaces": " " * MANY,
    "zeroes": "0" * MANY,
    "letters": "a" * MANY,
    "a media type's spaces": "a/a;" + " " * MANY + "é",
    "slashes": "/" * MANY,
    "accents in a host": "http://a" + "\u0300\u0316" * 200_000,
    "brackets": "push[" * (MANY // 5),
}


class Noting:
    """A pattern that records its longest text, and matches only up to a limit."""

    def __init__(self, pattern: re.Pattern[Any], seen: dict[str, int], name: str) -> None:
        self._pattern, self._seen, self._name = pattern, seen, name

    def __getattr__(self, method: str) -> Any:
        def called(*arguments: Any) -> Any:
            place = 1 if method == "sub" else 0  # a substitution has its replacement first
            text = arguments[place]
            self._seen[self._name] = max(len(text), self._seen.get(self._name, 0))
            return getattr(self._pattern, method)(*arguments[:place], text[:MOST], *arguments[place + 1 :])

        return called


def modules() -> Iterator[ModuleType]:
    for package in (shared, shared.aws, shared.domain, shared.web, functions, functions.pages):
        for found in pkgutil.iter_modules(package.__path__):
            yield importlib.import_module(f"{package.__name__}.{found.name}")
    yield multipart


def patterns() -> dict[str, tuple[ModuleType, str, re.Pattern[Any]]]:
    return {
        f"{module.__name__}.{name}": (module, name, value)
        for module in modules()
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern)
    }


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Record the longest text for each pattern and for Unicode normalisation."""
    noted: dict[str, int] = {}
    normalize = unicodedata.normalize

    def noting(form: Any, text: str) -> str:
        noted["normalize"] = max(len(text), noted.get("normalize", 0))
        return normalize(form, text[:MOST])

    for full_name, (module, name, pattern) in patterns().items():
        monkeypatch.setattr(module, name, Noting(pattern, noted, full_name))
    monkeypatch.setattr(unicodedata, "normalize", noting)
    return noted


@pytest.mark.parametrize("worst", WORST.values(), ids=WORST)
def test_no_pattern_meets_the_megabytes_of_a_create(seen: dict[str, int], bob: Api, worst: str) -> None:
    fields = ("payload", "kind", "passphrase", "name", "note", "expire_after_days", "deletable_by_viewer")
    file = {"filename": "a", "content_type": "text/plain", "data": "eA=="}

    for name in fields:
        bob.create(**{"payload": "https://example.com", "kind": "url", name: worst})
    for name in file:
        assert bob.create("", files=[file | {name: worst}]).status in (201, 422)

    assert max(seen.values(), default=0) <= MOST, seen


@pytest.mark.parametrize("worst", WORST.values(), ids=WORST)
def test_no_pattern_meets_the_megabytes_of_a_form(seen: dict[str, int], bob: Api, worst: str) -> None:
    url_encoded = urlencode({worst: "1", "push[payload]": worst}).encode()
    part = 'Content-Disposition: form-data; name="push[payload]"\r\nContent-Type: text/plain'
    for head in (part, part.replace("payload", worst), part.replace("text/plain", worst), part + worst):
        bob.request("POST", "/api/v2/pushes", headers=MULTIPART, body=parts(head, worst))

    bob.request("POST", "/api/v2/pushes", headers={"content-type": FORM}, body=url_encoded)

    assert max(seen.values(), default=0) <= MOST, seen
    assert seen["shared.web.body._FORM_NAME"] == len("push[payload]")


@pytest.mark.parametrize("worst", WORST.values(), ids=WORST)
def test_no_pattern_meets_the_megabytes_of_a_page_s_form(seen: dict[str, int], ann: Browser, worst: str) -> None:
    ann.visit("/users/token").submit("", days=worst)
    ann.visit("/users/token").submit("", revoke=worst)
    file = {"filename": worst, "content_type": worst, "size": 1}
    ann.visit("/").submit("", direct=json.dumps([file]), **{"push[kind]": "file"})
    assert ann.page.status == 200
    url_token = Api().push(passphrase="p")
    ann.visit(f"/p/{url_token}").submit("", passphrase=worst)

    assert max(seen.values(), default=0) <= MOST, seen


@pytest.mark.parametrize("worst", WORST.values(), ids=WORST)
def test_no_pattern_meets_more_of_a_request_s_head_than_it_may_hold(seen: dict[str, int], bob: Api, worst: str) -> None:
    head = worst[:GATEWAY]

    bob.request("GET", "/api/v2/pushes/active", query=f"page={quote(head)}")
    for name in ("authorization", "x-user-token"):
        bob.request("GET", "/api/v2/pushes/active", headers={name: f"Bearer {head}"})
    bob.request("POST", "/api/v2/pushes", headers={"content-type": f"multipart/form-data; boundary={head}"}, body=b"x")
    bob.request("GET", "/", headers={"accept-language": head})

    assert max(seen.values(), default=0) <= 1_000, seen


def test_every_pattern_gets_short_texts(seen: dict[str, int], ann: Browser, bob: Api) -> None:
    ann.visit("/users/token").submit("", days="7")
    ann.submit("", revoke="f" * 64)
    head = (
        'Content-Disposition: form-data; name="push[files][]"; filename="a"; size=1\r\nX-Other: a\r\nContent-Type: a/a;'
    )
    bob.request("POST", "/api/v2/pushes", headers=MULTIPART, body=parts(head, "x"))
    for name in ("filename*=utf-8''a", 'filename="=?utf-8?q?a?="', 'filename="a\\"b"'):
        bob.request("POST", "/api/v2/pushes", headers=MULTIPART, body=parts(f"{NAMED}; {name}", "x"))
    bob.create("http://exämple.com", kind="url", expire_after_days="7")
    bob.request("GET", "/api/v2/pushes/active", query="page=1", headers={"user-agent": "a?b", "content-type": "a/a"})
    for path in ("//x", "/en/p/x", "/p/x.", "/p/x/r."):
        bob.get(path)

    ours = {name for name in patterns() if not name.startswith("multipart.")}
    assert ours | {"multipart._re_option", "multipart._re_hname", "normalize"} <= set(seen)


def test_every_pattern_has_a_name_that_this_test_can_replace() -> None:
    for path in [*template.ROOT.glob("shared/**/*.py"), *template.ROOT.glob("functions/**/*.py")]:
        tree = ast.parse(path.read_text())
        named = [node.value for node in tree.body if isinstance(node, ast.Assign)]
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("re."):
                assert call in named, f"{path.name}: {ast.unparse(call)}"
                assert ast.unparse(call.func) == "re.compile"


NAMED = 'Content-Disposition: form-data; name="push[files][]"'
MULTIPART = {"content-type": "multipart/form-data; boundary=b"}


def parts(head: str, content: str) -> bytes:
    return f"--b\r\n{head}\r\n\r\n{content}\r\n--b--\r\n".encode()
