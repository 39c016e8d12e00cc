import pytest

from shared import __version__
from tests.conftest import Configure
from tests.drivers.client import Api

EVERYTHING_OFF = {"ANONYMOUS_ACCESS": "false", "URL_PUSHES": "false", "QR_CODE_PUSHES": "false"}


def test_the_version_describes_the_installation(api: Api) -> None:
    answer = api.get("/api/v2/version")

    assert answer.status == 200
    versions = {name: answer.json[name] for name in ("application_version", "api_version", "edition")}
    assert versions == {"application_version": f"2.11.4+{__version__}", "api_version": "2.1", "edition": "oss"}


def test_the_features_are_as_the_installation_has_them(api: Api, configure: Configure) -> None:
    on = api.get("/api/v2/version").json["features"]
    configure(**EVERYTHING_OFF)
    off = api.get("/api/v2/version").json["features"]

    for features, switch in ((on, True), (off, False)):
        assert features["anonymous_access"] is switch
        assert features["pushes"]["url_pushes"] == features["pushes"]["qr_code_pushes"] == {"enabled": switch}


def test_unavailable_features_are_off_and_others_on(api: Api) -> None:
    features = api.get("/api/v2/version").json["features"]

    assert features["accounts"] == features["requests"] == {"enabled": False}
    assert features["api_token_authentication"] is features["pushes"]["enabled"] is True
    assert features["pushes"]["email_auto_dispatch"] is False
    assert features["pushes"]["file_attachments"] == {"enabled": True, "requires_authentication": True}


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic x"}, {"X-User-Token": "nonsense"}]
)
def test_the_version_is_public_with_any_token(api: Api, configure: Configure, headers: dict[str, str]) -> None:
    configure(ANONYMOUS_ACCESS="false")

    assert api.request("GET", "/api/v2/version", headers=headers).status == 200


def test_the_json_path_tells_it_too(api: Api) -> None:
    assert api.get("/api/v2/version.json").json == api.get("/api/v2/version").json
