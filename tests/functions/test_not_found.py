import pytest

from tests.conftest import Configure
from tests.drivers.client import Api

UNKNOWN = [
    ("GET", "/api/v2"),
    ("GET", "/api/v2/nothing"),
    ("GET", "/api/v2/accounts"),
    ("GET", "/api/v2/accounts.json"),
    ("POST", "/api/v2/accounts"),
    ("GET", "/api/v2/requests"),
    ("GET", "/api/v2/requests.json"),
    ("GET", "/api/v2/workspaces"),
    ("GET", "/api/v2/workspaces/1"),
    ("GET", "/api/v2/pushes"),
    ("GET", "/api/v2/pushes/new"),
    ("GET", "/api/v2/pushes/T/unknown"),
    ("POST", "/api/v2/pushes/active"),
    ("POST", "/api/v2/version"),
    ("DELETE", "/api/v2/pushes/active"),
    ("GET", "/api/v1/accounts"),
    ("PROPFIND", "/api/v2/pushes"),
]


@pytest.mark.parametrize(("method", "path"), UNKNOWN)
def test_an_unknown_endpoint_is_not_found(api: Api, bob: Api, method: str, path: str) -> None:
    for caller in (api, bob):
        answer = caller.request(method, path)

        assert (answer.status, answer.json) == (404, {"error": "not-found"})


@pytest.mark.parametrize("path", ["/api/v2/accounts", "/api/v2/requests", "/api/v2/workspaces"])
def test_an_unavailable_feature_is_not_found_before_authentication(api: Api, configure: Configure, path: str) -> None:
    configure(ANONYMOUS_ACCESS="false")

    assert [caller.get(path).status for caller in (api, api.as_owner("nonsense"))] == [404, 404]


@pytest.mark.parametrize("path", ["/api/v2/version", "/api/v2/pushes", "/api/v2/pushes/active", "/p/T.json"])
def test_options_is_no_endpoint(api: Api, path: str) -> None:
    assert api.request("OPTIONS", path).status == 404
