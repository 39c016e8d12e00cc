"""A text that our page sealed, in libraries that we did not write: with their default settings, in both directions."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwe
from joserfc.jwk import OctKey
from playwright.sync_api import Page, expect

from infra.build import template
from tests.browser.test_sealed import send_sealed
from tests.drivers.browsing import press
from tests.drivers.http_client import HttpApi
from tests.drivers.sender_key import KEY, decoded, encoded, key_id

pytestmark = pytest.mark.long

TEXT = "first line\n\tsecond é 🔑"
PROGRAM = "open_jwe.mjs"
NODE = template.ROOT / ".local" / "venvs" / "generators-node" / "node_modules"


def open_with_joserfc(compact: str, key: bytes, _directory: Path) -> tuple[str, dict[str, Any]]:
    opened = jwe.decrypt_compact(compact, OctKey.import_key(key))
    assert opened.plaintext is not None
    return opened.plaintext.decode(), dict(opened.protected)


def open_with_jose(compact: str, key: bytes, directory: Path) -> tuple[str, dict[str, Any]]:
    if not shutil.which("node"):
        pytest.skip("needs Node")
    (directory / "node_modules").symlink_to(NODE)
    program = shutil.copy(template.ROOT / "tests" / "clients" / PROGRAM, directory)
    question = json.dumps({"jwe": compact, "key": encoded(key)})
    done = subprocess.run(["node", program], input=question, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    return answer["text"], answer["header"]


@pytest.mark.parametrize("open_jwe", [open_with_joserfc, open_with_jose])
def test_two_libraries_open_what_the_page_sealed(page: Page, api: HttpApi, tmp_path: Path, open_jwe: Any) -> None:
    link = send_sealed(page, TEXT)
    key = decoded(link.partition("#k=")[2])
    payload = api.retrieve(link.split("/p/")[1][:26]).json["payload"]

    text, header = open_jwe(payload, key, tmp_path)

    assert text == TEXT
    assert header == {"alg": "dir", "enc": "A256GCM", "kid": key_id(key)}


def test_the_page_opens_what_a_library_sealed(page: Page, api: HttpApi) -> None:
    header = {"alg": "dir", "enc": "A256GCM", "kid": key_id()}
    created = api.create(jwe.encrypt_compact(header, TEXT, OctKey.import_key(KEY)), sealed_by="sender").json

    page.goto(f"{created['html_url']}#k={encoded(KEY)}")
    press(page, "Show the secret")

    expect(page.locator("#payload")).to_have_text(TEXT, use_inner_text=False)


def test_the_command_line_and_the_page_open_each_other_s_texts(page: Page, base_url: str, tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "SECRET_BASE_URL": base_url}

    def secret(command: str, *options: str, given: str) -> str:
        run = [sys.executable, "-m", "secret_cli", command, *options]
        cli = template.ROOT / "infra" / "cli"
        return subprocess.run(
            run, cwd=cli, env=environment, input=given.encode(), capture_output=True, check=True
        ).stdout.decode()

    page.goto(secret("push", "--seal", given=TEXT).strip())
    press(page, "Show the secret")
    expect(page.locator("#payload")).to_have_text(TEXT, use_inner_text=False)

    assert secret("get", given=send_sealed(page, TEXT)) == TEXT
