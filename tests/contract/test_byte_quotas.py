"""Daily quotas of bytes stored in S3: of each owner's files, and of all anonymous callers together."""

import base64
from datetime import timedelta
from html import unescape
from typing import Any

import pytest

from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import START, Answer, Api
from tests.engines import resources
from tests.meters import wire_tap

DAY = timedelta(days=1)
Declared = dict[str, Any]


def inline(size: int) -> Declared:
    return {"filename": "a", "data": base64.b64encode(b"x" * size).decode()}


def declared(size: int) -> Declared:
    return {"filename": "a", "size": size}


def refused(answer: Answer) -> bool:
    assert answer.status in (201, 429), answer
    return answer.status == 429


@pytest.fixture(autouse=True)
def _limits(configure: Configure) -> None:
    configure(DAILY_FILE_BYTES="1000", DAILY_ANONYMOUS_BYTES="200000")


@pytest.mark.parametrize("file", [inline, declared])
def test_an_owner_s_files_fill_their_day(bob: Api, eve: Api, file: Any) -> None:
    assert not refused(bob.create("", files=[file(400), file(600)]))

    assert refused(bob.create("", files=[file(1)]))
    assert not refused(eve.create("", files=[file(1000)]))
    bob.tick(days=1)
    assert not refused(bob.create("", files=[file(1000)]))


def test_inline_and_declared_files_count_alike(bob: Api) -> None:
    bob.create("", files=[inline(500), declared(400)])

    assert refused(bob.create("", files=[inline(101)]))
    assert not refused(bob.create("", files=[declared(100)]))


def test_the_refusal_says_when_the_next_day_begins(bob: Api) -> None:
    answer = bob.create("", files=[declared(1001)])

    assert answer.status == 429
    assert "1,000 bytes" in answer.json["error"]
    midnight = START.replace(hour=0) + DAY
    assert int(answer.headers["retry-after"]) == (midnight - START).total_seconds()


def test_a_rejected_upload_stores_nothing(bob: Api) -> None:
    before = resources.stored()

    assert refused(bob.create("x" * 9_000, files=[inline(1001)]))

    assert resources.stored() == before


def test_only_a_push_with_files_costs_an_owner_a_write_more(bob: Api) -> None:
    for fields, counted in (({"payload": "x" * 9_000}, 0), ({"files": [inline(1)]}, 1)):
        with wire_tap.calls() as calls:
            bob.push(**fields)

        assert [wanted["TableName"] for _, wanted in calls if "Quotas" in str(wanted.get("TableName"))] == [
            "test-Quotas"
        ] * counted


def fill(day: int, size: int = 15_000) -> None:
    """Spend bytes of the anonymous day, from many sources."""
    for number in range(day // size):
        assert not refused(Api(ip=f"198.51.100.{number}").create("x" * size))


def test_anonymous_payloads_over_three_kilobytes_fill_the_daily_quota(aws: None) -> None:
    fill(195_000)
    other = Api(ip="203.0.113.9")

    assert refused(other.create("x" * 9_000))
    assert not refused(other.create("x" * 3_072))
    assert not refused(other.create("x" * 3_072))
    other.tick(days=1)
    assert not refused(other.create("x" * 9_000))


def test_owners_push_on_when_the_anonymous_day_is_full(bob: Api) -> None:
    fill(195_000)

    assert not refused(bob.create("x" * 100_000))


def test_anonymous_files_fall_under_the_anonymous_day(api: Api, configure: Configure) -> None:
    configure(FILE_AUTHENTICATION="false")
    fill(165_000)

    assert not refused(api.create("", files=[declared(5_000), inline(5_000)]))
    assert not refused(api.create("x" * 9_900))
    assert refused(Api(ip="203.0.113.9").create("", files=[inline(15_000)]))


@pytest.mark.parametrize(
    ("ip", "its_own", "another"),
    [
        ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:2::1"),
    ],
)
def test_a_source_spends_a_tenth_of_the_anonymous_day(
    aws: None, configure: Configure, ip: str, its_own: str, another: str
) -> None:
    configure(FILE_AUTHENTICATION="false")

    assert refused(Api(ip=ip).create("", files=[declared(20_001)]))
    assert not refused(Api(ip=ip).create("", files=[declared(10_000)]))
    assert not refused(Api(ip=its_own).create("x" * 9_900))
    assert refused(Api(ip=its_own).create("", files=[declared(101)]))
    assert refused(Api(ip=ip).create("x" * 9_900))
    assert not refused(Api(ip=another).create("", files=[declared(20_000)]))


def test_a_declared_but_missing_upload_blocks_nobody_else(api: Api, configure: Configure) -> None:
    configure(FILE_AUTHENTICATION="false", DAILY_ANONYMOUS_BYTES=str(2**30))

    assert refused(api.create("", files=[declared(2**30)]))
    while not refused(api.create("", files=[declared(2**26)])):
        pass
    assert not refused(Api(ip="203.0.113.9").create("x" * 30_000))


def test_a_short_anonymous_push_costs_no_write_more(api: Api) -> None:
    with wire_tap.calls() as calls:
        api.push("x" * 3_072)

    assert [operation for operation, _ in calls if operation == "UpdateItem"] == []


def test_zero_is_no_limit(api: Api, bob: Api, configure: Configure) -> None:
    configure(DAILY_FILE_BYTES="0", DAILY_ANONYMOUS_BYTES="0")

    assert not refused(api.create("x" * 30_000))
    assert not refused(bob.create("", files=[declared(100_000)]))
    assert resources.items("Quotas") == []


def test_the_page_shows_the_error_at_the_files_and_keeps_the_input(ann: Browser) -> None:
    typed = {"push[kind]": "file", "push[payload]": "typed\nbefore", "push[note]": "a note"}

    page = ann.visit("/").submit("", direct='[{"filename": "a", "size": 1001}]', **typed).page

    assert page.status == 429
    assert int(page.headers["retry-after"]) > 0
    assert 'id="files-problem">You may send 1,000 bytes of files a day (UTC)' in page.text
    assert "typed\nbefore" in unescape(page.text)
    assert "a note" in page.text


def test_the_page_shows_the_error_at_the_secret_and_keeps_the_input(aws: None) -> None:
    browser = Browser()

    page = browser.visit("/").submit("", **{"push[payload]": "x" * 30_000, "push[passphrase]": "typed"}).page

    assert page.status == 429
    assert 'id="payload-problem">This service accepts no more' in page.text
    assert "x" * 30_000 in page.text
    assert 'value="typed"' in page.text
