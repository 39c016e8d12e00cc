"""Claims for every page in a real browser: headers, accessibility in light and dark, and the width of a phone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

from tests.browser.conftest import elsewhere
from tests.conftest import Configure
from tests.doubles.cognito import Cognito
from tests.drivers.browsing import PHONE, Account, Visit, Watch, attach, open_options, press, reveal, send, sign_in
from tests.shared.service import test_answers

# Written out and not taken from the code, which they test.
POLICY = (
    "default-src 'none'; script-src 'self' DIGEST; style-src DIGEST DIGEST DIGEST; img-src 'self' data:; "
    "connect-src 'self'{}; form-action 'self'{}; base-uri 'none'; frame-ancestors 'none'"
)
NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = {
    "cache-control": "no-store",
    "x-robots-tag": "noindex, nofollow",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
DESK: Final[ViewportSize] = {"width": 1280, "height": 720}
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
LONG = "word " * 40 + "x" * 200
# Elements wider than the page or than their own scroll area: name, needed width, available width.
WIDTHS = """() => [document.documentElement, ...document.querySelectorAll('.wide')].map(
    (one) => [one.ariaLabel ?? 'page', one.scrollWidth, one.clientWidth])"""


@dataclass
class Toured:
    """The observations of a tour of all pages, on a desktop and on a phone."""

    faults: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    wide: dict[tuple[str, int, str], tuple[int, int]] = field(default_factory=dict)

    def look(self, page: Page, name: str) -> None:
        """Record the current page."""
        page.set_viewport_size(DESK)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for fault in Axe().run(page).response["violations"]:
                if fault["impact"] in ("serious", "critical"):
                    self.faults[name, scheme, fault["id"]] = [node["html"] for node in fault["nodes"]]
        for width in (320, PHONE["width"]):
            page.set_viewport_size({"width": width, "height": PHONE["height"]})
            for element, needed, there in page.evaluate(WIDTHS):
                if needed > there or there > width:
                    self.wide[name, width, element] = (needed, there)


def tour(page: Page, account: Account) -> Iterator[str]:
    """Visit every page and yield the name of each."""
    signed_in = (_as_owner(page, account), _as_asker(page))
    parts = (_by_provider(page), _as_anonymous(page), _as_asked(page), _as_recipient(page), *signed_in)
    for part in parts:
        for name in part:
            page.wait_for_load_state()
            yield name


def _by_provider(page: Page) -> Iterator[str]:
    page.goto("/users/sign_in")
    page.get_by_role("link", name="Sign in with").click()
    press(page, "Refuse")
    refused(page)
    yield "refused by the provider"
    page.get_by_role("link", name="Sign in", exact=True).last.click()
    page.get_by_role("link", name="Sign in with").click()
    press(page, "Sign in")
    arrive(page, "My pushes")
    page.goto("/users/account")
    yield "account of the provider"
    press(page, "Sign out")
    arrive(page, "Signed out")
    yield "signed out"


def _as_anonymous(page: Page) -> Iterator[str]:
    for form in ("sign_in", "sign_up", "confirm", "password", "new_password"):
        page.goto(f"/users/{form}")
        yield form
    sign_in(page, Account("nobody@example.com", "wrong horse battery 1"))
    refused(page)
    yield "sign_in refused"
    page.goto("/users/no_such_form")
    yield "no such page"
    page.goto("/")
    yield "sender"
    press(page, "Create link")
    refused(page)
    yield "sender refused"


def _as_asked(page: Page) -> Iterator[str]:
    opened = test_answers.stored(now=datetime.now(UTC), message=f"{LONG} \u202e", files=True, max_bytes=300)
    path = f"/a/{opened.terms.ask_token}"
    page.goto(path)
    yield "asked"
    press(page, "Send")
    refused(page)
    yield "answer refused"
    attach(page, (f"{'long' * 30}.txt", b"hello"))
    press(page, "Send")
    arrive(page, "Thank you")
    yield "answered"
    page.goto(path)
    arrive(page, "There is nothing here any more")
    yield "ask over"


def _as_recipient(page: Page) -> Iterator[str]:
    link, own = send(page, LONG, passphrase="right"), page.url
    page.get_by_text("Delete it now").click()
    yield "the sender's own page"
    page.goto(link)
    yield "step"
    press_with(page, "wrong")
    refused(page)
    yield "step refused"
    press_with(page, "right")
    arrive(page, "Your secret")
    yield "text blurred"
    page.check("#unblur")
    page.get_by_text("Delete it now").click()
    yield "text"
    press(page, "Yes, delete it for good")
    arrive(page, "Deleted")
    yield "deleted"
    page.goto(link)
    yield "gone"
    page.goto(own)
    yield "the sender's own page, ended"
    for kind in ("url", "qr"):
        reveal(page, send(page, f"https://example.com/{'x' * 100}", kind=kind))
        page.check("#unblur")
        yield kind


def _as_owner(page: Page, account: Account) -> Iterator[str]:
    sign_in(page, account)
    arrive(page, "My pushes")
    yield "no pushes"
    page.goto("/")
    page.check("#kind-file")
    attach(page, (f"{'long' * 30}.txt", b"hello"))
    open_options(page)
    page.fill("#name", LONG)
    yield "owner's sender"
    press(page, "Create link")
    link = page.input_value("#link")
    yield "owner's link"
    page.goto("/pushes")
    yield "pushes"
    page.locator("td a").click()
    page.get_by_text("Expire it now", exact=True).click()
    yield "record"
    reveal(page, link)
    arrive(page, "Your secret")
    yield "files"
    page.evaluate("document.querySelector('[name=link]').value = 'lapsed'")
    page.get_by_role("button", name="long").click()
    arrive(page, "Files")
    yield "lapsed"
    page.goto("/users/token")
    yield "no tokens"
    page.fill("#name", "laptop")
    press(page, "Create token")
    page.locator("#token").wait_for()
    page.locator("td summary").click()
    page.get_by_text("Try it", exact=True).click()
    yield "token"
    page.goto("/users/account")
    page.locator("details summary").click()
    yield "account"
    page.fill("#begin-password", account.password)
    press(page, "Turn it on …")
    arrive(page, "Turn on two-factor sign-in")
    yield "two-factor set-up"


def _as_asker(page: Page) -> Iterator[str]:
    page.goto("/asks/new")
    press(page, "Create link")
    refused(page)
    yield "ask refused"
    page.fill("#message", LONG)
    page.fill("#name", LONG)
    press(page, "Create link")
    page.get_by_text("End it now", exact=True).click()
    yield "ask"
    page.goto("/asks")
    page.locator("td summary").click()
    yield "asks"


def press_with(page: Page, passphrase: str) -> None:
    page.fill("#passphrase", passphrase)
    press(page, "Show the secret")


def arrive(page: Page, heading: str) -> None:
    """Wait for the page with this name."""
    page.get_by_role("heading", name=heading, exact=True).wait_for()


def refused(page: Page) -> None:
    """Wait for the page with the refusal."""
    page.get_by_role("alert").first.wait_for()


@pytest.mark.long
def test_every_page_is_accessible_fits_a_phone_and_has_strict_headers(
    visit: Visit, account: Account, watch: Watch, people: Cognito, configure: Configure
) -> None:
    page, toured = visit(viewport=PHONE, is_mobile=True, has_touch=True), Toured()

    with elsewhere(watch.own, people, configure) as watch.elsewhere:
        for name in tour(page, account):
            toured.look(page, name)

    assert toured == Toured()
    assert len(watch.documents) > 20
    for document in watch.documents:
        headers = document.all_headers()
        policy = re.sub(r"'sha256-[\w+/]{43}='", "DIGEST", headers.pop("content-security-policy"))
        # The only pages that upload files to S3, and the only page with forms to S3.
        uploads, downloads = POLICY.format(f" {watch.bucket}", ""), POLICY.format("", f" {watch.bucket}")
        # A redirect is not a page, so its policy allows nothing.
        assert policy in (POLICY.format("", ""), uploads, downloads) or (policy, document.status // 100) == (NOTHING, 3)
        assert policy != uploads or document.url == f"{watch.own}/" or document.url.startswith(f"{watch.own}/a/")
        assert policy != downloads or document.url.startswith(f"{watch.own}/p/")
        assert headers.items() >= HEADERS.items()


def test_the_label_of_a_checkbox_is_next_to_it_on_a_phone(visit: Visit) -> None:
    page = visit(viewport=PHONE, is_mobile=True, has_touch=True)
    page.goto("/")

    places = page.evaluate("""() => [...document.querySelectorAll('.checks label')].map((label) => {
        const text = document.createRange();
        text.selectNodeContents(label.lastChild);
        const rows = [...text.getClientRects()].filter((row) => row.width);
        return [label.querySelector('input').getBoundingClientRect().right, rows.map((row) => row.left)];
    })""")

    assert max(len(rows) for _, rows in places) > 1
    assert all(row >= box for box, rows in places for row in rows)


@pytest.mark.long
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_button_can_be_read_under_the_pointer_and_in_focus(
    visit: Visit, account: Account, scheme: Literal["light", "dark"]
) -> None:
    page = sign_in(visit(color_scheme=scheme), account)
    page.goto("/users/token")
    press(page, "Create token")
    page.locator("td summary").click()

    read = [hard_to_read(page, f"{place} button") for place in ("header", "section", "main > form", "td")]
    page.goto("/")
    read += [hard_to_read(page, css) for css in ("[data-generate]", ".actions > [data-busy]", "footer [lang=de]")]

    assert read == [[]] * 7


def hard_to_read(page: Page, selector: str) -> list[str]:
    """Return axe's complaints about the contrast of a button: hovered, hovered and focused, focused."""
    found = []
    page.hover(selector)
    found += too_faint(page, selector)
    page.focus(selector)
    page.keyboard.press("Shift")  # or the focus would not look like the keyboard's
    found += too_faint(page, selector)
    page.mouse.move(0, 0)
    return found + too_faint(page, selector)


def too_faint(page: Page, selector: str) -> list[str]:
    response = Axe().run(page, selector, {"runOnly": ["color-contrast"]}).response
    faults = response["violations"] + response["incomplete"]
    assert faults or response["passes"]
    return [node["html"] for fault in faults for node in fault["nodes"]]
