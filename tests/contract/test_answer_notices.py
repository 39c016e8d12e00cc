"""The asker gets a mail about each answer: audit entry → event → queue → SES, once, without any secret."""

import json
import re
from datetime import datetime
from typing import Any

import pytest

from functions import send_notice
from shared.domain import digests
from shared.identity import auth
from shared.web.cookies import SESSION
from tests.contract import test_notices
from tests.contract.test_mailings import recipients, says, ses, stop_path, told, with_a_death, with_an_answer_lost
from tests.contract.test_notices import ANN, FIREFOX, NOW, WHEN, headers, stopped
from tests.contract.test_removal import failures
from tests.drivers.browser import Browser
from tests.drivers.client import Api, Context
from tests.engines import resources
from tests.functions.pages.test_my_account import act
from tests.functions.test_create_ask import ask
from tests.meters import wire_tap

mails, owner = test_notices.mails, test_notices.owner  # fixtures


def delivered(tries: int = 1) -> list[str]:
    """Deliver the queue's messages about answers; return the unfinished ones."""
    queued = told(tries, "AnswersWanted")
    return failures(send_notice.handler(queued, Context())) if queued["Records"] else []


def send(ask_token: str, payload: str = "the-payload", now: datetime = NOW) -> None:
    """Answer an ask on its page."""
    stranger = Browser(Api(now=now, ip="203.0.113.77", headers={"user-agent": f"the-agent {FIREFOX}"}))
    assert stranger.visit(f"/a/{ask_token}").submit("", **{"push[payload]": payload}).at.endswith("/thanks")


def answered(owner: Api, **fields: Any) -> str:
    """Create an ask, answer it, and return its ask_token."""
    ask_token = str(ask(owner, **fields).json["ask_token"])
    send(ask_token)
    return ask_token


def test_an_answer_sends_one_mail_that_names_the_ask_and_leads_to_the_record(owner: Api) -> None:
    answered(owner, name="Shop & <Co>")
    [listed] = owner.active().json

    with ses() as taken:
        left = [delivered(), delivered(2)]

    assert (left, recipients(taken)) == ([[], []], [ANN])
    subject, text, html = says(taken[0])
    assert subject == "Secret sharing: you have received an answer"
    assert re.search(rf"on ({WHEN}), somebody answered your request “Shop & <Co>”\.", text)
    assert "“Shop &amp; &lt;Co&gt;”" in html
    stop = f"https://push.example.com{stop_path(taken[0])}"
    record = f"https://push.example.com/pushes/{digests.digest(listed['url_token'])}"
    assert re.findall(r'(?:href|src|action|background)="([^"]*)"', html) == [record, stop]
    assert record in text
    assert f"Stop these e-mails\n{stop}" in text
    assert f'Stop these e-mails<br><a href="{stop}"' in html
    assert headers(taken[0])["List-Unsubscribe"] == f"<{stop}>"


def test_the_mail_about_an_ask_without_a_name_has_its_date(owner: Api) -> None:
    answered(owner)

    with ses() as taken:
        delivered()

    assert re.search(rf"your request “({WHEN})”", says(taken[0])[1])


def test_only_an_answer_is_a_message_and_no_other_new_push(owner: Api) -> None:
    owner.push(notify_when_viewed=True)

    assert told(rule="AnswersWanted") == {"Records": []}
    answered(owner)
    assert told(rule="NoticesWanted") == {"Records": []}
    assert len(told(rule="AnswersWanted")["Records"]) == 1


def test_no_mail_is_sent_where_the_asker_wants_none(owner: Api) -> None:
    answered(owner, notify_when_answered=False)

    with ses() as taken:
        left = delivered()

    assert (left, taken) == ([], [])


def test_the_mail_s_link_stops_the_mails_about_this_ask_alone(owner: Api) -> None:
    first, other = (str(ask(owner, answers=3).json["ask_token"]) for _ in range(2))
    send(first)
    with ses() as taken:
        delivered()
    path = stop_path(taken[0])

    asked = Browser(Api(now=NOW)).visit(path)
    assert "Stop e-mails about answers to the request that you created on" in asked.page.text
    done = [asked.submit("").page, Browser(Api(now=NOW)).visit(path).page]
    statuses = [stopped(path).status, stopped(path[:-1] + ("A" if path[-1] != "A" else "B")).status]
    send(first, "second")
    send(other, "third")
    with ses() as later:
        delivered()

    assert ["no more e-mails about answers" in page.text for page in done] == [True, True]
    assert statuses == [200, 404]
    assert len(later) == 1


def test_a_link_to_stop_mails_ends_with_the_record_of_its_ask(owner: Api) -> None:
    answered(owner)
    with ses() as taken:
        delivered()
    client = resources.client("dynamodb")
    [item] = resources.items("Asks")

    with wire_tap.answering("UpdateItem", "ConditionalCheckFailedException"):  # removed between read and write
        assert stopped(stop_path(taken[0])).status == 404
    client.delete_item(TableName="test-Asks", Key={"id": item["id"]})

    assert stopped(stop_path(taken[0])).status == 404
    assert resources.items("Asks") == []


@pytest.mark.parametrize("chosen", ["", "ja"])
def test_the_mail_has_the_language_of_the_form_or_of_the_owner_s_choice(ann: Browser, owner: Api, chosen: str) -> None:
    ann = Browser(Api(now=NOW), cookies={SESSION: auth.open_session(ann.owner, now=NOW, address=ANN)})
    ann.visit("/asks/new?language=de").submit("", message="x")
    if chosen:
        act(ann.visit(f"/?language={chosen}"), "notices")
    send(owner.get("/api/v2/asks").json[0]["ask_token"])

    with ses() as taken:
        delivered()

    assert f'<html lang="{chosen or "de"}"' in says(taken[0])[2]


@pytest.mark.parametrize("fail", [with_an_answer_lost, with_a_death])
def test_a_lost_response_or_a_death_never_loses_the_mail(owner: Api, fail: Any) -> None:
    answered(owner)

    left, first, later = fail(delivered)

    assert (left, later) == (1, [ANN])
    assert first in ([], [ANN])


def test_no_log_no_message_and_no_mail_has_anything_secret(owner: Api, capsys: pytest.CaptureFixture[str]) -> None:
    ask_token = answered(owner, message="the-message", name="the-name")
    url_token = owner.active().json[0]["url_token"]
    capsys.readouterr()

    queued = json.dumps(told(rule="AnswersWanted"))
    with ses() as taken:
        delivered()
    stopped(stop_path(taken[0]))

    printed, mailed = capsys.readouterr().out, json.dumps(taken, default=str)
    for secret in ("the-payload", "the-message", url_token, ask_token, "203.0.113.77", "the-agent"):
        assert secret not in queued + printed + mailed
    for secret in ("the-name", ANN):
        assert secret not in queued + printed
