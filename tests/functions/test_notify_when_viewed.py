"""`notify_when_viewed` in a create: an extension, for owners with a known address."""

from typing import Any

import pytest

from shared.identity import auth
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, START, Api
from tests.engines import resources
from tests.meters import write_units

FIELD = "notify_when_viewed"
REFUSALS = {
    "anybody": "is not allowed without an account, whose address is known",
    "a name": "is not allowed without an account, whose address is known",
    "without mail": "is not available",
}


@pytest.fixture(autouse=True)
def mails(configure: Configure) -> None:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")


@pytest.fixture
def owner(ann: Browser) -> Api:
    return Api(token=auth.issue_api_token(ann.owner, "test", now=START))


def stored() -> list[bool | None]:
    """Return the setting of each push."""
    return [item.get("notify", {}).get("BOOL") for item in resources.items("Pushes")]


@pytest.mark.parametrize(("said", "kept"), [(True, True), ("on", True), (0, False), ("", False), (None, None)])
def test_a_push_keeps_the_setting_and_the_response_includes_it(owner: Api, said: Any, kept: Any) -> None:
    answer = owner.create(**{FIELD: said})

    assert answer.status == 201
    assert answer.json.get(FIELD) is kept
    assert (FIELD in answer.json) == (kept is not None)
    assert stored() == [kept]


@pytest.mark.parametrize("who", REFUSALS)
def test_an_owner_without_address_can_only_turn_notices_off(
    owner: Api, api: Api, bob: Api, configure: Configure, who: str
) -> None:
    caller = {"anybody": api, "a name": bob, "without mail": owner}[who]
    if who == "without mail":
        configure(BASE_URL="")

    refused, no = caller.create(**{FIELD: True}), caller.create(**{FIELD: False})

    assert (refused.status, refused.json[FIELD]) == (422, [REFUSALS[who]])
    assert no.status == 201


def test_an_invalid_boolean_is_rejected(owner: Api) -> None:
    answer = owner.create(**{FIELD: "perhaps"})

    assert (answer.status, answer.json[FIELD]) == (422, ["must be true or false"])


def test_older_clients_may_say_it_too(owner: Api) -> None:
    answer = owner.post("/p.json", {"password": {"payload": "s3cret", FIELD: True}})

    assert (answer.status, answer.json[FIELD], stored()) == (201, True, [True])


def test_a_repeated_create_keeps_its_settings_and_a_change_is_rejected(owner: Api) -> None:
    first = owner.create(key=KEY, **{FIELD: True})

    again, other = owner.create(key=KEY, **{FIELD: True}), owner.create(key=KEY, **{FIELD: False})

    assert again.json == first.json
    assert other.status == 422
    assert stored() == [True]


def test_it_adds_no_write_unit_to_a_create_or_a_view(owner: Api) -> None:
    bills = []
    for said in (None, True):
        with write_units.billed() as bill:
            Api().retrieve(owner.push(name="n" * 255, notify_when_viewed=said))
        bills.append(bill.units)

    assert bills[0] == bills[1]
