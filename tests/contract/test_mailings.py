"""A link to mail: audit entry → event → queue → SES, despite failures, and without any secret on the way."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from functions import note_mail_return, publish_events, send_mail
from infra.build import template
from shared.domain import limits
from shared.domain.push import Push
from shared.identity import auth
from shared.web import batches, languages, mail_text
from tests.conftest import Configure, People
from tests.contract import test_events
from tests.contract.test_removal import failures
from tests.drivers.browser import Browser
from tests.drivers.client import Api, Context
from tests.engines import resources
from tests.functions.test_notify_emails import ANN, BEN, mailings
from tests.meters import wire_tap

CLARA = "clara@example.net"
NOW = datetime.now(UTC)  # the sending function reads the real clock


@pytest.fixture(autouse=True)
def mails(configure: Configure) -> None:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")


@pytest.fixture
def bob(bob: Api) -> Api:
    """Return a caller with the real time, whose pushes are alive when their links are mailed."""
    bob.now = NOW
    return bob


@contextmanager
def ses(answer: Callable[[str], str | Exception | None] = lambda _: None) -> Iterator[list[dict[str, Any]]]:
    """Record the mails that SES accepts; `answer` returns the error for a recipient."""
    taken: list[dict[str, Any]] = []

    def send(client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        if operation != "SendEmail":
            return call()
        [recipient] = parameters["Destination"]["ToAddresses"]
        error = answer(recipient)
        if isinstance(error, Exception):
            taken.append(parameters)  # accepted, but the response was lost
            raise error
        if error:
            raise client.exceptions.from_code(error)({"Error": {"Code": error, "Message": recipient}}, operation)
        taken.append(parameters)
        return {"MessageId": "1"}

    with wire_tap.around(send):
        yield taken


def told(tries: int = 1, rule: str = "MailingsWanted") -> dict[str, Any]:
    """Return the queue messages of a rule of the template for all entries, received so many times."""
    with test_events.bus() as arrived:
        publish_events.handler(test_events.stream(), Context())
    wanted = template.resources("AWS::Events::Rule")[rule]["EventPattern"]["detail"]
    details = [detail for detail in test_events.details(arrived) if test_events.is_passed(detail, wanted)]
    return {
        "Records": [
            {
                "messageId": detail["entry"],
                "eventSource": "aws:sqs",
                "attributes": {"ApproximateReceiveCount": str(tries)},
                "body": json.dumps({"detail-type": "Audit entry", "detail": detail}),
            }
            for detail in details
        ]
    }


def delivered(tries: int = 1) -> list[str]:
    """Deliver the queue's messages; return the unfinished ones."""
    return failures(send_mail.handler(told(tries), Context()))


def recipients(taken: list[dict[str, Any]]) -> list[str]:
    return [address for mail in taken for address in mail["Destination"]["ToAddresses"]]


def stop_path(mail: dict[str, Any]) -> str:
    """Return the path of the link that stops more mails."""
    [path] = re.findall(r"https://push\.example\.com(/notices/\S+)", says(mail)[1])
    return str(path)


def says(mail: dict[str, Any]) -> tuple[str, str, str]:
    simple = mail["Content"]["Simple"]
    return simple["Subject"]["Data"], simple["Body"]["Text"]["Data"], simple["Body"]["Html"]["Data"]


def status(bob: Api, url_token: str) -> tuple[str, int, bool]:
    [mailing] = mailings(bob, url_token)
    return mailing["status"], mailing["successful_sends"], bool(mailing["error_message"])


def test_each_recipient_gets_their_own_mail_with_the_link_and_its_step(bob: Api) -> None:
    url_token = bob.push(notify_emails_to=f"{ANN},{BEN}", retrieval_step=False, expire_after_views=3)

    with ses() as taken:
        left = delivered()

    assert (left, recipients(taken)) == ([], [ANN, BEN])
    assert {mail["FromEmailAddress"] for mail in taken} == {"push@example.com"}
    assert {mail["ConfigurationSetName"] for mail in taken} == {"test-MailReports"}
    subject, text, html = says(taken[0])
    assert subject == "Secret sharing: confidential information for you"
    for said in (text, html):
        assert f"https://push.example.com/p/{url_token}/r" in said
        assert "3 times" in said
        assert "passphrase" not in said
    assert status(bob, url_token) == ("completed", 2, False)


def test_a_mail_names_the_address_of_the_account_that_sends_it(ann: Browser) -> None:
    owner = Api(now=NOW, token=auth.issue_api_token(ann.owner, "test", now=NOW))
    owner.push(notify_emails_to=BEN)

    with ses() as taken:
        delivered()

    _, text, html = says(taken[0])
    assert text.count("“ann@example.com” has sent you confidential information") == 1
    assert html.count("“ann@example.com” has sent you confidential information") == 1


def test_an_account_whose_address_is_not_verified_mails_nothing(ann: Browser, people: People) -> None:
    created = changed_address(ann, people, "ceo@bank.example", is_verified="false").create(notify_emails_to=BEN)

    assert created.status == 422
    assert "your own address is not verified" in created.text
    assert resources.stored()["Pushes"] == 0


def changed_address(ann: Browser, people: People, address: str, *, is_verified: str) -> Api:
    """Return Ann after a change of her account's address."""
    changed = [{"Name": "email", "Value": address}, {"Name": "email_verified", "Value": is_verified}]
    who = {"UserPoolId": people.pool_id, "Username": "ann@example.com"}
    resources.client("cognito-idp").admin_update_user_attributes(**who, UserAttributes=changed)
    return Api(now=NOW, token=auth.issue_api_token(ann.owner, "test", now=NOW))


def test_a_changed_and_unverified_address_is_not_named(ann: Browser, people: People) -> None:
    Api(now=NOW, token=auth.issue_api_token(ann.owner, "test", now=NOW)).push(notify_emails_to=BEN)
    changed_address(ann, people, "ceo@bank.example", is_verified="false")

    with ses() as taken:
        delivered()

    assert "somebody has sent you confidential information" in says(taken[0])[1]
    assert "ceo@bank.example" not in "".join(says(taken[0]))


def test_a_senders_address_that_is_markup_is_text_in_the_mail(ann: Browser, people: People) -> None:
    hostile = "<b>&quot;<img/src=x>@example.com"
    changed_address(ann, people, hostile, is_verified="true").push(notify_emails_to=BEN)

    with ses() as taken:
        delivered()

    _, text, html = says(taken[0])
    assert hostile in text
    assert "&lt;b&gt;&amp;quot;&lt;img/src=x&gt;@example.com" in html
    assert not re.search("<(b|img)[ />]", html)


@pytest.mark.parametrize("tag", languages.SERVED)
def test_a_mail_starts_with_the_service_s_name_and_quotes_the_sender(people: People, tag: str) -> None:
    """Anybody may choose the part before the `@`, for example a link of their own."""
    sender = "www.evil.example/verify-<b>-1@evil.example"
    push = Push._make([None] * len(Push._fields))._replace(expires_at=NOW, expire_after_views=1, views=0, kind="text")

    _, text, html = mail_text.link_mail(push, "token", sender, "stop", tag)[:3]

    assert text.startswith("Secret sharing")
    assert re.search(rf"[“„«»「”]\s?{re.escape(sender)}\s?[”“»«」]", text)
    assert re.search(r"<body[^>]*>\s*<p>Secret sharing", html)
    assert "verify-&lt;b&gt;-1@evil.example" in html


@pytest.mark.parametrize(("tag", "served"), [("ja", "ja"), ("pt-PT", "pt-BR"), ("zh-Hant-HK", "zh-TW")])
def test_a_mail_and_its_link_have_the_requested_language(bob: Api, tag: str, served: str) -> None:
    bob.push(notify_emails_to=ANN, notify_emails_to_locale=tag)

    with ses() as taken:
        delivered()

    _, text, html = says(taken[0])
    assert f"/r?locale={served}" in text
    assert f'<html lang="{served}"' in html


def test_a_mail_loads_nothing_and_leads_to_the_push_or_stops_mails(bob: Api) -> None:
    url_token = bob.push(notify_emails_to=ANN)

    with ses() as taken:
        delivered()

    html = says(taken[0])[2]
    assert re.findall(r'(?:href|src|action|background)="([^"]*)"', html) == [
        f"https://push.example.com/p/{url_token}/r",
        f"https://push.example.com{stop_path(taken[0])}",
    ]
    assert not re.search(r"<(img|script|link|iframe|form)|url\(", html)


def test_the_same_message_twice_sends_one_mail(bob: Api) -> None:
    bob.push(notify_emails_to=f"{ANN},{BEN}")

    with ses() as taken:
        left = [delivered(), delivered(2)]

    assert (left, recipients(taken)) == ([[], []], [ANN, BEN])


def test_the_same_message_at_the_same_time_sends_one_mail_and_comes_again(bob: Api) -> None:
    bob.push(notify_emails_to=ANN)
    twice: list[list[str]] = []

    with ses() as taken, wire_tap.before_first("SendEmail", lambda: twice.append(delivered())):
        left = delivered()

    assert (left, len(twice[0]), recipients(taken)) == ([], 1, [ANN])


@pytest.mark.parametrize("code", ["TooManyRequestsException", "InternalFailure", "SendingPausedException"])
def test_a_mail_that_ses_throttles_is_retried_and_sent_once(bob: Api, code: str) -> None:
    url_token = bob.push(notify_emails_to=f"{ANN},{BEN},{CLARA}")

    with ses(lambda recipient: code if recipient == BEN else None) as first:
        left = delivered()
    between = status(bob, url_token)
    with ses() as second:
        left_then = delivered(2)

    assert (len(left), left_then) == (1, [])
    assert between == ("processing", 2, False)
    assert (recipients(first), recipients(second)) == ([ANN, CLARA], [BEN])
    assert status(bob, url_token) == ("completed", 3, False)


def test_the_last_try_ends_a_mailing_and_reports_its_failures(bob: Api) -> None:
    url_token = bob.push(notify_emails_to=f"{ANN},{BEN}")

    with ses(lambda recipient: "TooManyRequestsException" if recipient == BEN else None):
        left = delivered(send_mail.TRIES)

    assert left == []
    assert status(bob, url_token) == ("partially_failed", 1, True)


def test_an_address_that_ses_will_never_take_is_tried_once(bob: Api) -> None:
    url_token = bob.push(notify_emails_to=ANN)

    with ses(lambda _: "MessageRejected"):
        left = delivered()

    assert left == []
    assert status(bob, url_token) == ("failed", 0, True)


def with_an_answer_lost(deliver: Callable[..., list[str]]) -> tuple[int, list[str], list[str]]:
    """Deliver once with SES's responses lost, then again; return how many were left and each time's recipients."""
    with ses(lambda _: ReadTimeoutError(endpoint_url="https://email.test")) as first:
        left = deliver()
    with ses() as second:
        deliver(2)
    return len(left), recipients(first), recipients(second)


def test_a_lost_response_may_repeat_a_mail_but_never_loses_one(bob: Api) -> None:
    bob.push(notify_emails_to=ANN)

    assert with_an_answer_lost(delivered) == (1, [ANN], [ANN])


def with_a_death(deliver: Callable[..., list[str]]) -> tuple[int, list[str], list[str]]:
    """Kill the function in its turn; return the messages sent again, and the recipients then and after the turn."""
    with pytest.raises(SystemExit), ses(), wire_tap.before_first("SendEmail", lambda: sys.exit(1)):
        deliver()
    with ses() as at_once:
        left = deliver(2)
    [entry] = [item for item in resources.items("AuditEntries") if "sending_until" in item]
    end_turn(entry)
    with ses() as later:
        deliver(3)
    return len(left), recipients(at_once), recipients(later)


def end_turn(entry: dict[str, Any]) -> None:
    """Let the turn at an audit entry expire."""
    past = str(int((NOW - timedelta(minutes=1)).timestamp() * 1000))
    resources.client("dynamodb").put_item(TableName="test-AuditEntries", Item=entry | {"sending_until": {"N": past}})


def test_a_killed_function_s_mailing_is_sent_by_the_next_one(bob: Api) -> None:
    url_token = bob.push(notify_emails_to=ANN)

    assert with_a_death(delivered) == (1, [], [ANN])
    assert status(bob, url_token) == ("completed", 1, False)


def test_an_ended_push_s_link_is_not_mailed(bob: Api) -> None:
    url_token = bob.push(notify_emails_to=ANN)
    bob.expire(url_token)

    with ses() as taken:
        left = delivered()

    assert (left, taken) == ([], [])
    assert status(bob, url_token) == ("failed", 0, True)


def test_a_push_with_a_long_label_is_mailed_too(bob: Api) -> None:
    url_token = bob.push(notify_emails_to=ANN, note="n" * 2_000)

    with ses() as taken:
        delivered()

    assert url_token in says(taken[0])[1]


def returned(kind: str, bounce_type: str = "", address: str = ANN.title()) -> dict[str, Any]:
    """Return SES's report to EventBridge (Amazon SES Developer Guide, "Examples of event data")."""
    one = [{"emailAddress": address}]
    if kind == "Complaint":
        return {"detail": {"eventType": kind, "complaint": {"complainedRecipients": one}, "mail": {}}}
    return {"detail": {"eventType": kind, "bounce": {"bounceType": bounce_type, "bouncedRecipients": one}, "mail": {}}}


@pytest.mark.parametrize("event", [returned("Bounce", "Permanent"), returned("Complaint")])
def test_an_address_that_returned_a_mail_or_complained_gets_none_again(bob: Api, event: dict[str, Any]) -> None:
    url_token = bob.push(notify_emails_to=f"{ANN},{BEN}")

    note_mail_return.handler(event, Context())
    with ses() as taken:
        delivered()

    assert recipients(taken) == [BEN]
    assert status(bob, url_token) == ("partially_failed", 1, True)


def test_who_wants_no_mail_is_kept_by_digest_in_a_table_with_backups_and_protection(bob: Api) -> None:
    note_mail_return.handler(returned("Complaint"), Context())

    [item] = [item for item in resources.items("ApiTokens") if item["digest"]["S"].startswith("stopped mail ")]
    table = template.resources("AWS::DynamoDB::Table")["ApiTokens"]
    assert "example.com" not in repr(item)
    assert set(item) == {"digest", "expires_at"}
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["DeletionProtectionEnabled"] == {"Fn::If": ["ProtectsData", True, False]}


@pytest.mark.parametrize("kind", ["Bounce", "Complaint"])
def test_a_returned_mail_to_a_subaddress_stops_no_other_mails(bob: Api, kind: str) -> None:
    """A sender may invent a subaddress that bounces, against the mailbox's owner."""
    bob.push(notify_emails_to=f"{ANN},ann+rubbish@example.com")

    note_mail_return.handler(returned(kind, "Permanent", "Ann+Rubbish@example.com"), Context())
    with ses() as taken:
        delivered()

    assert recipients(taken) == [ANN]


def test_a_full_mailbox_stops_nothing(bob: Api) -> None:
    bob.push(notify_emails_to=ANN)

    note_mail_return.handler(returned("Bounce", "Transient"), Context())
    with ses() as taken:
        delivered()

    assert recipients(taken) == [ANN]


def test_an_unrecorded_returned_mail_is_retried_without_its_address(
    capsys: pytest.CaptureFixture[str], aws: None
) -> None:
    with wire_tap.answering("UpdateItem", "InternalServerError"), pytest.raises(batches.EventFailed) as caught:
        note_mail_return.handler(returned("Complaint"), Context())

    assert "example" not in repr(caught.value) + capsys.readouterr().out


def test_no_log_no_event_and_no_message_has_anything_secret_nor_an_address(
    bob: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    secrets = {"payload": "the-payload", "passphrase": "the-passphrase", "name": "the-name", "note": "the-note"}
    url_token = bob.push(notify_emails_to=f"{ANN},{BEN}", **secrets)

    queued = json.dumps(told())
    with ses(lambda recipient: "InternalFailure" if recipient == BEN else None) as taken:
        delivered()
    with ses(lambda _: "MessageRejected"):
        delivered(2)

    printed = capsys.readouterr().out
    for secret in (*secrets.values(), url_token, ANN, BEN, BEN.lower()):
        assert secret not in queued
        assert secret not in printed
    for secret in secrets.values():
        assert secret not in "".join(says(taken[0]))
    assert url_token not in json.dumps(resources.items("AuditEntries"), default=str)


def test_queue_retries_match_the_function_and_a_turn_outlasts_it() -> None:

    queue = template.resources("AWS::SQS::Queue")["Mails"]
    timeout = timedelta(seconds=template.load()["Globals"]["Function"]["Timeout"])

    assert queue["RedrivePolicy"]["maxReceiveCount"] == send_mail.TRIES
    assert timeout < limits.SENDING_LOCK < timedelta(seconds=queue["VisibilityTimeout"])


def test_ses_reports_returns_and_complaints_but_no_opens() -> None:
    [reports] = template.resources("AWS::SES::ConfigurationSetEventDestination").values()
    [plain] = template.resources("AWS::SES::ConfigurationSet").values()
    pattern = template.functions()["NoteMailReturn"]["Events"]["Returned"]["Properties"]["Pattern"]

    assert reports["EventDestination"]["MatchingEventTypes"] == ["bounce", "complaint"]
    assert "TrackingOptions" not in plain
    assert pattern["detail"]["mail"]["tags"]["ses:configuration-set"] == [{"Ref": "MailReports"}]
