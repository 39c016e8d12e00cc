"""Mailed links on the running stack: stream, rule, queue, the function's own role, and the emulator's SES."""

import re
import uuid
from pathlib import Path

from infra.local.stack import Stack
from tests.drivers.browser import Browser
from tests.drivers.http_client import HttpApi
from tests.e2e.conftest import Issue
from tests.e2e.test_files import eventually
from tests.e2e.test_pwpush import run

CODE = "123456"  # accepted for every sign-up on the emulator


def mails_to(stack: Stack, recipient: str) -> list[str]:
    """Return the texts of the mails to a recipient that the local stack has written."""
    texts = [path.read_text() for path in (stack.directory / "mail").glob("*.txt")]
    return [text for text in texts if f"\nTo: {recipient}\n" in text]


def status(owner: HttpApi, url_token: str) -> list[str]:
    logs = owner.audit(url_token).json["logs"]
    return [entry["notify_by_email"]["status"] for entry in logs if "notify_by_email" in entry]


def test_a_link_is_mailed_from_a_create_and_opens_the_push(stack: Stack, bob: HttpApi, api: HttpApi) -> None:
    created = bob.create(notify_emails_to="ann@example.org", notify_emails_to_locale="de", retrieval_step=False).json

    assert eventually(lambda: status(bob, created["url_token"]) == ["completed"])
    assert eventually(lambda: len(mails_to(stack, "ann@example.org")) == 1)

    [text] = mails_to(stack, "ann@example.org")
    assert f"{stack.base_url}/p/{created['url_token']}/r?locale=de\n" in text
    assert "\nSecret sharing: " in text
    assert api.retrieve(created["url_token"]).json["payload"] == "s3cret"


def test_a_link_is_mailed_later(stack: Stack, bob: HttpApi) -> None:
    url_token = bob.push()

    answer = bob.post(f"/api/v2/pushes/{url_token}/notify_emails.json", {"notify_emails_to": "later@example.org"})

    assert answer.status == 201
    assert eventually(lambda: len(mails_to(stack, "later@example.org")) == 1)
    assert url_token in mails_to(stack, "later@example.org")[0]


def test_the_official_command_line_mails_a_link(stack: Stack, base_url: str, issue: Issue, tmp_path: Path) -> None:
    owner = "mailing-cli@example.com"
    run(tmp_path, "login", "--url", base_url, "--email", owner, "--token", issue(owner))

    printed = run(tmp_path, "push", "--secret", "s3cret", "--notify", "cli@example.org", "--notify-locale", "fr")

    assert "not enabled" not in printed
    assert eventually(lambda: len(mails_to(stack, "cli@example.org")) == 1)
    assert "/r?locale=fr\n" in mails_to(stack, "cli@example.org")[0]


def notices_to(stack: Stack, owner: str) -> list[str]:
    return [text for text in mails_to(stack, owner) if "/notices/" in text]


def test_an_owner_hears_of_views_as_they_chose_until_they_switch_that_off(stack: Stack, api: HttpApi) -> None:
    email = f"{uuid.uuid4().hex}@example.com"
    owner = Browser(api).visit("/users/sign_up").submit("/users/sign_up", email=email)
    owner.submit("/users/confirm", code=CODE, password="correct horse battery 1").visit("/users/account?language=de")
    owner.submit("/users/account", do="notices", notify_when_viewed="true")
    url_token = owner.visit("/").submit("", **{"push[payload]": "s3cret"}).at.split("/")[2]

    api.retrieve(url_token)
    assert eventually(lambda: len(notices_to(stack, email)) == 1)
    [text] = notices_to(stack, email)
    path = text.partition(f"{stack.base_url}/notices/")[2].split()[0]
    stopped = Browser(api).visit(f"/notices/{path}").submit("")
    api.retrieve(url_token)
    mailed = owner.visit("/").submit("", **{"push[payload]": "s3cret"}).at.split("/")[2]
    api.retrieve(mailed)

    assert "Subject: Secret sharing: " in text
    assert re.search(r"Verbleibende Aufrufe: höchstens \d", text)
    assert url_token not in text
    assert stopped.page.status == 200
    # Two of three views: events arrive in order, so the second view's would be there as well.
    assert eventually(lambda: len(notices_to(stack, email)) == 2)


def test_an_asker_hears_of_an_answer(stack: Stack, api: HttpApi) -> None:
    email = f"{uuid.uuid4().hex}@example.com"
    asker = Browser(api).visit("/users/sign_up").submit("/users/sign_up", email=email)
    asker.submit("/users/confirm", code=CODE, password="correct horse battery 1")
    asker.visit("/asks/new").submit("", message="x", name="Shop")
    [path] = re.findall(r"/a/\w+", asker.page.text)

    answer = Browser(api).visit(path).submit("", **{"push[payload]": "s3cret"})

    assert answer.at == f"{path}/thanks"
    assert eventually(lambda: len(notices_to(stack, email)) == 1)
    assert "“Shop”" in notices_to(stack, email)[0]
