"""No response has larger headers than API Gateway allows: the client of all tests checks it."""

from urllib.parse import quote

import pytest

from infra.build import template
from shared.domain import digests
from shared.domain.account_rules import MAX_ADDRESS
from shared.web.paths import MAX_LOCATION
from tests.conftest import PASSWORD
from tests.drivers.browser import Browser
from tests.drivers.client import MAX_HEADERS, Api, Context, filled, handler_of, headers_size

LONG = "é" * 1_600  # 9,600 bytes percent-encoded; with a path and its headers still a valid request
LONGEST_PASSPHRASE = "€" * 682  # 2,046 bytes, the contract's limit


@pytest.mark.parametrize("path", ["/f/x/r.json", "/r/x/r.json"])
def test_an_old_link_with_a_query_too_long_for_a_redirect_is_refused(api: Api, path: str) -> None:
    answer = api.get(path, passphrase=LONG)

    assert answer.status == 400
    assert "too long" in answer.text


@pytest.mark.parametrize(("more", "status"), [(0, 301), (1, 400)])
def test_an_old_link_redirects_up_to_the_longest_url(api: Api, more: int, status: int) -> None:
    room = MAX_LOCATION - len("/p/x/r.json?passphrase=")

    assert api.get("/f/x/r.json", passphrase="a" * (room + more)).status == status


def test_an_old_link_takes_the_longest_passphrase_along(api: Api) -> None:
    answer = api.get("/f/x/r.json", passphrase=LONGEST_PASSPHRASE)

    assert answer.status == 301
    assert answer.headers["location"] == f"/p/x/r.json?passphrase={quote(LONGEST_PASSPHRASE)}"


@pytest.mark.parametrize("form", ["sign_up", "confirm", "sign_in", "password", "new_password"])
@pytest.mark.parametrize(
    "address", ["a" * 3_000 + "@example.com", "é" * 1_000 + "@example.com", "a" * 243 + "@example.com"]
)
def test_an_address_over_the_maximum_length_gets_one_sentence(people: None, form: str, address: str) -> None:
    fields = {"email": address, "password": PASSWORD, "code": "123456"}

    page = Browser().visit(f"/users/{form}").submit(**fields).page

    assert page.status == (401 if form == "sign_in" else 400)
    assert 'role="alert"' in page.text


def test_the_longest_address_is_let_through(people: None) -> None:
    address = "a@" + "b" * (MAX_ADDRESS - len("a@.com")) + ".com"

    browser = Browser().visit("/users/password").submit(email=address)

    assert browser.at == "/users/new_password"


@pytest.mark.parametrize("form", ["sign_in", LONG[:1_300]])
def test_no_route_answers_with_more_headers_than_the_gateway_takes(bob: Api, people: None, form: str) -> None:
    url_token = bob.push(retrieval_step=False)
    for route in template.routes():
        for value in (url_token, LONG[:1_300]):
            values = dict.fromkeys(("url_token", "token", "manage_key", "name", "ask_token"), value)
            method, path = filled(route.key, form=form, id=digests.digest(value), **values)
            event = bob.event(method, path, query={"page": "2", "email": value, "x": value})

            assert event["routeKey"] == route.key
            assert headers_size(handler_of(event["routeKey"])(event, Context())) < MAX_HEADERS, route.key
