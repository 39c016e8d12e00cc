"""The store's contract holds on two more engines, over HTTP: the imported modules' tests run on moto, in process.

The tests are unchanged: only the fixtures use another engine.
"""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.contract import test_crashes, test_crashes_repeated, test_late_ttl, test_races, test_resending
from tests.drivers.client import START, Api
from tests.engines import over_http, resources
from tests.functions import (
    test_expire_push,
    test_list_active,
    test_list_expired,
    test_read_audit,
    test_retrieve_push,
)
from tests.meters.proof import Prove
from tests.shared.aws import test_claims, test_new_pushes, test_store
from tests.shared.identity import test_auth

SUITES = (
    test_store,
    test_claims,
    test_new_pushes,
    test_late_ttl,
    test_resending,
    test_races,
    test_crashes,
    test_crashes_repeated,
    test_list_active,
    test_list_expired,
    test_read_audit,
    test_expire_push,
    test_retrieve_push,
    test_auth,
)

pytestmark = pytest.mark.only_prove

ran: Counter[str] = Counter()
lost = test_resending.lost
refusing_s3 = test_crashes.refusing_s3
ask = test_crashes.ask

for suite in SUITES:
    stem = suite.__name__.rpartition(".")[2].removeprefix("test_")
    tests = {name: value for name, value in vars(suite).items() if name.startswith("test_") and callable(value)}
    globals().update({f"{name}__{stem}": test for name, test in tests.items()})


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test on each engine."""
    if "installation" in metafunc.fixturenames:
        metafunc.parametrize("installation", over_http.ENGINES, indirect=True, scope="module")


@pytest.fixture(scope="module")
def installation(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run an engine with the template's tables."""
    from shared.aws.connection import connection

    with (
        over_http.ENGINES[request.param](tmp_path_factory.mktemp(request.param)) as endpoints,
        over_http.use(endpoints),
        pytest.MonkeyPatch.context() as patch,
    ):
        # Sixty queued requests may take longer than DynamoDB ever does.
        patch.setattr(connection(), "_read_timeout_seconds", 30)
        resources.build()
        yield request.param


@pytest.fixture(scope="module", autouse=True)
def failed_before(request: pytest.FixtureRequest) -> int:
    """The number of other modules' failed tests, to be subtracted."""
    return request.session.testsfailed


@pytest.fixture
def aws(installation: str) -> None:
    """Use an empty installation on the engine, instead of moto in process."""
    resources.renew()
    resources.empty()
    ran[installation] += 1


@pytest.fixture
def served_bob(aws: None, monkeypatch: pytest.MonkeyPatch) -> Api:
    """Return a caller with an API token, for the races."""
    from shared.aws import backoff
    from shared.identity import auth

    monkeypatch.setattr(backoff, "PATIENCE", 600)
    return Api(token=auth.issue_api_token("name:bob@example.com", "test", now=START))


def test_all_of_them_held(prove: Prove, failed_before: int, request: pytest.FixtureRequest) -> None:
    """The last test of the module: its proof is that the earlier ones passed."""
    assert request.session.testsfailed == failed_before
    assert set(ran) == set(over_http.ENGINES)
    prove(
        "1-4",
        "The store keeps its contract on MiniStack and on roto as well as on moto",
        "the same tests, unchanged, over HTTP: " + ", ".join(f"{number} on {name}" for name, number in ran.items()),
    )
