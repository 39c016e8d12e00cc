"""One tour of a real browser on the deployed stack: accounts, files through S3, and the strict headers."""

import os
import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from infra.local.stack import Stack
from tests.drivers import browsing
from tests.drivers.browsing import MIB, Account, Visit, attach, open_options, press, press_and_wait, reveal, sign_in


@pytest.fixture
def visit(stack: Stack) -> Iterator[Visit]:
    """Open a page in a fresh browser; at the end no page has called another host or logged an error."""
    watch = browsing.Watch(stack.base_url, stack.emulator.endpoint)
    with browsing.chromium() as chromium, browsing.visiting(chromium, watch) as visit:
        yield visit
    assert watch.faults == []


def record(page: Page) -> list[str]:
    """Return the kinds of the entries on the record page."""
    return sorted(page.locator("tbody tr td:nth-child(2)").all_inner_texts())


def test_a_large_file_goes_from_an_owner_to_a_recipient_and_is_expired(stack: Stack, visit: Visit) -> None:
    content, account = os.urandom(5 * MIB), Account(f"{uuid.uuid4().hex}@example.com", "correct horse battery 1")
    stack.emulator.make_account(account.email, account.password)
    owner, recipient = sign_in(visit(), account), visit()
    expect(owner.locator("h1")).to_have_text("My pushes")

    owner.goto("/")
    owner.check("#kind-file")
    attach(owner, ("big.bin", content))
    open_options(owner)
    owner.fill("#name", "Database")
    press(owner, "Create link")
    reveal(recipient, owner.input_value("#link"))
    with recipient.expect_download() as download:
        recipient.get_by_role("button", name="big.bin").click()
    owner.goto("/pushes")
    owner.get_by_role("link", name="Database").click()
    owner.get_by_text("Expire it now", exact=True).click()
    press_and_wait(owner, "Yes, expire it now")

    assert download.value.path().read_bytes() == content
    assert record(owner) == ["created", "deleted", "opened"]
