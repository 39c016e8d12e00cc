"""An answer to an ask is a push of the asker's, counted in the one write that creates it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from functions import publish_events
from shared.aws import asks as store
from shared.domain import errors, new_ask, url_tokens
from shared.domain.ask import Opened
from shared.domain.audit import Caller
from shared.domain.idempotency import Name
from shared.domain.new_push import Created
from shared.identity import account_status, auth
from shared.runtime import settings
from shared.service import answers, asks
from tests.conftest import Configure, People
from tests.contract import test_events
from tests.contract.test_one_write import writes_of
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import KEY, OTHER_KEY, START, Api, Context
from tests.engines import resources
from tests.meters import wire_tap

BOB = "name:bob@example.com"
MINUTE = timedelta(minutes=1)


def stored(owner: str = BOB, *, now: datetime = START, address: str = "ann@example.com", **fields: Any) -> Opened:
    """Store an ask, without the API, which asks Cognito for the address."""
    new = new_ask.new_ask({"message": "x", "name": "Shop", **fields}, settings.current())
    opened = asks._build_ask(new, owner, address, Name(url_tokens.new_url_token()), now=now)
    assert store.create(opened.ask)
    return opened


def answer(
    opened: Opened, payload: str = "s3cret", key: str | None = KEY, ip: str = "192.0.2.1", **how: Any
) -> Created:
    """Answer an ask a minute after its creation."""
    now = how.pop("now", START + MINUTE)
    parameters = {"payload": payload, **how}
    return answers.answer_ask(opened.terms.ask_token, parameters, Caller(ip=ip, user_agent="b"), now=now, key=key)


def send(opened: Opened, number: int) -> int:
    """Answer an ask on its page as one of several senders; return the status: 303, or 410 if the ask has ended."""
    api = Api(now=START + MINUTE, ip=f"198.51.100.{number}")
    form = {"push[payload]": f"answer {number}", "idempotency_key": f"{KEY}-{number}"}
    headers = {"content-type": FORM, "sec-fetch-site": "same-origin"}
    return api.request("POST", f"/a/{opened.terms.ask_token}", headers=headers, body=urlencode(form).encode()).status


def counted(opened: Opened) -> int:
    found = store.find(opened.ask.id)
    assert found
    return found.answers


def test_an_answer_is_the_asker_s_push_with_the_ask_s_limits_and_name(bob: Api) -> None:
    opened = stored(push={"expire_after_duration": 0, "expire_after_views": 1, "retrieval_step": False})

    created = answer(opened, note="of a stranger", expire_after_views=100, passphrase="p", name="n")

    [listed] = bob.active().json
    assert (listed["url_token"], listed["name"], listed["note"]) == (created.url_token, "Shop", "")
    assert (listed["expire_after_views"], listed["expires_at"]) == (1, "2026-01-01T01:16:00.000Z")
    assert (listed["passphrase"], listed["retrieval_step"]) == ("", False)
    assert bob.retrieve(created.url_token).json["payload"] == "s3cret"
    [creation, _] = bob.audit(created.url_token).json["logs"]
    assert (creation["kind"], creation["ip"], creation["user_agent"]) == ("creation", "192.0.2.1", "b")


def test_an_ask_keeps_its_limits_when_the_installation_s_get_narrower(aws: None, configure: Configure) -> None:
    opened = stored(push={"expire_after_days": 60, "expire_after_views": 50})
    configure(DAYS="1,7,14", VIEWS="1,5,10")

    push = answer(opened).push

    assert (push.expire_after_days, push.expire_after_views) == (60, 50)


def test_the_event_of_an_answer_names_its_ask(bob: Api) -> None:
    opened = stored()
    bob.push()
    answer(opened)

    with test_events.bus() as arrived:
        publish_events.handler(test_events.stream(), Context())

    named = [detail.get("ask_id") for detail in test_events.details(arrived)]
    assert sorted(named, key=str) == sorted([None, opened.ask.id], key=str)


def test_one_write_counts_the_answer_and_creates_its_push(aws: None) -> None:
    opened = stored()

    assert writes_of(lambda: answer(opened, key=None))[-1] == sorted(
        ["Put Pushes", "Put Secrets", "Put AuditEntries", "Update Asks"]
    )
    assert counted(opened) == 1


def test_an_ask_takes_no_answer_after_its_last_one_its_time_or_its_end(aws: None) -> None:
    full, late, ended = stored(), stored(), stored()
    answer(full)
    store.end(ended.ask, START)

    for over, now in ((full, START + MINUTE), (late, late.ask.expires_at), (ended, START + MINUTE)):
        with pytest.raises(errors.NotFound):
            answer(over, key=OTHER_KEY, now=now)
        assert not store.end(over.ask, now)
    with pytest.raises(errors.NotFound):
        answers.answer_ask("nosuchtoken", {"payload": "x"}, Caller(ip="192.0.2.1"), now=START)
    assert len(resources.items("Pushes")) == 1


@pytest.mark.parametrize(
    ("change", "refusal"), [("full", errors.NotFound), ("ended", errors.NotFound), ("bytes", errors.TooLarge)]
)
def test_the_write_decides_whether_an_ask_is_open_and_a_late_answer_costs_the_asker_nothing(
    bob: Api, configure: Configure, change: str, refusal: type[errors.Refusal]
) -> None:
    """The ask changes between the read and the write."""
    configure(DAILY_FILE_BYTES="9")
    is_full, files = change == "full", [{"filename": "a", "size": 9}]
    opened = stored(answers=1 if is_full else 2, max_bytes=15 if is_full else 14, files=True)

    def meanwhile() -> None:
        store.end(opened.ask, START) if change == "ended" else answer(opened, key=OTHER_KEY, ip="192.0.2.2")

    with wire_tap.before_first("TransactWriteItems", meanwhile), pytest.raises(refusal):
        answer(opened, "", files=files)
    assert len(resources.items("Pushes")) == (change != "ended")
    assert [bob.create("", files=files).status for _ in range(2)] == [201, 429]


def test_a_repeat_is_the_same_answer_also_when_the_ask_is_over(aws: None) -> None:
    opened = stored()
    first = answer(opened)
    store.end(opened.ask, START)

    assert answer(opened).url_token == first.url_token
    assert counted(opened) == 1
    assert len(resources.items("Pushes")) == 1


def test_a_stranger_s_key_never_meets_the_asker_s_or_another_body_s(bob: Api) -> None:
    opened, other = stored(answers=3), stored()
    own = bob.push(key=KEY)

    names = {answer(opened).url_token, answer(opened, "another body").url_token, answer(other).url_token, own}

    assert len(names) == 4
    assert counted(opened) == 2


def test_files_come_only_where_the_ask_and_the_installation_take_them(aws: None, configure: Configure) -> None:
    files, with_files = [{"filename": "a", "size": 3}], stored(files=True, answers=2)

    with pytest.raises(errors.InvalidPush):
        answer(stored(), "", files=files)
    assert [upload.filename for upload in answer(with_files, "", files=files).uploads] == ["a"]
    configure(FILE_ATTACHMENTS="false")
    with pytest.raises(errors.InvalidPush):
        answer(with_files, "", files=files, key=OTHER_KEY)


def test_an_ask_takes_its_bytes_and_no_more_of_all_answers_together(aws: None) -> None:
    opened = stored(answers=3, files=True, max_bytes=10)
    files = [{"filename": "a", "size": 4}]

    for payload, size in (("", 11), ("éééé", 3)):
        with pytest.raises(errors.TooLarge):
            answer(opened, payload, files=[{"filename": "a", "size": size}])
    answer(opened, "12", files=files)
    with pytest.raises(errors.TooLarge):
        answer(opened, "1", files=files, key=OTHER_KEY, now=START + timedelta(days=6))
    answer(opened, "1234", key=OTHER_KEY)


def test_an_answer_s_files_count_towards_the_asker_s_day(bob: Api, configure: Configure) -> None:
    configure(DAILY_FILE_BYTES="10")
    bob.create("", files=[{"filename": "a", "size": 8}])

    for _ in range(2):  # what was refused gives nothing back
        with pytest.raises(errors.QuotaSpent):
            answer(stored(files=True), "", files=[{"filename": "a", "size": 3}])


def test_one_source_answers_five_times_an_hour(aws: None) -> None:
    opened = stored(answers=20)
    for number in range(5):
        answer(opened, str(number), ip=f"2001:db8::{number + 1}")

    with pytest.raises(errors.QuotaSpent):
        answer(opened, "6", ip="2001:db8::9")
    answer(opened, "4", ip="2001:db8::9")  # a repeat
    answer(opened, "6", ip="2001:db8:0:1::1")
    answer(opened, "7", ip="2001:db8::1", now=START + timedelta(hours=1))


@pytest.mark.parametrize("end", ["admin_disable_user", "admin_delete_user"])
def test_a_disabled_or_deleted_asker_s_ask_is_over_at_once(ann: Browser, people: People, end: str) -> None:
    opened = stored(ann.owner, answers=2)
    answer(opened)
    getattr(resources.client("cognito-idp"), end)(UserPoolId=people.pool_id, Username="ann@example.com")
    auth.end_all_credentials(ann.owner, now=START + MINUTE)

    with pytest.raises(errors.NotFound):
        answer(opened, "another")
    with pytest.raises(errors.NotFound):
        answers.find_open(opened.terms.ask_token, now=START + MINUTE)


def test_an_asker_disabled_in_cognito_alone_is_noticed_within_the_hour(ann: Browser, people: People) -> None:
    opened = stored(ann.owner)
    resources.client("cognito-idp").admin_disable_user(UserPoolId=people.pool_id, Username="ann@example.com")

    with pytest.raises(errors.NotFound):
        answer(opened, now=START + timedelta(hours=1))


def test_it_stays_over_while_cognito_gives_no_answer(ann: Browser) -> None:
    opened = stored(ann.owner)
    auth.end_all_credentials(ann.owner, now=START + MINUTE)

    with wire_tap.answering("AdminGetUser", "TooManyRequestsException"):
        for _ in range(2):  # the second does not ask, for a minute
            with pytest.raises(errors.NotFound):
                answer(opened, now=START + MINUTE)
    account_status.reset()
    answer(opened, now=START + MINUTE)


@pytest.mark.parametrize("used_up", [True, False], ids=["the source's hour", "the asker's day"])
def test_a_double_press_that_meets_a_full_quota_is_thanked_all_the_same(
    aws: None, configure: Configure, used_up: bool
) -> None:
    configure(DAILY_FILE_BYTES="3")
    opened, files = stored(answers=9, files=True), [] if used_up else [{"filename": "a", "size": 2}]
    presses: list[Created | None] = []
    for number in range(4 * used_up):
        answer(opened, str(number))

    def press_twice(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        if operation == "UpdateItem" and not presses:
            presses.append(None)
            presses.append(answer(opened, "5", files=files))
        return call()

    with wire_tap.around(press_twice):
        last = answer(opened, "5", files=files)

    assert presses[1]
    assert last.url_token == presses[1].url_token
    assert counted(opened) == 4 * used_up + 1
