"""The owner gets a notice of a view: audit entry → event → queue → SES, once, despite failures, without any secret."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from functions import note_mail_return, send_notice
from infra.build import template
from shared.aws import store
from shared.domain import digests, limits, notice
from shared.identity import auth
from tests.conftest import Configure
from tests.contract.test_mailings import (
    end_turn,
    recipients,
    says,
    ses,
    stop_path,
    told,
    with_a_death,
    with_an_answer_lost,
)
from tests.contract.test_removal import failures
from tests.drivers.browser import Browser
from tests.drivers.client import Answer, Api, Context
from tests.engines import resources
from tests.functions.pages.test_my_account import act
from tests.meters import emf, wire_tap

NOW = datetime.now(UTC)  # the sending function reads the real clock
ANN = "ann@example.com"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"
WHEN = r"[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M UTC|\d{1,2} [A-Z][a-z]{2,3} \d{4}, \d\d:\d\d UTC"


@pytest.fixture(autouse=True)
def mails(configure: Configure) -> None:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")


@pytest.fixture
def owner(ann: Browser) -> Api:
    """Return the API of a caller with an account, at the real time."""
    return Api(now=NOW, token=auth.issue_api_token(ann.owner, "test", now=NOW))


@pytest.fixture
def recipient(aws: None) -> Api:
    return Api(now=NOW, ip="203.0.113.77", headers={"user-agent": FIREFOX})


def delivered(tries: int = 1) -> list[str]:
    """Deliver the queue's messages; return the unfinished ones."""
    queued = told(tries, "NoticesWanted")
    return failures(send_notice.handler(queued, Context())) if queued["Records"] else []


def headers(mail: dict[str, Any]) -> dict[str, str]:
    return {one["Name"]: one["Value"] for one in mail["Content"]["Simple"].get("Headers", [])}


def stopped(path: str, headers: dict[str, str] | None = None) -> Answer:
    """Send the request of a mail program's button (RFC 8058, section 3.1): no cookie, and not from our pages."""
    form = {"content-type": "application/x-www-form-urlencoded"} | (headers or {})
    return Api(now=NOW).request("POST", path, headers=form, body=b"List-Unsubscribe=One-Click")


def test_each_counted_view_sends_one_mail_with_its_details(owner: Api, recipient: Api) -> None:
    url_token = owner.push(notify_when_viewed=True, expire_after_views=3)
    recipient.retrieve(url_token)
    recipient.retrieve(url_token)

    with ses() as taken:
        left = delivered()

    assert (left, recipients(taken)) == ([], [ANN, ANN])
    subject, text, html = says(taken[0])
    assert subject == "Secret sharing: your link was opened"
    for said in (text, html):
        assert len(re.findall(WHEN, said)) == 2  # the dates of the view and of the creation
        assert "Program: Firefox." in said
        assert "Views left: at most 2." in said
        assert f"https://push.example.com/pushes/{digests.digest(url_token)}" in said
    assert "Views left: at most 1." in says(taken[1])[1]


def test_an_owner_s_own_view_sends_a_notice_too(owner: Api) -> None:
    owner.retrieve(owner.push(notify_when_viewed=True))

    with ses() as taken:
        left = delivered()

    assert (left, recipients(taken)) == ([], [ANN])


def test_an_uncounted_view_sends_no_notice(owner: Api, recipient: Api) -> None:
    url_token = owner.push(notify_when_viewed=True, passphrase="right")
    for passphrase in (None, "wrong"):
        recipient.retrieve(url_token, passphrase)
    owner.tick(seconds=1)
    owner.expire(url_token)
    recipient.retrieve(url_token, "right")

    with ses() as taken:
        left = delivered()

    assert (left, taken) == ([], [])


def test_the_end_by_guesses_is_published_once(owner: Api, recipient: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="2")
    url_token = owner.push(notify_when_viewed=True, passphrase="right")
    for _ in range(3):
        recipient.retrieve(url_token, "wrong")

    with ses() as taken:
        delivered()

    [mail] = taken
    subject, text, html = says(mail)
    assert subject == "Secret sharing: your link was closed after too many wrong passphrases"
    assert "after too many wrong passphrases. Nobody" in text
    assert "after too many wrong passphrases. Nobody" in html
    assert "Views left" not in text + html


@pytest.mark.parametrize(
    ("choices", "is_told"),
    [((None, None), 0), ((None, False), 0), ((None, True), 1), ((False, True), 0), ((True, False), 1)],
)
def test_a_push_says_or_else_the_owner_s_default_when_it_is_made(
    ann: Browser, owner: Api, recipient: Api, choices: tuple[bool | None, bool | None], is_told: int
) -> None:
    said, default = choices
    if default is not None:
        auth.set_notice_default(ann.owner, notify_when_viewed=default, locale="en")
    url_token = owner.push(notify_when_viewed=said)
    auth.set_notice_default(ann.owner, notify_when_viewed=not default, locale="en")
    recipient.retrieve(url_token)

    with ses() as taken:
        left = delivered()

    assert (left, len(taken)) == ([], is_told)


def test_a_view_before_the_opt_out_sends_no_notice_after_it(owner: Api, recipient: Api) -> None:
    url_token = owner.push(notify_when_viewed=True)
    recipient.retrieve(url_token)
    store.set_notify_when_viewed(digests.digest(url_token), is_on=False)

    # The view's audit entry triggers a notice, so the queue has a message.
    assert len(told(rule="NoticesWanted")["Records"]) == 1
    with ses() as taken:
        left = delivered()

    assert (left, taken) == ([], [])


@pytest.mark.parametrize("said", [None, False, True])
def test_only_a_view_that_its_owner_wants_to_hear_of_becomes_a_message(
    owner: Api, recipient: Api, said: bool | None
) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=said))

    messages = told(rule="NoticesWanted")["Records"]

    details = [json.loads(message["body"])["detail"] for message in messages]
    assert [detail["notify_when_viewed"] for detail in details] == ([True] if said else [])


def test_anonymous_and_named_owners_pushes_send_no_notice(api: Api, bob: Api, recipient: Api) -> None:
    for caller in (api, bob):
        caller.now = NOW
        recipient.retrieve(caller.push())

    assert told(rule="NoticesWanted") == {"Records": []}


def test_a_notice_has_the_language_of_its_owner_s_choice(ann: Browser, owner: Api, recipient: Api) -> None:
    act(ann.visit("/?language=ja"), "notices", notify_when_viewed="true")
    recipient.headers = {}
    recipient.retrieve(owner.push())

    with ses() as taken:
        delivered()

    assert '<html lang="ja"' in says(taken[0])[2]


def test_a_notice_loads_nothing_and_leads_to_the_record_and_to_its_own_end(owner: Api, recipient: Api) -> None:
    url_token = owner.push(notify_when_viewed=True)
    recipient.retrieve(url_token)

    with ses() as taken:
        delivered()

    html, stop = says(taken[0])[2], f"https://push.example.com{stop_path(taken[0])}"
    record = f"https://push.example.com/pushes/{digests.digest(url_token)}"
    assert re.findall(r'(?:href|src|action|background)="([^"]*)"', html) == [record, stop]
    assert not re.search(r"<(img|script|link|iframe|form)|url\(", html)
    assert headers(taken[0]) == {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


# ---------------------------------------------------------------- failures


def test_the_same_message_twice_sends_one_mail(owner: Api, recipient: Api) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))

    with ses() as taken:
        left = [delivered(), delivered(2)]

    assert (left, recipients(taken)) == ([[], []], [ANN])


def test_the_same_message_at_the_same_time_sends_one_mail_and_comes_again(owner: Api, recipient: Api) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))
    twice: list[list[str]] = []

    with ses() as taken, wire_tap.before_first("SendEmail", lambda: twice.append(delivered())):
        left = delivered()

    assert (left, len(twice[0]), recipients(taken)) == ([], 1, [ANN])


@pytest.mark.parametrize("code", ["TooManyRequestsException", "InternalFailure", "SendingPausedException"])
def test_a_notice_that_ses_throttles_is_retried_and_counts_once(owner: Api, recipient: Api, code: str) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))

    with ses(lambda _: code) as first:
        left = [delivered(), delivered(2)]
    with ses() as second:
        left_then = delivered(3)

    assert ([len(one) for one in left], left_then) == ([1, 1], [])
    assert (recipients(first), recipients(second)) == ([], [ANN])
    [spent] = [item for item in resources.items("Quotas") if item["id"]["S"].startswith("notices")]
    assert spent["used"] == {"N": "1"}


@pytest.mark.parametrize("operation", ["BatchGetItem", "Query", "AdminGetUser", "GetSecretValue"])
def test_an_entry_that_cannot_be_read_is_retried(owner: Api, recipient: Api, operation: str) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))
    resources.renew()

    with ses() as taken, wire_tap.answering(operation, "InternalServerError"):
        left = delivered()
    entry = next(item for item in resources.items("AuditEntries") if item["kind"]["S"] == "view")
    if "sending_until" in entry:  # it stopped in its turn, which expires after a while
        end_turn(entry)
    with ses() as later:
        delivered(2)

    assert (len(left), recipients(taken), recipients(later)) == (1, [], [ANN])


def test_the_last_try_ends_it_and_a_rejected_address_is_tried_once(owner: Api, recipient: Api) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))
    with ses(lambda _: "TooManyRequestsException"):
        last = delivered(send_notice.TRIES)
    recipient.retrieve(owner.push(notify_when_viewed=True))
    with ses(lambda _: "MessageRejected"):
        never = delivered()

    with ses() as taken:
        again = delivered()

    assert (last, never, again, taken) == ([], [], [], [])


def test_an_answer_that_is_lost_may_tell_twice_and_never_not_at_all(owner: Api, recipient: Api) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))

    assert with_an_answer_lost(delivered) == (1, [ANN], [ANN])


def test_a_killed_function_s_turn_passes_to_the_next_one_after_a_while(owner: Api, recipient: Api) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))

    assert with_a_death(delivered) == (1, [], [ANN])


def test_an_address_that_returned_a_mail_hears_of_no_view(
    owner: Api, recipient: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    complaint = {"complainedRecipients": [{"emailAddress": ANN.title()}]}
    note_mail_return.handler({"detail": {"complaint": complaint}}, Context())
    recipient.retrieve(owner.push(notify_when_viewed=True))

    with ses() as taken:
        left = delivered()

    assert (left, taken) == ([], [])
    assert emf.values(capsys.readouterr().out, "MailUnsent", reason="Stopped") == [1]


def test_an_owner_gets_a_limited_number_of_notices(
    owner: Api, recipient: Api, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from shared.service import notices

    assert notices.NOTICES.limit == limits.MAX_NOTICES
    monkeypatch.setattr(notices, "NOTICES", notices.NOTICES._replace(limit=2))
    url_token = owner.push(notify_when_viewed=True)
    for _ in range(4):
        recipient.retrieve(url_token)

    with ses() as taken:
        left = [delivered(), delivered(2)]

    assert (left, len(taken)) == ([[], []], 2)
    assert emf.values(capsys.readouterr().out, "MailUnsent", reason="TooMany") == [1, 1]


@pytest.mark.parametrize("state", ["disabled", "gone"])
def test_an_account_that_is_disabled_or_gone_hears_nothing(
    ann: Browser, owner: Api, recipient: Api, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))
    client = resources.client("cognito-idp")
    pool = client.list_user_pools(MaxResults=1)["UserPools"][0]["Id"]
    end = client.admin_disable_user if state == "disabled" else client.admin_delete_user
    end(UserPoolId=pool, Username=ANN)

    with ses() as taken:
        left = delivered()

    assert (left, taken) == ([], [])
    assert emf.values(capsys.readouterr().out, "MailUnsent", reason="NoAddress") == [1]


def test_nothing_is_sent_where_links_cannot_be_mailed(owner: Api, recipient: Api, configure: Configure) -> None:
    recipient.retrieve(owner.push(notify_when_viewed=True))
    configure(BASE_URL="")

    with ses() as taken:
        left = delivered()

    assert (left, taken) == ([], [])


# ---------------------------------------------------------------- no secrets, no extra calls


def test_no_log_no_event_no_message_and_no_mail_has_anything_secret(
    owner: Api, recipient: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    secrets = {"payload": "the-payload", "passphrase": "the-passphrase", "name": "the-name", "note": "the-note"}
    recipient.headers = {"user-agent": "the-agent Firefox/1", "referer": "https://the-referrer.example"}
    url_token = owner.push(notify_when_viewed=True, **secrets)
    recipient.retrieve(url_token, "the-passphrase")
    capsys.readouterr()

    queued = json.dumps(told(rule="NoticesWanted"))
    with ses(lambda _: "InternalFailure"):
        delivered()
    with ses() as taken:
        delivered(2)
    path = stop_path(taken[0])
    stopped(path)

    printed, mailed = capsys.readouterr().out, json.dumps(taken, default=str)
    common = [*secrets.values(), url_token, recipient.ip, "the-agent", "the-referrer", str(owner.token)]
    for secret in common:
        assert secret not in queued + printed + mailed
    for secret in (ANN, path.rpartition("/")[2]):
        assert secret not in queued + printed


def test_a_default_is_nothing_where_nothing_is_mailed(ann: Browser, owner: Api, configure: Configure) -> None:
    auth.set_notice_default(ann.owner, notify_when_viewed=True, locale="en")
    configure(MAIL_FROM="")
    owner.push()

    assert ["notify" in item for item in resources.items("Pushes")] == [False]


def test_a_view_and_a_create_make_no_additional_call(owner: Api, recipient: Api) -> None:
    made = []
    recipient.retrieve(owner.push())  # so that the account is checked and the instance key loaded
    for said in (None, True):
        with wire_tap.calls() as calls:
            recipient.retrieve(owner.push(notify_when_viewed=said))
        made.append([operation for operation, _ in calls])

    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36", "Chrome"),
        ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge"),
        ("Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15", "Safari"),
        ("Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile Safari/604.1", "Chrome"),
        ("pwpush-cli/0.16.7", "pwpush"),
        ("pwpush-mcp/0.5.0", "pwpush-mcp"),
        ("curl/8.5.0", "curl"),
        ("", ""),
        ("<b>me</b>", ""),
    ],
)
def test_a_browser_is_named_by_its_family(user_agent: str, name: str) -> None:
    assert notice.browser_family(user_agent) == name


def test_queue_retries_match_the_function_and_a_turn_outlasts_it() -> None:
    queue = template.resources("AWS::SQS::Queue")["Notices"]
    timeout = timedelta(seconds=template.load()["Globals"]["Function"]["Timeout"])

    assert queue["RedrivePolicy"]["maxReceiveCount"] == send_notice.TRIES
    assert timeout < limits.SENDING_LOCK < timedelta(seconds=queue["VisibilityTimeout"])
