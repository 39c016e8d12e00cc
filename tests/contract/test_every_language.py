"""Every page and every mail, rendered in each language: no English left, placeholders filled, direction right.

One tour through the handlers collects what each page shows. Each language then renders all of it again.
"""

import re
from functools import cache
from html.parser import HTMLParser
from typing import NamedTuple

import pytest

from infra.build import template
from shared.domain.languages import COMPLETE, SERVED, SOURCE
from shared.web import html
from tests.conftest import HOME, Configure
from tests.drivers import every_page

TEMPLATES = template.ROOT / "functions" / "pages" / "templates"
# Pages and mails; the others are parts of them.
WHOLE = {path.name for path in TEMPLATES.iterdir() if path.suffix == ".txt" or "<html" in path.read_text()}
WHOLE |= {path.name for path in TEMPLATES.iterdir() if "{% extends" in path.read_text()}
PARTS = {"base.html", "recipient.html"}
VOID = {"meta", "link", "input", "br", "img", "path", "circle", "rect"}
SILENT = {"script", "style", "pre", "code", "textarea"}
SPOKEN = {"alt", "aria-label", "aria-description", "placeholder", "title"}
LATIN = re.compile(r"https?://|…[A-Za-z0-9]{4}\b|[A-Za-z0-9/_-]{16,}")
ISOLATED = re.compile("\u2066.*?\u2069")  # left-to-right isolate, for URLs within a sentence


class Text(NamedTuple):
    """A text of a page. `is_directed` says whether an element inside the page sets its direction."""

    text: str
    is_directed: bool


class Texts(HTMLParser):
    """Collects the readable texts of a page, except those in another language and what people have typed."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.texts: list[Text] = []
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in VOID:
            self.open.append((tag, values))
        self.texts += [Text(value or "", is_directed=True) for name, value in attrs if name in SPOKEN]

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        inner = [one for one in self.open if one[0] not in ("html", "body")]
        is_foreign = any(tag in SILENT or "lang" in values or "translate" in values for tag, values in inner)
        if data.strip() and not is_foreign:
            self.texts.append(Text(data.strip(), any(tag == "bdi" or "dir" in values for tag, values in inner)))


@pytest.fixture
def shown(request: pytest.FixtureRequest, configure: Configure) -> list[every_page.Shown]:
    """Return the template and values of every page of a tour, which the first test of a process makes."""
    configure(MAIL_FROM="push@example.com", BASE_URL=HOME)
    if not _SHOWN:
        _SHOWN.extend(every_page.collect(*map(request.getfixturevalue, ("ann", "people", "provider"))))
    return _SHOWN


_SHOWN: list[every_page.Shown] = []


def test_the_tour_shows_every_page_and_mail(shown: list[every_page.Shown]) -> None:
    assert WHOLE - PARTS - {name for name, _ in shown} == set()


@pytest.mark.parametrize("tag", SERVED)
def test_every_page_and_mail_is_whole_in_this_language(shown: list[every_page.Shown], tag: str) -> None:
    direction, is_complete = ("rtl" if tag == "ar" else "ltr"), tag in COMPLETE - {SOURCE}

    faults = []
    for place, (name, values) in enumerate(shown):
        page = html.render(name, values, tag)
        texts = Texts(page).texts
        faults += [(name, one.text) for one in texts if re.search(r"%\(|%s|\{\w*\}", one.text)]
        if name.endswith(".html") and f'<html lang="{tag}" dir="{direction}">' not in page:
            faults.append((name, "lang, dir"))
        if is_complete:
            english = english_of(place)
            faults += [(name, one.text) for one in texts if one.text in english and is_a_sentence(one.text)]
        if direction == "rtl":
            faults += [(name, one.text) for one in texts if runs_backwards(one)]

    assert faults == []


@cache
def english_of(place: int) -> set[str]:
    """Return the texts of a page of the tour in English."""
    return {one.text for one in Texts(html.render(*_SHOWN[place], SOURCE)).texts}


def is_a_sentence(text: str) -> bool:
    """Return whether a text has three words in a row; one or two may be the same in another language."""
    return bool(re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", text))


def runs_backwards(text: Text) -> bool:
    """Return whether an address or a code has no direction of its own. English has one: it is not translated yet."""
    lines = [line for line in ISOLATED.sub("", text.text).splitlines() if not re.fullmatch(r"https?://\S+", line)]
    return not text.is_directed and not is_a_sentence(text.text) and bool(LATIN.search("\n".join(lines)))
