"""End-to-end encryption in a real browser: the key is in the link alone, and no view is claimed without it."""

import re
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
import segno
from playwright.sync_api import Page, Request, expect

from infra.build import template
from tests.drivers.browsing import Visit, open_options, payload, press
from tests.drivers.client import Answer, Api
from tests.drivers.http_client import HttpApi
from tests.drivers.sender_key import KEY, decoded, encoded, key_id, open_jwe, seal
from tests.drivers.webdriver import REVEAL, REVEALED, SEND, Window

SECRET = "\n first line\n\tsecond é 🔑 \ufeff"
SEALED = {"sealed_by": "sender"}
# What a page could give away: its history, its storages, its title, its fields and what it loaded.
TRACES = """() => JSON.stringify([
  history.state, {...localStorage}, {...sessionStorage}, document.cookie, document.title,
  [...document.querySelectorAll("input, button, select, form")].map((one) => [one.value, one.action]),
  performance.getEntriesByType("resource").map((one) => one.name),
])"""
# Texts that fill a symbol: segno adds a byte to others, before the padding.
QR_SIZES = [16, 31, 52, 77, 105, 133, 153, 191, 229, 270, 320, 366, 424, 457, 519, 585, 643, 717, 791, 857]
FAILS_ONCE = """() => {
  const decrypt = crypto.subtle.decrypt.bind(crypto.subtle);
  let tries = 0;
  crypto.subtle.decrypt = (...all) => tries++ ? decrypt(...all) : Promise.reject(Error());
}"""


def whole(api: HttpApi, text: str = SECRET, **fields: object) -> tuple[str, str]:
    """Create a push as another client does; return its url_token and the whole link."""
    created = api.create(seal(text), **SEALED, **fields).json
    return created["url_token"], f"{created['html_url']}#k={encoded(KEY)}"


def send_sealed(page: Page, text: str = SECRET, **fields: str) -> str:
    """Send a text from the form with the switch on, and return the whole link."""
    page.goto("/")
    open_options(page)
    page.get_by_label("Encrypt in this browser").check()
    page.fill("#payload", text)
    for name, value in fields.items():
        page.fill(f"#{name}", value)
    press(page, "Create link")
    expect(page.locator("#link")).to_be_visible()
    return page.input_value("#link")


class Wire:
    """Everything that some browsers send."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def over(self, page: Page) -> None:
        page.context.on("request", self._note)

    def _note(self, request: Request) -> None:
        # Playwright reports the address with its fragment, which is never on the wire.
        address = urldefrag(request.url).url
        self.sent.append(f"{address} {request.all_headers()} {(request.post_data_buffer or b'').decode('latin-1')}")

    def has(self, text: str) -> bool:
        return any(text in one for one in self.sent)


@pytest.fixture
def wire() -> Wire:
    return Wire()


def test_a_text_goes_from_browser_to_browser_and_its_key_nowhere_else(visit: Visit, wire: Wire, api: HttpApi) -> None:
    sender, recipient = visit(), visit()
    for page in (sender, recipient):
        wire.over(page)

    link = send_sealed(sender, SECRET)
    key = link.partition("#k=")[2]
    assert link in sender.input_value("#message")
    assert sender.locator("figure svg.qr").is_visible()
    recipient.goto(link)
    press(recipient, "Show the secret")
    expect(recipient.locator("#payload")).to_be_visible()

    assert payload(recipient) == SECRET
    assert recipient.evaluate("getComputedStyle(document.getElementById('payload')).filter").startswith("blur(")
    assert len(decoded(key)) == 32
    assert recipient.url.endswith(f"#k={key}")
    for page in (sender, recipient):
        assert key not in page.evaluate(TRACES)
    assert wire.sent
    assert not wire.has(key)
    assert not wire.has("first line")


@pytest.mark.long
@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        ("", "This is not the whole link"),
        ("#k=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh", "This is not the whole link"),
        (f"#k={encoded(bytes(32))}", "belongs to another link"),
    ],
    ids=["none", "cut", "other"],
)
def test_without_the_right_key_no_button_is_shown_and_no_view_is_used(
    page: Page, bob: HttpApi, fragment: str, said: str
) -> None:
    url_token, link = whole(bob)

    page.goto(link.partition("#")[0] + fragment)

    expect(page.get_by_text(said)).to_be_visible()
    expect(page.locator("form[data-key-id]")).to_be_hidden()
    assert bob.kinds(url_token) == ["creation"]


@pytest.mark.long
def test_a_key_that_is_pasted_into_the_address_is_taken(page: Page, bob: HttpApi) -> None:
    _, link = whole(bob, "s3cret")
    page.goto(link.partition("#")[0])
    expect(page.get_by_text("This is not the whole link")).to_be_visible()

    page.evaluate("hash => { location.hash = hash; }", link.partition("#")[2] + "%20).")
    press(page, "Show the secret")

    expect(page.locator("#payload")).to_have_text("s3cret")


def test_without_javascript_the_page_says_what_it_needs(visit: Visit, bob: HttpApi) -> None:
    url_token, link = whole(bob)
    page = visit(java_script_enabled=False)

    page.goto(link)
    said = "turn on JavaScript" in page.locator("noscript").inner_text()
    hidden = page.locator("form[data-key-id]").is_hidden()
    page.goto("/")

    assert (said, hidden, bob.kinds(url_token)) == (True, True, ["creation"])
    assert page.locator("#seal").is_hidden()


@pytest.mark.long
def test_a_passphrase_protects_a_sealed_text_too(page: Page, bob: HttpApi) -> None:
    url_token, link = whole(bob, "s3cret", passphrase="right")
    page.goto(link)
    page.fill("#passphrase", "wrong")
    press(page, "Show the secret")
    expect(page.get_by_text("Wrong passphrase.")).to_be_visible()

    page.fill("#passphrase", "right")
    press(page, "Show the secret")

    expect(page.locator("#payload")).to_have_text("s3cret")
    assert bob.kinds(url_token) == ["creation", "failed_passphrase", "view"]


@pytest.mark.long
@pytest.mark.parametrize("keeps_cookies", [True, False])
def test_a_text_that_does_not_decrypt_can_be_tried_again_without_another_view(
    page: Page, bob: HttpApi, keeps_cookies: bool
) -> None:
    url_token, link = whole(bob, "s3cret", expire_after_views=1)
    page.goto(link)
    if not keeps_cookies:
        page.context.clear_cookies()
    page.evaluate(FAILS_ONCE)
    press(page, "Show the secret")
    expect(page.get_by_text("could not be decrypted")).to_be_visible()

    press(page, "Show the secret")

    expect(page.locator("#payload")).to_have_text("s3cret")
    assert bob.kinds(url_token) == ["creation", "view"]


@pytest.mark.long
def test_a_reload_after_the_reveal_shows_the_text_again_without_another_view(page: Page, bob: HttpApi) -> None:
    url_token, link = whole(bob, "s3cret", expire_after_views=1)
    page.goto(link)
    press(page, "Show the secret")
    expect(page.locator("#payload")).to_be_visible()

    page.reload()

    expect(page.locator("#payload")).to_have_text("s3cret")
    assert page.url.endswith(link.partition("#")[2])
    assert bob.kinds(url_token) == ["creation", "view"]


@pytest.mark.long
def test_another_language_and_a_jump_in_the_page_keep_the_key(page: Page, bob: HttpApi) -> None:
    _, link = whole(bob, "s3cret")
    page.goto(link)
    page.locator(".skip").first.focus()
    page.keyboard.press("Enter")
    assert page.url.endswith(link.partition("#")[2])

    page.locator(".languages a[hreflang=de]").click()

    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("form[data-key-id]")).to_be_visible()


@pytest.mark.long
def test_the_page_with_the_link_says_when_the_key_is_missing_and_writes_in_another_language_with_it(page: Page) -> None:
    link = send_sealed(page, "s3cret")
    page.locator("#paste > summary").click()
    page.select_option("#push_locale", "de")

    press(page, "Write it in this language")

    expect(page.locator("#link")).to_have_value(link.replace("#", "?locale=de#"))
    assert page.input_value("#link") in page.input_value("#message")
    page.goto(page.url.partition("#")[0])
    expect(page.get_by_text("This is not the whole link")).to_be_visible()
    expect(page.locator("#link")).to_be_hidden()


@pytest.mark.long
def test_the_page_with_the_link_misses_no_key_before_its_script_has_arrived(page: Page) -> None:
    send_sealed(page, "s3cret")
    page.route("**/share.*.js", lambda _: None)  # no response

    page.reload(wait_until="commit")

    expect(page.get_by_role("link", name="Send another like this")).to_be_visible()
    expect(page.get_by_text("This is not the whole link")).to_be_hidden()


@pytest.mark.long
def test_the_switch_is_remembered_and_other_kinds_are_refused_while_it_is_on(page: Page, wire: Wire) -> None:
    send_sealed(page, "s3cret")
    page.goto("/")
    wire.over(page)
    expect(page.get_by_label("Encrypt in this browser")).to_be_checked()
    expect(page.locator("[data-chosen]")).to_contain_text("Encrypt in this browser")
    page.fill("#payload", "https://example.com/s3cret")
    page.locator("#kind-url").check()

    press(page, "Create link")

    expect(page.locator("[data-problem]")).to_contain_text("Only text can be encrypted in the browser.")
    expect(page.locator(".languages")).to_be_hidden()  # its buttons send the form
    assert "push[payload]" not in page.evaluate("[...new FormData(document.querySelector('[data-send]')).keys()]")
    page.get_by_role("link", name="Only text can be encrypted in the browser.").click()
    expect(page.get_by_label("Encrypt in this browser")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator(".languages")).to_be_visible()
    assert not wire.has("s3cret")


@pytest.mark.long
def test_what_the_server_refuses_is_shown_at_its_field(page: Page) -> None:
    page.goto("/")
    open_options(page)
    page.get_by_label("Encrypt in this browser").check()
    page.fill("#allowed_ips", "office")
    page.fill("#payload", "s3cret")
    press(page, "Create link")
    expect(page.locator("#allowed_ips-problem")).to_be_visible()
    page.fill("#allowed_ips", "")
    page.fill("#payload", " ")

    press(page, "Create link")

    expect(page.locator("#payload-problem")).to_have_text("Can't be blank.")


def test_the_page_opens_and_makes_the_jwe_of_the_contract(page: Page, api: HttpApi) -> None:
    link = send_sealed(page, SECRET)
    url_token, key = re.findall(r"/p/(\w+)", link)[0], decoded(link.partition("#k=")[2])

    jwe = api.retrieve(url_token).json

    assert jwe["sealed_key_id"] == key_id(key)
    assert open_jwe(jwe["payload"], key) == SECRET


def test_the_qr_code_is_the_one_of_another_encoder(page: Page) -> None:
    page.goto("about:blank")
    texts = ["".join(chr(33 + (7 * place + size) % 90) for place in range(size)) for size in QR_SIZES]

    script = (template.ROOT / "functions/pages/assets/qr.js").read_text()
    drawn = page.evaluate(f"texts => {{ {script}\n return texts.map((text) => qr(`a${{text}}`)); }}", texts)

    for text, rows in zip(texts, drawn, strict=True):
        assert rows in [symbol(f"a{text}", mask) for mask in range(8)], len(text)  # any mask can be read


def symbol(text: str, mask: int) -> list[list[int]]:
    code = segno.make(text, mode="byte", error="L", boost_error=False, micro=False, mask=mask)
    return [list(row) for row in code.matrix]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record everything of each request that the service gets, whichever browser sends it."""
    asked: list[str] = []
    exchange = Api.exchange

    def recorded(self: Api, method: str, path: str, **how: Any) -> tuple[Answer, list[str]]:
        asked.append(unquote(f"{method} {path} {how}"))
        return exchange(self, method, path, **how)

    monkeypatch.setattr(Api, "exchange", recorded)
    return asked


@pytest.mark.long
def test_firefox_and_webkit_seal_and_open_without_sending_the_key(
    window: Window, bob: HttpApi, asked: list[str]
) -> None:
    window.open("/")
    window.press("#options > summary")
    window.press("label:has(#seal)")
    window.fill("#payload", "s3cret é 🔑" if window.name == "firefox" else "s3cret é")
    typed = window.value("#payload")
    window.press(SEND)
    link, drawn = window.value("#link"), window.is_shown("figure svg.qr")
    key = link.partition("#k=")[2]
    window.forget()

    window.open(link)
    window.press(REVEAL)

    assert window.text(REVEALED) == typed
    assert drawn
    assert len(key) == 43
    assert len(asked) > 5
    assert [request for request in asked if key in request] == []
    assert window.driver.execute_script("return location.hash") == f"#k={key}"
    assert window.driver.execute_script("return history.state") is None
    if window.name == "firefox":
        window.open("/up")
        window.driver.back()
        assert window.text(REVEALED) == typed
    stored = open_jwe(bob.retrieve(link.split("/p/")[1][:26]).json["payload"], decoded(key))
    assert stored == typed
