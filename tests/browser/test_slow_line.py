"""People on a slow connection in a real browser: they press twice, they reload, and they lose nothing."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.doubles.slow_line import slow_line
from tests.drivers.browsing import Account, Visit, Watch, open_options, payload, press, sign_in
from tests.drivers.http_client import HttpApi

long = pytest.mark.long
with_and_without_script = pytest.mark.parametrize("javascript", [True, False], ids=["script", "no script"])


@pytest.fixture
def watch(base_url: str, bucket: str) -> Iterator[Watch]:
    """Watch pages that are served by the slow connection."""
    with slow_line(base_url) as slow_url:
        watch = Watch(slow_url, bucket)
        yield watch
        assert watch.faults == []


def press_twice(page: Page, name: str) -> None:
    """Press a button twice before a response can arrive."""
    button = page.get_by_role("button", name=name, exact=True)
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*place)
    page.wait_for_timeout(200)
    page.mouse.click(*place)


def posts(page: Page) -> list[str]:
    """Record the targets of the page's forms from here on."""
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    return sent


@pytest.mark.parametrize(
    ("passphrase", "javascript"),
    [("", True), *(pytest.param(*case, marks=long) for case in [("", False), ("right", True), ("right", False)])],
)
def test_a_double_press_shows_a_secret_with_one_view(
    visit: Visit, bob: HttpApi, *, passphrase: str, javascript: bool
) -> None:
    url_token = bob.push("s3cret", expire_after_views=1, passphrase=passphrase)
    page = visit(java_script_enabled=javascript)
    page.goto(f"/p/{url_token}/r")
    if passphrase:
        page.fill("#passphrase", passphrase)
    sent = posts(page)

    press_twice(page, "Show the secret")

    assert payload(page) == "s3cret"
    assert bob.kinds(url_token) == ["creation", "view"]
    assert len(sent) == (1 if javascript else 2)


@long
@with_and_without_script
def test_a_reload_shows_the_secret_again_and_counts_nothing(visit: Visit, bob: HttpApi, *, javascript: bool) -> None:
    url_token = bob.push("s3cret", expire_after_views=1)
    page = visit(java_script_enabled=javascript)
    page.goto(f"/p/{url_token}/r")
    press(page, "Show the secret")
    expect(page.locator("#payload")).to_have_text("s3cret")

    page.reload()

    assert payload(page) == "s3cret"
    assert bob.kinds(url_token) == ["creation", "view"]


@long
@with_and_without_script
def test_a_double_press_makes_one_push_and_a_reload_none(visit: Visit, account: Account, *, javascript: bool) -> None:
    page = sign_in(visit(java_script_enabled=javascript), account)
    expect(page.locator("h1")).to_have_text("My pushes")
    page.goto("/")
    page.fill("#payload", "s3cret")

    press_twice(page, "Create link")
    expect(page.locator("h1")).to_have_text("Your link is ready")
    page.reload()
    page.goto("/pushes")

    expect(page.locator("tbody tr")).to_have_count(1)


@long
@with_and_without_script
def test_going_back_from_the_link_shows_the_choices_but_no_secret(visit: Visit, *, javascript: bool) -> None:
    page = visit(java_script_enabled=javascript)
    page.goto("/")
    page.check("#kind-qr")
    open_options(page)
    page.get_by_label("Let the recipient delete it").uncheck()
    for field, value in {"#payload": "s3cret", "#passphrase": "typed", "#views": "2"}.items():
        page.fill(field, value)
    page.select_option("#lifetime", "8")
    key = page.input_value("[name=idempotency_key]")
    press(page, "Create link")
    expect(page.locator("h1")).to_have_text("Your link is ready")

    page.go_back()
    expect(page.locator("h1")).to_have_text("Send a secret")

    expect(page.locator("#kind-qr")).to_be_checked()
    expect(page.get_by_label("Let the recipient delete it")).not_to_be_checked()
    expect(page.get_by_label("Show a button first")).to_be_checked()
    typed = [page.input_value(field) for field in ("#payload", "#passphrase", "#lifetime", "#views")]
    assert typed == ["", "", "8", "2"]
    assert page.input_value("[name=idempotency_key]") != key


@long
@with_and_without_script
def test_after_an_ended_session_the_form_keeps_its_input(visit: Visit, account: Account, *, javascript: bool) -> None:
    page = sign_in(visit(java_script_enabled=javascript), account)
    expect(page.locator("h1")).to_have_text("My pushes")
    page.goto("/")
    open_options(page)
    typed = {"#payload": "first\nsecond", "#passphrase": "typed", "#name": "Database", "#note": "a note", "#views": "2"}
    for field, value in typed.items():
        page.fill(field, value)
    page.context.clear_cookies(name="__Host-session")

    press(page, "Create link")
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("You have been signed out")
    found = {field: page.input_value(field) for field in typed}
    press(page, "Create link")

    assert found == typed
    expect(page.locator("h1")).to_have_text("Your link is ready")
