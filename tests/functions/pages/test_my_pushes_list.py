"""The list of an owner's pushes: states, and several pushes expired at once."""

import re
from datetime import timedelta

import pytest

from shared.domain import digests
from shared.domain.limits import PAGE_SIZE
from shared.identity import auth
from shared.web.cookies import SESSION
from tests.conftest import Issue
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api

SEVERAL = "/pushes/several"


@pytest.fixture
def ann_api(ann: Browser, issue: Issue) -> Api:
    """Return the same owner's API."""
    return Api(token=issue(ann.owner))


def box(url_token: str) -> str:
    return f"expire-{digests.digest(url_token)}"


def is_expired(api: Api, *url_tokens: str) -> list[bool]:
    return [api.retrieve(url_token).json["expired"] for url_token in url_tokens]


def test_the_list_says_in_words_what_was_opened_and_what_expires_soon(ann: Browser, ann_api: Api) -> None:
    ann_api.push(name="New")
    ann_api.retrieve(ann_api.push(name="Opened", expire_after_views=3))
    ann_api.push(name="Short", expire_after_duration=3)

    rows = re.findall(r"<tr>.*?<bdi>(\w+)</bdi>(.*?)</tr>", ann.visit("/pushes").page.text, re.DOTALL)

    marks = {name: re.findall(r"<span class=\"mark[^>]*>(?:<svg.*?</svg>)?([^<]*)", row) for name, row in rows}
    assert marks == {"New": ["Not opened"], "Opened": ["Opened 1 of 3"], "Short": ["Not opened", "Expires soon"]}


def test_selected_pushes_expire_in_one_request(ann: Browser, ann_api: Api) -> None:
    pushes = [ann_api.push() for _ in range(3)]

    ann.visit("/pushes").submit(SEVERAL, **{box(one): "on" for one in pushes[:2]})

    assert "2 pushes have expired." in ann.page.text
    assert is_expired(ann_api, *pushes) == [True, True, False]


def test_what_could_not_be_expired_is_counted_and_another_owners_push_lives(
    ann: Browser, ann_api: Api, bob: Api
) -> None:
    own, anothers = ann_api.push(), bob.push(deletable_by_viewer=True)

    ann.visit("/pushes").submit(SEVERAL, **{box(own): "on", box(anothers): "on", "expire-x": "on"})

    assert "1 push has expired." in ann.page.text
    assert "2 pushes could not be expired." in ann.page.text
    assert is_expired(bob, anothers) == [False]


def test_a_row_s_own_button_expires_that_push_alone(ann: Browser, ann_api: Api) -> None:
    selected, pressed = ann_api.push(), ann_api.push()

    ann.visit("/pushes").submit(SEVERAL, only=digests.digest(pressed), **{box(selected): "on"})

    assert is_expired(ann_api, selected, pressed) == [False, True]


def test_nothing_selected_changes_nothing_and_says_so(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()

    assert "You selected no push" in ann.visit("/pushes").submit(SEVERAL).page.text
    assert is_expired(ann_api, url_token) == [False]


def test_a_stale_form_keeps_the_selection_and_expires_nothing(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()
    ann_api.push()

    page = ann.visit("/pushes").submit(SEVERAL, form_token="of another session", **{box(url_token): "on"}).page

    assert page.status == 403
    assert re.findall(r'name="([^"]*)"[^>]* checked', page.text) == [box(url_token)]
    assert is_expired(ann_api, url_token) == [False]


def test_a_sign_in_in_between_leads_back_to_the_list(ann: Browser) -> None:
    assert ann.visit(SEVERAL).at == "/pushes"


def test_a_whole_page_of_pushes_fits_into_one_form(ann: Browser, ann_api: Api) -> None:
    ann_api.push()

    ann.visit("/pushes").submit(SEVERAL, **dict.fromkeys(map(box, map(str, range(PAGE_SIZE))), "on"))

    assert "50 pushes could not be expired." in ann.page.text


@pytest.mark.parametrize("query", ["done=x", "done=-1", "done=²", "done=1000000", "failed=<b>"])
def test_a_made_up_number_in_the_query_says_nothing(ann: Browser, query: str) -> None:
    page = ann.visit(f"/pushes?{query}").page

    assert (page.status, 'class="notice' in page.text) == (200, False)


def test_a_push_expires_soon_in_its_last_day(ann: Browser, ann_api: Api) -> None:
    ann_api.push(expire_after_days=2)
    at = [START, START + timedelta(days=1)]

    pages = [
        Browser(Api(now=now), cookies={SESSION: auth.open_session(ann.owner, now=now)}).visit("/pushes") for now in at
    ]

    assert ["Expires soon" in one.page.text for one in pages] == [False, True]
