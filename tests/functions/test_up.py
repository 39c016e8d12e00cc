import pytest

from tests.conftest import Configure
from tests.drivers.client import Api
from tests.engines import resources


def test_an_installation_that_can_serve_says_so(api: Api) -> None:
    answer = api.get("/up")

    assert (answer.status, answer.json) == (200, {"status": "up"})


def test_an_installation_without_its_table_is_not_up(api: Api) -> None:
    resources.client("dynamodb").delete_table(TableName="test-Pushes")

    assert api.get("/up").status == 503


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_health_check_needs_no_token(api: Api, configure: Configure, method: str) -> None:
    configure(ANONYMOUS_ACCESS="false")

    answer = api.as_owner("nonsense").request(method, "/up")

    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
