"""Turning view notices on and off: the account's page, the sender's form, and the record of a push."""

from typing import Any

import pytest

from shared.domain import digests
from shared.identity import auth
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api
from tests.engines import resources
from tests.functions.pages.test_my_account import PAGE, act
from tests.functions.pages.test_send_forms import fields_of
from tests.meters import wire_tap

FIELD, IN_FORM = "notify_when_viewed", "push[notify_when_viewed]"
SECRET = {"push[payload]": "s3cret"}


@pytest.fixture(autouse=True)
def mails(configure: Configure) -> None:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")


def stored() -> list[Any]:
    """Return the setting of each push."""
    return [item.get("notify", {}).get("BOOL") for item in resources.items("Pushes")]


def default() -> tuple[Any, Any]:
    """Return the setting in the owner's record, and its language."""
    [record] = [item for item in resources.items("ApiTokens") if item["digest"]["S"].startswith("owner ")]
    return record.get(FIELD, {}).get("BOOL"), record.get("locale", {}).get("S")


# ---------------------------------------------------------------- the account's page


def test_the_choice_is_stored_with_the_language_and_can_be_undone(ann: Browser) -> None:
    chosen = act(ann.visit("/?language=fr"), "notices", **{FIELD: "true"}).page.text
    kept = default()
    ann.visit("/?language=en")
    act(ann, "notices", **{FIELD: "false"})

    assert (kept, default()) == ((True, "fr"), (False, "en"))
    assert 'name="notify_when_viewed" value="true" checked' in chosen
    assert "Saved." in ann.page.text
    assert 'name="notify_when_viewed" value="true" checked' not in ann.page.text


def test_a_forged_form_keeps_no_choice(ann: Browser) -> None:
    ann.visit(PAGE).submit(PAGE, do="notices", form_token="forged", **{FIELD: "true"})

    assert ann.page.status == 403
    assert default() == (None, None)


def test_it_is_kept_once_and_not_with_each_session(ann: Browser) -> None:
    act(ann, "notices", **{FIELD: "true"})
    auth.open_session(ann.owner, now=ann.api.now)

    kept = [item["digest"]["S"] for item in resources.items("ApiTokens") if FIELD in item]
    assert [key.partition(" ")[0] for key in kept] == ["owner"]


def test_a_choice_ends_no_session_and_outlives_them(ann: Browser) -> None:
    act(ann, "notices", **{FIELD: "true"})
    auth.end_all_credentials(ann.owner, now=ann.api.now)

    assert default()[0] is True


# ---------------------------------------------------------------- the sender's form


@pytest.mark.parametrize("is_on", [True, False])
def test_the_box_is_as_the_account_says_and_the_push_keeps_it(ann: Browser, is_on: bool) -> None:
    act(ann, "notices", **{FIELD: str(is_on).lower()})

    ann.visit("/").submit("", **SECRET)

    assert stored() == [is_on]


def test_a_form_shown_again_keeps_its_choice(ann: Browser) -> None:
    act(ann, "notices", **{FIELD: "true"})

    page = ann.visit("/").submit("", **SECRET, **{IN_FORM: "false", "push[expire_after_views]": "0"}).page

    assert page.status == 422
    assert fields_of(page)[IN_FORM] == "false"


def test_the_box_costs_the_form_no_call(ann: Browser, configure: Configure) -> None:
    with wire_tap.calls() as with_box:
        ann.visit("/")
    configure(MAIL_FROM="")
    with wire_tap.calls() as without:
        ann.visit("/")

    assert [operation for operation, _ in with_box] == [operation for operation, _ in without] == ["BatchGetItem"]


# ---------------------------------------------------------------- the record of a push


@pytest.mark.parametrize(("said", "offered"), [(None, "true"), (False, "true"), (True, "false")])
def test_the_record_offers_the_other_choice_and_takes_it(ann: Browser, said: Any, offered: str) -> None:
    owner = Api(token=auth.issue_api_token(ann.owner, "test", now=START))
    url_token = owner.push(**{FIELD: said})

    ann.visit(f"/pushes/{digests.digest(url_token)}")
    assert f'name="notify_when_viewed" value="{offered}"' in ann.page.text
    ann.submit("", **{FIELD: offered})

    assert ann.page.status == 200
    assert stored() == [offered == "true"]


def test_later_pushes_use_the_account_s_setting(ann: Browser) -> None:
    owner = Api(token=auth.issue_api_token(ann.owner, "test", now=START))
    before = owner.push()
    act(ann, "notices", **{FIELD: "true"})

    pages = [ann.visit(f"/pushes/{digests.digest(url_token)}").page.text for url_token in (before, owner.push())]

    assert ["Stop e-mailing me about views" in page for page in pages] == [False, True]


def test_only_its_owner_chooses_notices_for_a_push(ann: Browser, bob: Api) -> None:
    url_token = bob.push()

    ann.visit("/pushes").submit("/users/sign_out")
    answer = ann.api.request("POST", f"/pushes/{digests.digest(url_token)}", body=b"notify_when_viewed=true")

    assert answer.status in (303, 404)
    assert stored() == [None]


def test_the_choice_needs_mail_the_owner_and_a_live_push(ann: Browser, configure: Configure) -> None:
    owner = Api(token=auth.issue_api_token(ann.owner, "test", now=START))
    over, alive = owner.push(), owner.push()
    owner.expire(over)

    anonymous, of_over = Browser().visit("/").page.text, ann.visit(f"/pushes/{digests.digest(over)}").page.text
    configure(MAIL_FROM="")
    pages = [ann.visit(path).page.text for path in ("/", PAGE, f"/pushes/{digests.digest(alive)}")]

    assert [FIELD in text for text in [anonymous, of_over, *pages]] == [False] * 5
