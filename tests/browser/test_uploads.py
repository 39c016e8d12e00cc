"""Files in the sender's form in a real browser: the list of chosen files, progress, cancel and retry."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.conftest import Configure
from tests.drivers.browsing import MIB, Account, Visit, attach, press, sign_in

A_FILE = "() => { const data = new DataTransfer(); data.items.add(new File(['pasted'], 'p.png')); return data; }"
IS_ASKED = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))"
IN_VIEW = """() => ['progress', '[data-file]', '[data-cancel]'].map((css) => {
    const { top, bottom } = document.querySelector(css).getBoundingClientRect();
    return 0 <= top && top < bottom && bottom <= innerHeight;
})"""


@pytest.fixture
def form(chromium: Browser, base_url: str, account: Account) -> Iterator[Page]:
    """Open the form of a signed-in sender; the console may report an interrupted upload."""
    context = chromium.new_context(base_url=base_url, viewport={"width": 390, "height": 780})
    page = sign_in(context.new_page(), account)
    page.wait_for_url("**/pushes")
    page.goto("/")
    page.check("#kind-file")
    yield page
    context.close()


def names(page: Page) -> list[str]:
    """Return the names of the files that the form would send."""
    names: list[str] = page.evaluate("[...document.querySelector('#files').files].map((file) => file.name)")
    return names


@pytest.mark.long
def test_chosen_and_pasted_files_are_listed_and_can_be_removed(form: Page) -> None:
    items = form.locator(".chosen li")

    attach(form, ("a.txt", b"hello"), ("b.bin", bytes(3 * MIB)))
    attach(form, ("c.txt", b""))
    form.evaluate_handle(A_FILE).evaluate(
        "(data) => document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data }))"
    )
    expect(items).to_have_text(["a.txt5 bytesRemove", "b.bin3 MBRemove", "c.txt0 bytesRemove", "p.png6 bytesRemove"])
    press(form, "Remove b.bin")

    assert names(form) == ["a.txt", "c.txt", "p.png"]
    expect(form.get_by_role("button", name="Remove c.txt")).to_be_focused()


def test_an_upload_is_seen_at_the_button_and_a_canceled_one_resumes(form: Page, bucket: str) -> None:
    held: list[Route] = []

    def hold_the_second(route: Route) -> None:
        held.append(route)
        if len(held) != 2:
            route.continue_()

    form.route(f"{bucket}/**", hold_the_second)
    attach(form, *[(f"{number}.bin", bytes(MIB)) for number in range(3)])
    press(form, "Create link")
    expect(form.locator("[data-file]")).to_have_text("Sending “1.bin” (2 of 3)")
    seen, is_asked, title = form.evaluate(IN_VIEW), form.evaluate(IS_ASKED), form.title()
    press(form, "Cancel")
    expect(form.locator("[data-problem]")).to_be_focused()
    expect(form.locator("[data-problem]")).to_contain_text("Canceled while sending “1.bin”")
    is_asked_after = form.evaluate(IS_ASKED)
    press(form, "Try again")
    expect(form.locator("h1")).to_have_text("Your link is ready")
    form.goto("/pushes")

    assert seen == [True, True, True]
    assert (is_asked, is_asked_after) == (True, False)
    assert title.startswith("33% · ")
    assert len(held) == 4
    expect(form.locator("tbody tr")).to_have_count(1)


@pytest.mark.long
def test_a_file_too_large_is_named_before_anything_is_sent(form: Page, configure: Configure) -> None:
    configure(MAX_FILE_SIZE="5")
    form.reload()
    form.check("#kind-file")
    sent: list[str] = []
    form.on("request", lambda request: sent.append(request.method))
    attach(form, ("small.txt", b"hello"), ("large.txt", b"hello you"))

    press(form, "Create link")

    expect(form.locator("[data-problem]")).to_be_focused()
    expect(form.locator("[data-problem]")).to_contain_text("“large.txt” is too large: a file may have 5 bytes.")
    assert sent == []


@pytest.mark.long
def test_a_dropped_file_does_not_replace_the_form_of_somebody_who_may_not_send_files(visit: Visit) -> None:
    page = visit()
    page.goto("/")
    page.fill("#payload", "typed")

    drop = "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })"
    is_kept = page.evaluate_handle(A_FILE).evaluate(f"(data) => !document.body.dispatchEvent({drop})")

    assert is_kept
    expect(page.get_by_role("status")).to_contain_text("To send files, sign in")
