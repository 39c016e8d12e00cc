"""Shared parts of the tests in a real browser: a watch over its requests and console, and people's steps."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    ViewportSize,
    expect,
    sync_playwright,
)

from shared.web.cookies import SESSION

Visit = Callable[..., Page]

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PHONE: ViewportSize = {"width": 390, "height": 780}
MIB = 1024 * 1024
PATIENCE = 60_000  # milliseconds for whatever a page waits for, on a busy machine; 5,000 by default in an `expect`

expect.set_options(timeout=PATIENCE)


@dataclass
class Watch:
    """Checks browser contexts for console messages and for requests to other hosts."""

    own: str
    bucket: str
    elsewhere: str = ""  # where people sign in, if they do so at another host
    documents: list[Response] = field(default_factory=list)
    _said: list[tuple[str, str]] = field(default_factory=list)
    _strangers: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext) -> None:
        context.on("console", self._hear)
        context.on("weberror", lambda error: self._said.append((str(error.error), "")))
        context.on("request", self._see)
        context.on("response", self._read)

    @property
    def faults(self) -> list[str]:
        # Chromium itself logs every document with an error status, for example a rejected form.
        refused = {document.url for document in self.documents if document.status >= 400}
        of_refused = {text for text, url in self._said if url in refused and text.startswith("Failed to load resource")}
        return [text for text, _ in self._said if text not in of_refused] + self._strangers

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._said.append((message.text, message.location["url"]))

    def _see(self, request: Request) -> None:
        is_file = request.is_navigation_request() or request.method == "POST"
        others = [f"{place}/" for place in (self.bucket, self.elsewhere) if place and is_file]
        places = [f"{self.own}/", "data:", *others]
        if not request.url.startswith(tuple(places)):
            self._strangers.append(f"{request.method} {request.url}")

    def _read(self, response: Response) -> None:
        if response.request.resource_type in ("document", "fetch") and response.url.startswith(f"{self.own}/"):
            self.documents.append(response)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the system's Chromium, or else Playwright's own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def visiting(browser: Browser, watch: Watch) -> Iterator[Visit]:
    """Return a function that opens a page in a fresh browser with these options."""
    contexts = []

    def visit(**options: Any) -> Page:
        context = browser.new_context(base_url=watch.own, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        watch.over(context)
        return context.new_page()

    yield visit
    for context in contexts:
        context.close()


@dataclass(frozen=True)
class Account:
    """The credentials of an account, and the cookie of a session of it where the test has opened one."""

    email: str
    password: str
    session: str = ""


@contextmanager
def requests(*pages: Page) -> Iterator[list[str]]:
    """Record the requests of these pages' browsers in this block, by method and path."""
    made: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith("data:"):
            made.append(f"{request.method} {urlsplit(request.url).path}")

    for page in pages:
        page.on("request", note)
    yield made
    for page in pages:
        page.remove_listener("request", note)


def press(page: Page, name: str) -> None:
    """Press a button."""
    page.get_by_role("button", name=name, exact=True).click()


def press_and_wait(page: Page, name: str) -> None:
    """Press a button and wait until the next page is there as a whole: an empty one also lacks what an old one had."""
    with page.expect_navigation():
        press(page, name)


def send(page: Page, payload: str = "s3cret", *, kind: str = "text", **fields: str) -> str:
    """Send a secret from the sender's page and return the link."""
    page.goto("/")
    page.locator(f"#kind-{kind}").check()
    page.fill("#payload", payload)
    if "name" in fields or "note" in fields:
        open_options(page)
    for name, value in fields.items():
        page.fill(f"#{name}", value)
    press(page, "Create link")
    return page.input_value("#link")


def open_options(page: Page) -> None:
    """Open the folded part of the sender's form."""
    page.locator("#options > summary").click()


def attach(page: Page, *files: tuple[str, bytes]) -> None:
    """Choose files, each by its name and content, from the disk: Playwright's own line is slow for megabytes."""
    directory = TemporaryDirectory()
    page.context.on("close", lambda _: directory.cleanup())
    chosen = [Path(directory.name) / name for name, _ in files]
    for path, (_, content) in zip(chosen, files, strict=True):
        path.write_bytes(content)
    page.locator("#files").set_input_files(chosen)


def reveal(page: Page, link: str) -> None:
    """Open a link, press its button, and wait for the secret or its refusal."""
    page.goto(link)
    press_and_wait(page, "Show the secret")


def payload(page: Page) -> str | None:
    """Return the secret, character for character."""
    return page.locator("#payload").text_content()


def heading(page: Page) -> str:
    """Return the page's heading."""
    return page.locator("h1").inner_text()


def sign_in(page: Page, account: Account) -> Page:
    """Show an account's pushes, signed in with its session, which saves two pages, or else with the form."""
    if not account.session:
        return sign_in_with_form(page, account)
    page.context.add_cookies(
        [
            {
                "name": SESSION,
                "value": account.session,
                "domain": "127.0.0.1",
                "path": "/",
                "secure": True,
                "httpOnly": True,
                "sameSite": "Lax",
            }
        ]
    )
    page.goto("/pushes")
    return page


def sign_in_with_form(page: Page, account: Account) -> Page:
    """Sign in with the form."""
    page.goto("/users/sign_in")
    page.fill("#email", account.email)
    page.fill("#password", account.password)
    press(page, "Sign in")
    return page
