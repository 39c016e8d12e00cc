"""Every page in each language on a narrow phone: the longest words fit."""

import pytest
from playwright.sync_api import Browser

from shared.domain.languages import SERVED
from shared.web import html
from tests.conftest import Configure, People
from tests.doubles.hosted_sign_in import Provider
from tests.drivers import every_page
from tests.drivers.browser import Browser as Person

WIDE = """() => [document.documentElement, ...document.querySelectorAll('button, a, h1, h2, label, td')]
    .filter((one) => one.scrollWidth > innerWidth).map((one) => one.textContent.trim().slice(0, 80))"""


@pytest.mark.long
def test_no_page_is_wider_than_320_pixels_in_any_language(
    chromium: Browser, ann: Person, people: People, provider: Provider, configure: Configure
) -> None:
    configure(MAIL_FROM="push@example.com")
    pages = [(name, values) for name, values in every_page.collect(ann, people, provider) if name.endswith(".html")]
    page = chromium.new_page(viewport={"width": 320, "height": 700}, java_script_enabled=True)

    wide = []
    for tag in SERVED:
        for name, values in pages:
            page.set_content(html.render(name, values, tag))
            wide += [(tag, name, text) for text in page.evaluate(WIDE)]

    assert wide == []
