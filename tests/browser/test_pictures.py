"""The documents' pictures. `make pictures` keeps them in docs/screenshots; other runs only take them."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page
from selenium.webdriver.remote.webdriver import WebDriver

from infra.build import template
from shared.identity import auth
from shared.web.cookies import SESSION
from tests.drivers.browsing import MIB, PHONE, Account, Visit, attach, reveal, send, sign_in
from tests.drivers.http_client import HttpApi
from tests.drivers.webdriver import Window
from tests.shared.service import test_answers

pytestmark = pytest.mark.long

KEPT = template.ROOT / "docs" / "screenshots"
DESKTOP = {"width": 800, "height": 760}
SECRET = "Database: violet-anchor-37-meadow"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return KEPT if os.environ.get("PICTURES") else tmp_path


def take(page: Page, directory: Path, name: str) -> None:
    page.wait_for_load_state("networkidle")
    page.screenshot(path=directory / f"{name}.png", animations="disabled")


def test_the_way_of_a_secret(visit: Visit, directory: Path) -> None:
    sender, recipient = visit(viewport=DESKTOP), visit(viewport=DESKTOP)

    sender.goto("/")
    take(sender, directory, "sender")
    link = send(sender, SECRET)
    take(sender, directory, "sent")
    recipient.goto(link)
    take(recipient, directory, "recipient")
    reveal(recipient, link)
    take(recipient, directory, "revealed")


def test_an_owners_pushes_on_a_desktop_and_a_dark_phone(
    visit: Visit, account: Account, api: HttpApi, directory: Path
) -> None:
    desktop = sign_in(visit(viewport=DESKTOP), account)
    desktop.wait_for_url("**/pushes")
    [session] = [one["value"] for one in desktop.context.cookies() if one["name"] == SESSION]
    seen = auth.find_session(session, now=datetime.now(UTC))
    assert seen
    owner = api.as_owner(auth.issue_api_token(seen.owner, "pictures", now=datetime.now(UTC)))
    tokens = [owner.push(name=name) for name in ("Database of the shop", "Guest Wi-Fi", "Contract, signed")]
    api.retrieve(tokens[1])
    desktop.goto("/pushes")
    take(desktop, directory, "dashboard")
    phone = visit(viewport=PHONE, color_scheme="dark", storage_state=desktop.context.storage_state())
    phone.goto("/")
    take(phone, directory, "phone")


def test_an_ask_and_the_page_to_answer_it(visit: Visit, account: Account, directory: Path) -> None:
    asker, answerer = sign_in(visit(viewport=DESKTOP), account), visit(viewport=PHONE)
    message = "The signed contract, please, and the password of the shop's database."

    asker.goto("/asks/new")
    asker.fill("#message", message)
    asker.check("[name=files][type=checkbox]")
    take(asker, directory, "ask")
    opened = test_answers.stored(now=datetime.now(UTC), message=message, files=True)
    answerer.goto(f"/a/{opened.terms.ask_token}")
    answerer.fill("#payload", SECRET)
    attach(answerer, ("contract.pdf", bytes(MIB)))
    take(answerer, directory, "answer")


@pytest.mark.parametrize(("name", "tag"), [("arabic", "ar"), ("japanese", "ja"), ("german", "de")])
def test_a_language_on_a_phone(visit: Visit, api: HttpApi, directory: Path, name: str, tag: str) -> None:
    page = visit(viewport=PHONE, color_scheme="dark" if tag == "ar" else "light", locale=tag)

    page.goto("/" if tag == "de" else f"/p/{api.push(passphrase='right')}/r")
    take(page, directory, name)


@pytest.mark.parametrize("browser", ["firefox", "webkit"])
def test_another_browser(request: pytest.FixtureRequest, base_url: str, directory: Path, browser: str) -> None:
    driver: WebDriver = request.getfixturevalue(browser)
    window = Window(browser, driver, base_url)
    driver.set_window_size(800, 860)

    window.open("/")
    window.find("#payload")

    assert driver.save_screenshot(str(directory / f"{browser}.png"))
