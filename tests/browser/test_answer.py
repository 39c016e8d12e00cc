"""The page behind an ask's link, in a real browser."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from shared.aws import asks
from tests.drivers.browsing import MIB, PHONE, Visit, attach, heading, press
from tests.drivers.http_client import HttpApi
from tests.shared.service import test_answers
from tests.shared.service.test_answers import counted

Ask = Callable[..., Any]
FILES = [(f"{number}.bin", bytes([number]) * (MIB // 2 + 1)) for number in range(3)]


@pytest.fixture
def asked(chromium: Browser, base_url: str) -> Iterator[Page]:
    """Open a phone whose console may report an interrupted upload."""
    context = chromium.new_context(base_url=base_url, viewport={"width": 390, "height": 780})
    yield context.new_page()
    context.close()


def stored(page: Page, **fields: Any) -> Any:
    """Store an ask, open its page, and return the ask."""
    opened = test_answers.stored(now=datetime.now(UTC), message="The contract, please", **fields)
    page.goto(f"/a/{opened.terms.ask_token}")
    return opened


def break_the_second(page: Page, bucket: str) -> list[str]:
    """Break the second upload off; return where all go."""
    tries: list[str] = []

    def handle(route: Route) -> None:
        tries.append(route.request.url)
        route.abort() if len(tries) == 2 else route.continue_()

    page.route(f"{bucket}/**", handle)
    return tries


def received(bob: HttpApi) -> list[dict[str, Any]]:
    """Return what the asker gets of each answer, the newest first."""
    return [bob.retrieve(push["url_token"]).json for push in bob.active().json]


def test_a_broken_upload_goes_on_and_is_one_answer(asked: Page, bucket: str, bob: HttpApi) -> None:
    opened, tries = stored(asked, files=True), break_the_second(asked, bucket)

    attach(asked, *FILES)
    asked.fill("#payload", "signed")
    press(asked, "Send")
    expect(asked.locator("[data-problem]")).to_contain_text("“1.bin” did not arrive")
    press(asked, "Try again")
    expect(asked.locator("h1")).to_have_text("Thank you")

    [answer] = received(bob)
    assert (answer["payload"], len(answer["files"])) == ("signed", len(FILES))
    assert len(tries) == len(FILES) + 1
    assert counted(opened) == 1
    assert answer["url_token"] not in asked.url + asked.content()


@pytest.mark.long
def test_what_is_changed_after_a_broken_upload_is_another_answer_with_all_its_files(
    asked: Page, bucket: str, bob: HttpApi
) -> None:
    stored(asked, files=True, answers=2)
    break_the_second(asked, bucket)
    attach(asked, *FILES)
    press(asked, "Send")
    expect(asked.locator("[data-problem]")).to_contain_text("“1.bin” did not arrive")

    asked.fill("#payload", "signed")
    press(asked, "Send")
    expect(asked.locator("h1")).to_have_text("Thank you")

    changed, _ = received(bob)
    assert (changed["payload"], len(changed["files"])) == ("signed", len(FILES))


@pytest.mark.long
def test_an_upload_shows_its_progress_and_a_canceled_one_goes_on(asked: Page, bucket: str) -> None:
    held: list[Route] = []

    def hold_the_second(route: Route) -> None:
        held.append(route)
        if len(held) != 2:
            route.continue_()

    stored(asked, files=True)
    asked.route(f"{bucket}/**", hold_the_second)
    attach(asked, *FILES)

    press(asked, "Send")
    expect(asked.locator("[data-file]")).to_have_text("Sending “1.bin” (2 of 3)")
    assert asked.title().startswith("33% · ")
    assert asked.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    press(asked, "Cancel")
    expect(asked.locator("[data-problem]")).to_contain_text("Canceled while sending “1.bin”")
    press(asked, "Try again")

    expect(asked.locator("h1")).to_have_text("Thank you")


@pytest.mark.long
def test_files_larger_than_the_ask_are_refused_at_their_field_before_they_are_sent(asked: Page, bucket: str) -> None:
    opened, tries = stored(asked, files=True, max_bytes=MIB), break_the_second(asked, bucket)
    asked.fill("#payload", "kept")
    attach(asked, *FILES)

    press(asked, "Send")

    expect(asked.locator("#files-problem")).to_have_text("This is larger than what was asked for.")
    expect(asked.locator("[data-problem]")).to_be_focused()
    expect(asked.locator("#payload")).to_have_value("kept")
    assert (tries, counted(opened)) == ([], 0)


@pytest.mark.long
def test_an_ask_that_ended_meanwhile_says_so_in_its_form(asked: Page) -> None:
    opened = stored(asked, files=True)
    attach(asked, *FILES)
    asks.end(opened.ask, datetime.now(UTC))

    press(asked, "Send")

    expect(asked.locator("[data-problem]")).to_contain_text("This link takes no more secrets")


@pytest.mark.long
def test_without_a_connection_the_text_stays_and_a_double_press_is_one_answer(page: Page) -> None:
    opened = stored(page)
    page.fill("#payload", "s3cret")
    page.context.set_offline(True)

    press(page, "Send")
    expect(page.locator("[data-problem]")).to_have_text("The connection broke off. Please try again.")
    page.context.set_offline(False)
    page.get_by_role("button", name="Send", exact=True).dblclick()

    expect(page.locator("h1")).to_have_text("Thank you")
    assert counted(opened) == 1


@pytest.mark.long
def test_a_text_takes_no_file_and_is_not_lost_to_one(page: Page) -> None:
    stored(page)
    page.fill("#payload", "typed")

    kept = page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File(['x'], 'x'));
        const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
        return !document.body.dispatchEvent(drop);
    }""")

    assert kept
    expect(page.locator("#files")).to_have_count(0)


@pytest.mark.long
def test_an_answer_needs_no_script_and_no_account(visit: Visit, bob: HttpApi) -> None:
    page = visit(java_script_enabled=False, viewport=PHONE)
    stored(page, files=True)
    page.fill("#payload", "first\nsecond")

    press(page, "Deutsch")
    expect(page.locator("#payload")).to_have_value("first\nsecond")
    press(page, "English")
    attach(page, ("a.bin", b"\0\r\n\xff"))
    press(page, "Send")

    assert heading(page) == "Thank you"
    [answer] = received(bob)
    assert (answer["payload"], [file["filename"] for file in answer["files"]]) == ("first\nsecond", ["a.bin"])
