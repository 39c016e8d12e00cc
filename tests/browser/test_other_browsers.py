"""Firefox and WebKit, on the way that everybody goes: sign in, send, copy, reveal. The tour is `long`."""

import os
import ssl
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.drivers.browsing import MIB, Account
from tests.drivers.http_client import HttpApi
from tests.drivers.webdriver import REVEAL, REVEALED, SIGN_OUT, Window
from tests.engines import resources, serving
from tests.shared.service import test_answers

long = pytest.mark.long
SECRET = "<b>e</b>  two blanks"
STRANGE = " a\tb\u200b\u202e  <b>\n\n😀 "


@pytest.fixture
def near_bucket(window: Window, tls: ssl.SSLContext) -> Iterator[None]:
    """Serve the bucket over https where the pages are: they may not send files to plain http."""
    with serving.s3(tls) if window.name == "webkit" else nullcontext():
        yield


def stored() -> list[bytes]:
    """Return the content of each object in the bucket."""
    s3, bucket = resources.client("s3"), resources.environment()["BUCKET"]
    return [s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in resources.object_keys()]


def test_an_owner_signs_in_and_sends_and_a_recipient_reveals_exactly_that(window: Window, account: Account) -> None:
    window.sign_in(account)
    link = window.send(SECRET)
    window.forget()

    window.open(link)
    window.press(REVEAL)

    assert window.text(REVEALED) == SECRET


@long
def test_the_link_and_the_secret_are_copied_character_for_character(window: Window, api: HttpApi) -> None:
    link, revealed = window.send("s3cret"), api.push(STRANGE)
    window.press("[data-copy=link]")
    window.open("/")
    pasted_link = window.pasted("#payload")
    window.open(f"/p/{revealed}/r")
    window.press(REVEAL)
    window.press("[data-copy=payload]")
    window.open("/")

    assert pasted_link == link
    assert window.pasted("#payload") == STRANGE


@long
def test_a_double_press_shows_a_secret_with_one_view(window: Window, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", expire_after_views=1)
    window.open(f"/p/{url_token}/r")

    window.press_twice(REVEAL)

    assert window.text(REVEALED) == "s3cret"
    assert bob.kinds(url_token) == ["creation", "view"]


@long
def test_a_generated_secret_is_shown_and_undone(window: Window) -> None:
    window.open("/")
    window.fill("#payload", "typed")

    window.press("[data-generate]")
    generated = window.until(lambda: window.value("#payload") != "typed" and window.value("#payload"))
    window.press("[data-undo]")

    assert len(generated) >= 15
    assert window.until(lambda: window.value("#payload") == "typed")


@long
def test_an_ask_is_answered_with_a_text_and_a_file_straight_to_the_bucket(
    window: Window, near_bucket: None, bob: HttpApi, downloads: Path
) -> None:
    (chosen := downloads.parent / "contract ü.bin").write_bytes(content := os.urandom(6 * MIB))
    opened = test_answers.stored(now=datetime.now(UTC), files=True)
    window.open(f"/a/{opened.terms.ask_token}")
    window.find("#files").send_keys(str(chosen))
    window.fill("#payload", SECRET)

    window.press_twice("[data-bar] button")
    window.find(".notice.good")

    [answer] = (bob.retrieve(push["url_token"]).json for push in bob.active().json)
    assert (answer["payload"], [file["filename"] for file in answer["files"]]) == (SECRET, [chosen.name])
    assert content in stored()


@long
@pytest.mark.parametrize("size", [MIB // 2, 6 * MIB], ids=["through the function", "straight to the bucket"])
def test_a_file_arrives_byte_for_byte(
    window: Window, near_bucket: None, account: Account, downloads: Path, size: int
) -> None:
    chosen, content = downloads.parent / f"{size} ü.bin", os.urandom(size)
    chosen.write_bytes(content)
    window.sign_in(account)
    link = window.send_file(chosen)
    window.forget()

    window.open(link)
    window.press(REVEAL)
    window.press("[data-stays] button")

    if window.name == "webkit":  # keeps no downloads under automation: what the bucket holds must do
        assert content in stored()
    else:
        arrived = downloads / chosen.name
        assert window.until(lambda: arrived.exists() and arrived.read_bytes() == content)


@long
def test_the_choice_of_a_kind_stands_inside_its_box(window: Window) -> None:
    window.open("/")
    window.find("#payload")

    outside = window.driver.execute_script("""
        const tabs = document.querySelector('.tabs'), box = tabs.getBoundingClientRect();
        return [...tabs.children].map((one) => one.getBoundingClientRect())
            .filter((one) => one.top < box.top || one.bottom > box.bottom || one.right > box.right).length;
    """)

    assert outside == 0


@long
def test_back_after_sending_shows_no_secret(window: Window) -> None:
    window.send("s3cret")

    window.driver.back()

    assert window.value("#payload") == ""


@long
def test_back_after_signing_out_shows_no_push(window: Window, account: Account) -> None:
    window.sign_in(account)
    window.press(SIGN_OUT)
    window.until(lambda: not window.is_shown(SIGN_OUT))

    window.driver.back()

    assert window.until(lambda: window.is_shown("#password"))


@pytest.mark.parametrize(("browser", "is_shown"), [("firefox", False), ("webkit", True)])
def test_where_the_cookie_is_not_kept_the_sign_in_page_says_so(
    request: pytest.FixtureRequest, base_url: str, browser: str, *, is_shown: bool
) -> None:
    window = Window(browser, request.getfixturevalue(browser), base_url)

    window.open("/users/sign_in")
    window.find("#password")

    assert window.is_shown("[data-insecure]") == is_shown
