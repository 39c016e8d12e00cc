"""Fixtures of the tests in real browsers, and of the API on moto behind a socket."""

import ssl
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from selenium.webdriver.remote.webdriver import WebDriver

from infra.local import certificate
from shared.domain import owners
from shared.identity import auth
from tests.conftest import Configure
from tests.doubles import hosted_sign_in
from tests.doubles.cognito import Cognito
from tests.drivers import browsing, webdriver
from tests.drivers.client import Api
from tests.drivers.http_client import HttpApi
from tests.engines import resources, serving


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this directory."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Run a real browser. Package scope: while it runs, no other test could have an event loop."""
    with browsing.chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def bucket() -> Iterator[str]:
    """Serve the bucket for the browser's uploads and downloads."""
    with serving.s3() as endpoint:
        yield endpoint


@pytest.fixture
def base_url(bucket: str, people: Cognito, configure: Configure) -> Iterator[str]:
    """Serve an empty installation."""
    with serving.serving(Api(), real_time=True) as base_url:
        configure(BASE_URL=base_url)
        yield base_url


@pytest.fixture
def api(base_url: str) -> HttpApi:
    """Return an anonymous caller."""
    return HttpApi(base_url=base_url)


@pytest.fixture
def bob(api: HttpApi) -> HttpApi:
    """Return a caller with an API token."""
    return api.as_owner(auth.issue_api_token("name:bob@example.com", "test", now=datetime.now(UTC)))


@pytest.fixture
def watch(base_url: str, bucket: str) -> Iterator[browsing.Watch]:
    """Check at the end of a test that no page logged to the console or called another host."""
    watch = browsing.Watch(base_url, bucket)
    yield watch
    assert watch.faults == []


@pytest.fixture
def visit(chromium: Browser, watch: browsing.Watch) -> Iterator[browsing.Visit]:
    """Return a function that opens a page in a fresh browser with these options."""
    with browsing.visiting(chromium, watch) as visit:
        yield visit


@pytest.fixture
def page(visit: browsing.Visit) -> Page:
    """Open a page in a fresh browser."""
    return visit()


@pytest.fixture
def account(people: Cognito) -> browsing.Account:
    """Create a confirmed account with a session for this test."""
    email, password = f"{uuid.uuid4().hex}@example.com", "correct horse battery 1"
    cognito, pool = resources.client("cognito-idp"), people.pool_id
    verified = [{"Name": "email", "Value": email}, {"Name": "email_verified", "Value": "true"}]
    user = cognito.admin_create_user(UserPoolId=pool, Username=email, UserAttributes=verified, MessageAction="SUPPRESS")
    cognito.admin_set_user_password(UserPoolId=pool, Username=email, Password=password, Permanent=True)
    [sub] = [one["Value"] for one in user["User"]["Attributes"] if one["Name"] == "sub"]
    session = auth.open_session(owners.of_account(sub), now=datetime.now(UTC), address=email)
    return browsing.Account(email, password, session)


@contextmanager
def elsewhere(base_url: str, people: Cognito, configure: Configure, **settings: str) -> Iterator[str]:
    """Have an installation sign people in by an OIDC provider, too; yield the provider's origin."""
    with hosted_sign_in.provider(people.pool_id, base_url, time.time) as provider:
        origin = provider.server.url.replace("127.0.0.1", "localhost")  # to a browser, that is another site
        configure(**provider.settings() | {"COGNITO_DOMAIN": origin} | settings)
        yield origin


@pytest.fixture(scope="session")
def tls(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """Return the certificate that the local stack makes for its https address."""
    return certificate.server_context(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="session")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory where Firefox keeps downloads."""
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def firefox(downloads: Path) -> Iterator[WebDriver]:
    """Run Firefox once for all tests of a worker: its start costs more than they do."""
    with webdriver.firefox(downloads) as driver:
        yield driver


@pytest.fixture(scope="session")
def webkit() -> Iterator[WebDriver]:
    """Run WebKit once for all tests of a worker."""
    with webdriver.webkit() as driver:
        yield driver


@pytest.fixture
def secure_url(base_url: str, tls: ssl.SSLContext, configure: Configure) -> Iterator[str]:
    """Serve the same installation over https, and have links lead there."""
    with serving.serving(Api(), real_time=True, tls=tls) as secure_url:
        configure(BASE_URL=secure_url)
        yield secure_url


@pytest.fixture(params=["firefox", "webkit"])
def window(request: pytest.FixtureRequest) -> webdriver.Window:
    """Open each browser where it can sign in: Firefox over http, as `make run` serves it, WebKit over https."""
    address = request.getfixturevalue("base_url" if request.param == "firefox" else "secure_url")
    window = webdriver.Window(request.param, request.getfixturevalue(request.param), address)
    window.forget()
    return window
