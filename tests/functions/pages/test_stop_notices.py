"""GET /notices/{token}: a mail's link shows a button; that button, or the mail program's, stops further mails."""

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain import digests
from shared.identity import auth
from tests.contract import test_notices
from tests.contract.test_mailings import delivered as mailed
from tests.contract.test_mailings import recipients, says, ses, status, stop_path
from tests.contract.test_notices import NOW, delivered, stopped
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
    assert "You will get no more e-mails about views of this link." in done.page.text
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


def test_a_default_can_be_turned_off_for_one_push(ann: Browser, owner: Api, recipient: Api) -> None:
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

    assert [digests.digest(other) in says(mail)[1] for mail in afterwards] == [True]


def test_a_forged_or_outdated_link_stops_no_notices(owner: Api, recipient: Api) -> None:
    url_token, other = owner.push(notify_when_viewed=True), owner.push(notify_when_viewed=True)
    recipient.retrieve(url_token)
    with ses() as taken:
        delivered()
    path = stop_path(taken[0])
    forged = [path[:-1] + ("A" if path[-1] != "A" else "B"), path[:-24], "/notices/x", "/notices/" + "\u00e9" * 64]
    forged += [f"/notices/{digests.digest(other)}", "/notices/" + "A" * 64]

    answers = [stopped(one) for one in forged] + [Api(now=NOW).get(one) for one in forged]
    resources.client("dynamodb").delete_item(TableName="test-Pushes", Key={"id": {"S": digests.digest(url_token)}})
    gone = [stopped(path), Api(now=NOW).get(path)]

    assert {answer.status for answer in [*answers, *gone]} == {404}
    for answer in [*answers, *gone]:  # nobody knows which mails an unknown link was about
        assert "There is nothing to switch off:" in answer.text
        assert "about views" not in answer.text
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


# ---------------------------------------------------------------- mails with links, for their readers

READER, OTHER = "Reader@example.net", "other@example.net"


def link_mails(sender: Api, to: str) -> list[dict[str, Any]]:
    """Return the mails sent for a push to these addresses."""
    sender.push(notify_emails_to=to)
    with ses() as taken:
        mailed()
    return taken


def test_a_reader_stops_mails_from_all_senders_by_the_button(owner: Api, bob: Api) -> None:
    bob.now = NOW
    [mail] = link_mails(owner, READER)

    asked = Browser(Api(now=NOW)).visit(stop_path(mail))
    before = link_mails(bob, READER)
    done = asked.submit("")
    after = link_mails(bob, f"{READER.lower()},{OTHER}")

    assert asked.page.status == 200
    assert "For a year, this service sends no more e-mails" in done.page.text
    assert [recipients(before), recipients(after)] == [[READER], [OTHER]]


def test_a_mail_program_stops_mails_with_links_by_one_post(owner: Api) -> None:
    [mail] = link_mails(owner, READER)
    headers = test_notices.headers(mail)
    assert headers["List-Unsubscribe"] == f"<https://push.example.com{stop_path(mail)}>"
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"

    answers = [stopped(stop_path(mail), {"sec-fetch-site": "cross-site"}) for _ in range(2)]

    assert [answer.status for answer in answers] == [200, 200]
    assert link_mails(owner, READER) == []
    url_token = owner.push(notify_emails_to=READER)
    mailed()
    assert status(owner, url_token)[0] == "failed"


@pytest.mark.parametrize("mailed_to", [READER, "reader+shop@example.net"])
def test_a_reader_who_stops_mails_gets_none_to_their_subaddresses(owner: Api, mailed_to: str) -> None:
    [mail] = link_mails(owner, mailed_to)

    stopped(stop_path(mail))

    assert recipients(link_mails(owner, f"{READER},reader+1@Example.net,{OTHER}")) == [OTHER]


def test_a_reader_stops_mails_when_the_push_is_long_gone(owner: Api) -> None:
    [mail] = link_mails(owner, READER)
    [push] = resources.items("Pushes")
    resources.client("dynamodb").delete_item(TableName="test-Pushes", Key={"id": push["id"]})

    asked = Browser(Api(now=NOW)).visit(stop_path(mail))
    done = asked.submit("")

    assert "For a year, this service sends no more e-mails" in done.page.text
    assert link_mails(owner, READER) == []


def test_the_link_that_stops_mails_reveals_no_address_or_push(owner: Api) -> None:
    first, second = link_mails(owner, f"{READER},{OTHER}")
    page = Api(now=NOW).get(stop_path(first)).text

    assert stop_path(first) != stop_path(second)
    assert "reader" not in (stop_path(first) + page).lower()
    assert "/p/" not in page


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_link_that_was_forged_stops_no_mails(owner: Api, is_gone: bool) -> None:
    first, second = (stop_path(mail) for mail in link_mails(owner, f"{READER},{OTHER}"))
    if is_gone:
        [push] = resources.items("Pushes")
        resources.client("dynamodb").delete_item(TableName="test-Pushes", Key={"id": push["id"]})
    raw, other = (base64.urlsafe_b64decode(path.rpartition("/")[2] + "==") for path in (first, second))
    forged = [
        raw[:32] + other[32:64] + raw[64:],  # anybody can compute the digest of an address
        raw[:32] + raw[64:],  # a token for the push's notices
        *(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :] for place in (0, 31, 32, 63, 64, 79)),
        raw + b"x",
        raw[:-1],
    ]

    answers = [stopped("/notices/" + base64.urlsafe_b64encode(one).decode().rstrip("=")) for one in forged]

    assert {answer.status for answer in answers} == {404}
    assert sorted(recipients(link_mails(owner, f"{READER},{OTHER}"))) == sorted([READER, OTHER])
