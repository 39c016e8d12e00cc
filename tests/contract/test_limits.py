"""The settings Days and Views: minimum, default and maximum of a new push (contract, section 13)."""

import re
from datetime import timedelta
from typing import Any

import pytest

from infra.build import template
from shared.domain import bounds, limits
from shared.domain.limits import DURATIONS
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import Api

NARROW = {"DAYS": "2,4,7", "VIEWS": "3,6,9"}


@pytest.fixture(autouse=True)
def _narrow(aws: None, configure: Configure) -> None:
    configure(**NARROW)


def test_a_push_without_limits_gets_the_installation_s_defaults(api: Api) -> None:
    created = api.create().json

    assert (created["expire_after_days"], created["expire_after_views"]) == (4, 6)
    assert created["expires_at"] == "2026-01-05T01:00:00.000Z"


@pytest.mark.parametrize(("days", "views"), [(2, 3), (7, 9)])
def test_limits_at_the_installation_s_bounds_are_taken(api: Api, days: int, views: int) -> None:
    assert api.create(expire_after_days=days, expire_after_views=views).status == 201


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("expire_after_days", 1, "must be between 2 and 7"),
        ("expire_after_days", 8, "must be between 2 and 7"),
        ("expire_after_views", 2, "must be between 3 and 9"),
        ("expire_after_views", "10", "must be between 3 and 9"),
    ],
)
def test_limits_beyond_the_installation_s_bounds_are_refused_with_them(
    api: Api, field: str, value: Any, message: str
) -> None:
    answer = api.create(**{field: value})

    assert (answer.status, answer.json) == (422, {field: [message]})


@pytest.mark.parametrize("index", range(len(DURATIONS)))
def test_a_duration_beyond_the_installation_s_days_is_refused(api: Api, index: int) -> None:
    answer = api.create(expire_after_duration=index)

    if timedelta(days=2) <= DURATIONS[index] <= timedelta(days=7):
        assert answer.status == 201
    else:
        assert (answer.status, answer.json) == (
            422,
            {"expire_after_duration": ["must be a lifetime of 2 to 7 days"]},
        )


def test_a_lifetime_below_a_day_needs_the_minimum_1(api: Api, configure: Configure) -> None:
    configure(DAYS="1,1,1")

    assert api.create(expire_after_duration=0).status == 201
    assert api.create(expire_after_duration=7).status == 422


def test_the_form_offers_the_installation_s_limits_alone(api: Api) -> None:
    page = Browser(api).visit("/").page.text

    offered = re.findall(r'<option value="(\d*)"( selected)?>([^<]+)', page.partition('id="lifetime"')[2])[:6]
    assert [text for _, _, text in offered] == [f"{number} days" for number in range(2, 8)]
    assert [text for _, selected, text in offered if selected] == ["4 days"]
    assert 'min="3" max="9" value="6"' in page


def test_a_default_that_is_no_duration_is_offered_and_taken(api: Api, configure: Configure) -> None:
    configure(DAYS="8,10,12")

    created = Browser(api).visit("/").submit("", **{"push[payload]": "s3cret"})

    assert api.retrieve(created.at.split("/")[2]).json["expire_after_days"] == 10


def test_the_form_says_which_bounds_a_sent_number_breaks(api: Api) -> None:
    page = Browser(api).visit("/").submit("", **{"push[payload]": "s", "push[expire_after_views]": "10"}).page

    assert page.status == 422
    assert "Must be between 3 and 9." in page.text


def test_an_existing_push_keeps_its_limits(api: Api, configure: Configure) -> None:
    url_token = api.push(expire_after_days=7, expire_after_views=9)

    configure(DAYS="1,1,1", VIEWS="1,1,1")
    api.tick(days=6)

    shown = api.retrieve(url_token).json
    assert (shown["payload"], shown["views_remaining"], shown["days_remaining"]) == ("s3cret", 8, 1)


def test_the_served_description_has_the_installation_s_bounds(api: Api) -> None:
    schemas = api.get("/api/v2/openapi.json").json["components"]["schemas"]

    for schema, name in (("NewPush", "{}"), ("NewPushForm", "push[{}]"), ("NewPushMultipart", "push[{}]")):
        properties = schemas[schema]["properties"]
        fields = [properties[name.format(f"expire_after_{what}")] for what in ("days", "views", "duration")]
        assert [(field["minimum"], field["maximum"]) for field in fields] == [(2, 7), (3, 9), (7, 12)]
        assert [field["description"] for field in fields[:2]] == ["Default: 4.", "Default: 6."]
    assert schemas["Push"]["properties"]["expire_after_days"]["maximum"] == 90  # an existing push keeps its own


@pytest.mark.parametrize(("name", "widest"), [("Days", limits.DAYS), ("Views", limits.VIEWS)])
def test_the_template_takes_what_the_settings_take(name: str, widest: bounds.Bounds) -> None:
    parameter = template.load()["Parameters"][name]
    pattern = re.compile(parameter["AllowedPattern"])

    assert bounds.parse(parameter["Default"], widest) == widest
    for text in (f"1,1,{widest.highest}", f"{widest.highest}," * 2 + f"{widest.highest}"):
        assert pattern.match(text)
    for text in ("", "0,1,2", "1,2", "1,2,3,4", "1, 2, 3", "1,2,101", "a,b,c"):
        assert not pattern.match(text)
