"""A browser's sign-in by an OIDC provider, on the double of Cognito's hosted pages."""

import re
from html import unescape

from infra.local.user_pool import Person
from tests.doubles.hosted_sign_in import CAROL, Provider
from tests.drivers.browser import Browser

PAGE = "/users/sign_in"


def leave(provider: Provider, browser: Browser | None = None, *, start: str = PAGE) -> Browser:
    """Press the button on the sign-in page; the browser is then about to leave for Cognito."""
    browser = browser or Browser()
    browser.outside = provider.server.url
    [button] = re.findall(r'href="(/users/sign_in/provider[^"]*)"', browser.visit(start).page.text)
    return browser.visit(unescape(button))


def way_back(provider: Provider, browser: Browser, person: Person = CAROL, **answer: str) -> str:
    """Return the callback's URL for a browser that has left."""
    return provider.way_back(browser.page.headers["location"], person, **answer)


def signed_in(
    provider: Provider, person: Person = CAROL, browser: Browser | None = None, *, start: str = PAGE
) -> Browser:
    """Sign in by the provider."""
    browser = leave(provider, browser, start=start)
    return browser.visit(way_back(provider, browser, person))
