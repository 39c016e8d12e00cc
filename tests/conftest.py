"""What most tests need: the API on moto, in process, made from the template."""

import logging
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import datetime

import pytest
from moto import mock_aws

from infra import template
from tests import engine

engine.set_environment()

from shared import auth, request  # noqa: E402 (settings are read at import)
from tests.browser import Browser  # noqa: E402
from tests.client import START, Api  # noqa: E402

PASSWORD = "correct horse battery"

pytest_plugins = ["tests.proof"]

Configure = Callable[..., None]
Issue = Callable[[str], str]


@pytest.fixture
def aws() -> Iterator[None]:
    """An empty installation on moto. The clients outlive it: what they reach is the moto of the moment."""
    with mock_aws():
        engine.renew()
        engine.build()
        yield
    engine.renew()


@pytest.fixture
def api(aws: None) -> Api:
    """An anonymous caller."""
    return Api()


@pytest.fixture
def issue(aws: None) -> Callable[[str], str]:
    """Issue an API token for an owner."""

    def issue(owner: str, expires_at: datetime | None = None) -> str:
        return auth.issue_api_token(owner, "test", now=START, expires_at=expires_at)

    return issue


@pytest.fixture
def bob(issue: Callable[[str], str]) -> Api:
    """A caller with an API token."""
    return Api(token=issue("bob@example.com"))


@pytest.fixture
def eve(issue: Callable[[str], str]) -> Api:
    """Another caller with an API token."""
    return Api(token=issue("eve@example.com"))


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch) -> Configure:
    """Change settings of the installation for one test."""

    def configure(**settings: str) -> None:
        from shared import settings as module

        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        module.current.cache_clear()

    return configure


@pytest.fixture(autouse=True, scope="session")
def _many_at_once() -> None:
    """Two hundred threads share one process here; in a function there is one request at a time."""
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
    # Up to Python 3.11 a cached property has one lock for all objects, behind which they would all wait to be known.
    for value in vars(request.Request).values():
        if hasattr(value, "lock"):
            value.lock = nullcontext()


@pytest.fixture
def people(aws: None, configure: Configure) -> None:
    """A user pool in which accounts can be made; moto takes any code for the right one."""
    cognito = engine.client("cognito-idp")
    [pool] = template.resources("AWS::Cognito::UserPool").values()
    [client] = template.resources("AWS::Cognito::UserPoolClient").values()
    wanted = {name: pool[name] for name in ("UsernameAttributes", "UsernameConfiguration", "Policies")}
    pool_id = cognito.create_user_pool(PoolName="test", **wanted)["UserPool"]["Id"]
    made = cognito.create_user_pool_client(**client | {"UserPoolId": pool_id, "ClientName": "test"})
    configure(USER_POOL_CLIENT_ID=made["UserPoolClient"]["ClientId"])


@pytest.fixture
def ann(people: None) -> Browser:
    """Somebody who has made an account and signed in."""
    browser = Browser()
    browser.visit("/users/sign_up").submit(email="Ann@example.com", password=PASSWORD)
    return browser.submit("/users/confirm", code="123456", password=PASSWORD)
