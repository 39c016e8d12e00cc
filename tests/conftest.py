"""Shared fixtures: the API on moto, in process, created from the template."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import datetime

import pytest

from infra.build import catalogues, template
from infra.build.compile_catalogues import compile_all
from infra.local.emulator import Emulator
from shared.identity import auth
from shared.web import logs, request
from tests.doubles import cognito, fine_grained_access, hosted_sign_in, virtual_time
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api
from tests.engines import moto_in_process, over_http, resources

resources.set_environment()
compile_all(catalogues.LOCALES)

PASSWORD = "correct horse battery"
HOME = "https://push.example.com"

pytest_plugins = ["tests.meters.proof", "tests.sharing"]

Configure = Callable[..., None]
Issue = Callable[[str], str]
People = cognito.Cognito | cognito.Emulated


@pytest.fixture
def backend() -> str:
    """The name of the engine that replaces AWS; modules that run on MiniStack, too, override this fixture."""
    return "moto"


@pytest.fixture(scope="session")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[over_http.Endpoints]:
    """Run MiniStack with the template's tables and bucket; it enforces IAM, and so checks codes and secret hashes."""
    emulator = Emulator(tmp_path_factory.mktemp("ministack"), enforce_iam=True)
    try:
        emulator.start()
        endpoints = {"AWS_ENDPOINT_URL": emulator.endpoint}
        with over_http.use(endpoints):
            resources.build()
        yield endpoints
    finally:
        emulator.stop()


@pytest.fixture
def aws(backend: str, request: pytest.FixtureRequest) -> Iterator[None]:
    """Run an empty installation, by default on moto. The clients outlive it: they always reach the current one."""
    if backend == "ministack":
        with over_http.use(request.getfixturevalue("ministack")):
            resources.empty()
            yield
        return
    with moto_in_process.fresh():
        yield


@pytest.fixture
def api(aws: None) -> Api:
    """Return an anonymous caller."""
    return Api()


@pytest.fixture
def issue(aws: None) -> Callable[[str], str]:
    """Return a function that issues an API token for an owner."""

    def issue(owner: str, expires_at: datetime | None = None) -> str:
        return auth.issue_api_token(owner, "test", now=START, expires_at=expires_at)

    return issue


@pytest.fixture
def bob(issue: Callable[[str], str]) -> Api:
    """Return a caller with an API token."""
    return Api(token=issue("name:bob@example.com"))


@pytest.fixture
def eve(issue: Callable[[str], str]) -> Api:
    """Return another caller with an API token."""
    return Api(token=issue("name:eve@example.com"))


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch) -> Configure:
    """Return a function that changes settings of the installation for one test."""

    def configure(**settings: str) -> None:
        from shared.runtime import settings as module

        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        module.current.cache_clear()

    return configure


class _StandardOutput:
    """Standard output at the time of a write: pytest replaces it after the logger is created (capsys)."""

    def write(self, text: str) -> None:
        sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


@pytest.fixture(autouse=True, scope="session")
def _printed_lines() -> None:
    """Print the functions' log lines where pytest reads them."""
    [printing] = logs.logger.handlers
    assert isinstance(printing, logging.StreamHandler)
    printing.setStream(_StandardOutput())


@pytest.fixture(autouse=True, scope="session")
def _least_privilege() -> Iterator[None]:
    """In every test, as on AWS, a write to DynamoDB fails if its function's policies do not allow it."""
    with fine_grained_access.enforced():
        yield


@pytest.fixture(autouse=True, scope="session")
def _many_at_once() -> None:
    """Allow two hundred threads in one process; a function has one request at a time."""
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
    # Up to Python 3.11 a cached property has one lock for all objects, so threads would wait for each other.
    for value in vars(request.Request).values():
        if hasattr(value, "lock"):
            value.lock = nullcontext()


@pytest.fixture(autouse=True)
def _no_time_passes() -> Iterator[None]:
    """The clock of a test is `Api.now`."""
    with virtual_time.standing():
        yield


@pytest.fixture
def people(aws: None, backend: str, configure: Configure) -> Iterator[People]:
    """Create a user pool that behaves like AWS's, and keep its mails."""
    client = resources.client("cognito-idp")
    [pool] = template.resources("AWS::Cognito::UserPool").values()
    app = template.resources("AWS::Cognito::UserPoolClient")["UserPoolClient"]
    wanted = {name: pool[name] for name in ("UsernameAttributes", "UsernameConfiguration", "Policies")}
    pool_id = client.create_user_pool(PoolName="test", **wanted)["UserPool"]["Id"]
    assert (pool["MfaConfiguration"], pool["EnabledMfas"]) == ("OPTIONAL", ["SOFTWARE_TOKEN_MFA"])
    by_app = {"SoftwareTokenMfaConfiguration": {"Enabled": True}, "MfaConfiguration": "OPTIONAL"}
    client.set_user_pool_mfa_config(UserPoolId=pool_id, **by_app)
    made = client.create_user_pool_client(**app | {"UserPoolId": pool_id, "ClientName": "test"})
    configure(USER_POOL_ID=pool_id, USER_POOL_CLIENT_ID=made["UserPoolClient"]["ClientId"])
    if backend == "ministack":
        yield cognito.Emulated(pool_id)
        return
    with cognito.as_aws(pool_id) as double:
        yield double


@pytest.fixture
def provider(people: People, configure: Configure) -> Iterator[hosted_sign_in.Provider]:
    """Have the installation sign people in by an OIDC provider, at the address `HOME`."""
    with hosted_sign_in.provider(people.pool_id, HOME) as provider:
        configure(BASE_URL=HOME, **provider.settings())
        yield provider


@pytest.fixture
def ann(people: People) -> Browser:
    """Return a person who has created an account and signed in."""
    return signed_up("Ann@example.com", people)


def signed_up(email: str, people: People) -> Browser:
    """Create an account with the mailed code, and sign in."""
    browser = Browser()
    browser.visit("/users/sign_up").submit("/users/sign_up", email=email)
    return browser.submit("/users/confirm", code=people.code(email.lower()), password=PASSWORD)
