from openapi_spec_validator import validate

from tests.conftest import Configure
from tests.contract.test_openapi import document
from tests.drivers.client import DOMAIN, Api


def test_the_served_document_has_this_installation_as_its_server(api: Api) -> None:
    answer = api.get("/api/v2/openapi.json")

    assert answer.status == 200
    assert answer.json == document() | {"servers": [{"url": f"https://{DOMAIN}"}]}
    validate(answer.json)


def test_its_server_is_the_domain_that_links_have(api: Api, configure: Configure) -> None:
    configure(BASE_URL="https://push.example.com")

    assert api.get("/api/v2/openapi.json").json["servers"] == [{"url": "https://push.example.com"}]


def test_it_is_there_for_tools_without_a_token(api: Api, configure: Configure) -> None:
    configure(ANONYMOUS_ACCESS="false")

    assert api.get("/api/v2/openapi.json").status == 200
