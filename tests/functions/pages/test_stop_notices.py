"""GET /notices/{token}: the link in a notice asks, and its button, or the mail program's own, switches notices off."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain import seal
from shared.identity import auth
from tests.contract import test_notices
from tests.contract.test_mailings import says, ses
from tests.contract.test_notices import NOW, delivered, stop_path, stopped
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.engines import resources

mails, owner, recipient = test_notices.mails, test_notices.owner, test_notices.recipient  # fixtures


def test_a_link_is_followed_by_scanners_and_only_the_button_switches_off(owner: Api, recipient: Api) -> None:
    url_token = owner.push(notify_when_viewed=True)
    recipient.retrieve(url_token)
    with ses() as taken:
        delivered()

    asked = Browser(Api(now=NOW)).visit(stop_path(taken[0]))
    recipient.retrieve(url_token)
    with ses() as meanwhile:
        delivered()
    done = asked.submit("")
    recipient.retrieve(url_token)
    with ses() as afterwards:
        delivered()

    assert [len(meanwhile), len(afterwards)] == [1, 0]
    assert done.page.status == 200
    assert "No more mails tell you that this push was viewed." in done.page.text
    assert url_token not in done.page.text


@pytest.mark.parametrize("site", ["", "cross-site"])
def test_a_mail_program_s_own_button_needs_no_cookie_and_may_come_twice(owner: Api, recipient: Api, site: str) -> None:
    url_token = owner.push(notify_when_viewed=True)
    recipient.retrieve(url_token)
    with ses() as taken:
        delivered()

    answers = [stopped(stop_path(taken[0]), {"sec-fetch-site": site} if site else {}) for _ in range(2)]
    recipient.retrieve(url_token)
    with ses() as afterwards:
        delivered()

    assert [answer.status for answer in answers] == [200, 200]
    assert afterwards == []


def test_a_default_is_switched_off_for_one_push_alone(ann: Browser, owner: Api, recipient: Api) -> None:
    auth.set_notice_default(ann.owner, notify_when_viewed=True, locale="de")
    one, other = owner.push(), owner.push()
    recipient.retrieve(one)
    with ses() as taken:
        delivered()

    stopped(stop_path(taken[0]))
    for url_token in (one, other):
        recipient.retrieve(url_token)
    with ses() as afterwards:
        delivered()

    assert [seal.digest(other) in says(mail)[1] for mail in afterwards] == [True]


def test_a_token_that_was_forged_or_whose_push_is_gone_switches_nothing_off(owner: Api, recipient: Api) -> None:
    url_token, other = owner.push(notify_when_viewed=True), owner.push(notify_when_viewed=True)
    recipient.retrieve(url_token)
    with ses() as taken:
        delivered()
    path = stop_path(taken[0])
    forged = [path[:-1] + ("A" if path[-1] != "A" else "B"), path[:-24], "/notices/x", "/notices/" + "\u00e9" * 64]
    forged += [f"/notices/{seal.digest(other)}", "/notices/" + "A" * 64]

    answers = [stopped(one) for one in forged] + [Api(now=NOW).get(one) for one in forged]
    resources.client("dynamodb").delete_item(TableName="test-Pushes", Key={"id": {"S": seal.digest(url_token)}})
    gone = [stopped(path), Api(now=NOW).get(path)]

    assert {answer.status for answer in [*answers, *gone]} == {404}
    assert all("There is nothing to switch off here." in answer.text for answer in [*answers, *gone])
    assert [item["notify"] for item in resources.items("Pushes")] == [{"BOOL": True}]


def test_a_push_past_its_retention_is_gone_before_dynamodb_removes_it(owner: Api, recipient: Api) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))
    with ses() as taken:
        delivered()
    path = stop_path(taken[0])
    [push] = resources.items("Pushes")
    purged = datetime.fromtimestamp(int(push["purge_at"]["N"]), UTC)

    pages = [Api(now=moment).get(path).status for moment in (purged - timedelta(seconds=2), purged)]

    assert pages == [200, 404]
