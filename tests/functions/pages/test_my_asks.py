"""GET /asks: the asker's list, form and page of an ask."""

import json
import re

import pytest

from shared.domain import digests
from shared.identity import auth
from tests.conftest import PASSWORD, Configure, People
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api
from tests.engines import resources
from tests.functions.pages.test_my_account import act
from tests.functions.test_create_ask import PUSH, ask, asker
from tests.shared.service.test_answers import answer, stored

NEEDED = {"message": "The password of\r\nthe shop"}


def text_of(browser: Browser) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", browser.page.text.partition("<main")[2].partition("</main")[0]))


def link_of(browser: Browser) -> str:
    [link] = re.findall(r'<textarea id="link"[^>]*>([^<]*)', browser.page.text)
    return str(link)


def test_an_ask_is_made_with_its_defaults_and_its_link_is_shown(ann: Browser) -> None:
    ann.visit("/asks/new").submit("", **NEEDED, answers="", expire_after_days="")

    [listed] = asker(ann).get("/api/v2/asks").json
    assert ann.at == f"/asks/{digests.digest(listed['ask_token'])}"
    assert link_of(ann) == listed["html_url"]
    assert "<svg" in ann.page.text.partition('aria-label="The link as a QR code"')[2][:30]
    assert listed["message"] == "The password of\nthe shop"
    assert (listed["answers"], listed["files"], listed["max_bytes"]) == (1, False, 25 * 2**20)
    assert listed["push"] == PUSH


def test_every_limit_can_be_chosen(ann: Browser) -> None:
    chosen = {"name": "Shop", "answers": "3", "expire_after_days": "2", "files": "true", "max_bytes": str(2**30)}
    push = {"expire_after_duration": "0", "expire_after_views": "1", "retrieval_step": "false"}

    ann.visit("/asks/new").submit("", **NEEDED, **chosen, **push, deletable_by_viewer="false")

    [listed] = asker(ann).get("/api/v2/asks").json
    assert (listed["name"], listed["answers"], listed["files"], listed["max_bytes"]) == ("Shop", 3, True, 2**30)
    assert listed["expires_at"] == "2026-01-03T01:00:00.000Z"
    assert listed["push"] == {
        "expire_after_duration": 0,
        "expire_after_views": 1,
        "retrieval_step": False,
        "deletable_by_viewer": False,
    }


def test_only_views_within_the_installation_s_bounds_are_offered(ann: Browser, configure: Configure) -> None:
    configure(VIEWS="2,4,5")

    offered = ann.visit("/asks/new").page.text.partition('name="expire_after_views"')[2].partition("</select>")[0]

    assert re.findall(r">(\d+)<", offered) == ["2", "3", "4", "5"]


def test_a_double_press_is_one_ask_and_a_changed_form_another(ann: Browser) -> None:
    form = ann.visit("/asks/new").page
    key = form.text.partition('name="idempotency_key" value="')[2].partition('"')[0]
    for message, sent in (("x", key), ("x", key), ("y", key), ("z", ""), ("z", "")):
        ann.page, ann.at = form, "/asks/new"
        ann.submit("", message=message, idempotency_key=sent)

    assert sorted(one["message"] for one in asker(ann).get("/api/v2/asks").json) == ["x", "y", "z", "z"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"message": " "}, "What you need: can&#39;t be blank"),
        ({"answers": "21"}, "Answers: must be between 1 and 20"),
        ({"expire_after_days": "91"}, "Valid for days: must be between 1 and 90"),
    ],
)
def test_a_refused_form_says_why_and_keeps_its_text(ann: Browser, fields: dict[str, str], said: str) -> None:
    ann.visit("/asks/new").submit("", **{"message": "MARKER", "name": "Shop"} | fields)

    assert ann.page.status == 422
    assert said in ann.page.text
    assert 'value="Shop"' in ann.page.text
    assert resources.items("Asks") == []
    ann.submit("", message="x", answers="1", expire_after_days="1")
    assert len(resources.items("Asks")) == 1


def test_without_a_confirmed_address_the_page_says_what_is_needed(ann: Browser, people: People) -> None:
    form = ann.visit("/asks/new").page
    unverified = {"UserAttributes": [{"Name": "email_verified", "Value": "false"}]}
    client = resources.client("cognito-idp")
    client.admin_update_user_attributes(UserPoolId=people.pool_id, Username="ann@example.com", **unverified)

    shown = ann.visit("/asks/new").page
    ann.page = form
    sent = ann.submit("", **NEEDED).page

    for page in (shown, sent):
        assert page.status == 403
        assert "needs an account with a verified e-mail address" in page.text
        assert 'name="message"' not in page.text
        assert '<a class="button secondary" href="/asks">Requests</a>' in page.text
    assert resources.items("Asks") == []


def test_the_list_says_what_became_of_each_ask(ann: Browser) -> None:
    api = asker(ann)
    for name in ("Open", "Ended", "Full"):
        stored(ann.owner, name=name)
    ask(api, message="The key <to> the shop. " + "x" * 99)
    listed = {one["name"]: one["ask_token"] for one in api.get("/api/v2/asks").json}
    full, ended = listed["Full"], listed["Ended"]
    Browser(Api(ip="192.0.2.9")).visit(f"/a/{full}").submit("", **{"push[payload]": "s3cret"})
    api.request("DELETE", f"/api/v2/asks/{ended}")

    text = text_of(ann.visit("/asks"))

    for row in ("Open 0 of 1 Open", "Ended 0 of 1 Ended", "Full 1 of 1 Answered"):
        assert row in text
    assert "The key &lt;to&gt; the shop.…" in text  # one without a name
    assert ann.page.text.count('data-copy="link-') == 2
    assert f'value="https://api.example.test/a/{listed["Open"]}"' in ann.page.text


def test_an_ask_ends_by_its_button_and_a_second_press_changes_nothing(ann: Browser) -> None:
    created = ask(asker(ann)).json
    page = f"/asks/{digests.digest(created['ask_token'])}"
    form = ann.visit("/asks").page
    for _ in range(2):
        ann.page, ann.at = form, "/asks"
        assert ann.submit(page).at == "/asks"

    [listed] = asker(ann).get("/api/v2/asks").json
    assert listed["expired"] is True
    assert "<h1>You asked for this</h1>" in ann.visit(page).page.text
    assert Browser().visit(f"/a/{created['ask_token']}").page.status == 410


def test_a_stale_form_creates_and_ends_nothing_and_keeps_its_text(ann: Browser) -> None:
    token = ask(asker(ann)).json["ask_token"]

    made = ann.visit("/asks/new").submit("", form_token="of another session", message="MARKER").page
    ended = ann.visit(f"/asks/{digests.digest(token)}").submit("", form_token="of another session").page

    assert (made.status, ended.status) == (403, 403)
    assert "Yes, end it now" in ended.text
    assert ">\nMARKER</textarea>" in made.text
    assert [one["expired"] for one in asker(ann).get("/api/v2/asks").json] == [False]


def test_a_form_sent_after_the_session_has_ended_keeps_its_text_and_works_after_a_sign_in(ann: Browser) -> None:
    ended = Browser(cookies={"__Host-session": auth.open_session(ann.owner, now=START)}).visit("/asks/new")
    auth.close_session(ended.session)
    ann.visit("/asks/new")
    cookies, ann.cookies = ann.cookies, {}

    elsewhere = ended.submit("", message="MARKER").page
    signed_out = ann.submit("", message="MARKER").page
    ann.cookies = cookies
    for _ in range(2):  # the first shows the form with the token of the new session
        ann.submit("", message="MARKER")

    for page in (signed_out, elsewhere):
        assert (page.status, "Sign in in another tab" in page.text) == (403, True)
        assert ">\nMARKER</textarea>" in page.text
    assert [one["message"] for one in asker(ann).get("/api/v2/asks").json] == ["MARKER"]
    assert Browser().visit("/asks").at == Browser().visit("/asks/new").at == "/users/sign_in"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_owner_s_ask_and_an_unknown_one_are_not_found(ann: Browser, bob: Api, method: str) -> None:
    anothers = stored()
    for ask_id in (anothers.ask.id, "0" * 64, "nosuch", "several.json"):
        body = f"form_token={auth.form_token(ann.session)}".encode() if method == "POST" else None
        assert ann._request(method, f"/asks/{ask_id}", body).page.status == 404

    assert [one["expired"] for one in bob.get("/api/v2/asks").json] == [False]
    assert anothers.ask.id not in ann.visit("/asks").page.text


def test_an_answer_is_marked_in_the_list_and_leads_to_its_ask(ann: Browser) -> None:
    api = asker(ann)
    opened = stored(ann.owner, name="Shop")
    api.push(name="Own")
    created = answer(opened)
    record = f"/pushes/{digests.digest(created.url_token)}"

    rows = re.findall(r"<tr>.*?<bdi>(\w+)</bdi>(.*?)</tr>", ann.visit("/pushes").page.text, re.DOTALL)
    assert {name: ">Answer<" in row for name, row in rows} == {"Shop": True, "Own": False}
    assert f'href="/asks/{opened.ask.id}"' in ann.visit(record).page.text
    assert f'class="button" href="https://api.example.test/p/{created.url_token}/r"' in ann.page.text
    assert {one["name"]: one.get("ask_name") for one in api.active().json} == {"Shop": "Shop", "Own": None}
    [exported] = json.loads(ann.visit(f"{record}.json").page.text)["pushes"]
    assert exported["ask_name"] == "Shop"


def test_the_export_has_all_of_an_ask_but_its_link(ann: Browser) -> None:
    created = ask(asker(ann), name="Shop").json

    page = ann.visit("/asks/all.json").page

    assert page.headers["content-disposition"] == 'attachment; filename="asks-1.json"'
    [exported] = page.json["asks"]
    assert exported.pop("id") == digests.digest(created["ask_token"])
    assert exported == {name: value for name, value in created.items() if name not in ("ask_token", "html_url")}
    assert created["ask_token"] not in page.text


def test_a_deleted_account_leaves_no_ask(ann: Browser) -> None:
    for _ in range(2):
        token = ask(asker(ann)).json["ask_token"]
    anothers = stored()

    act(ann, "delete", password=PASSWORD)

    assert ann.at == "/users/deleted"
    assert [item["id"]["S"] for item in resources.items("Asks")] == [anothers.ask.id]
    assert Browser().visit(f"/a/{token}").page.status == 410
