"""The curl lines of README.md and docs/api.md, run in order in one shell, give the printed responses."""

import re
import subprocess
import sys
from typing import NamedTuple

from infra.build import template
from infra.local.stack import Stack

PRINTED_URL = "http://127.0.0.1:8000"
MARK = "next command"


class Step(NamedTuple):
    """A command and its printed response on the page; `…` matches anything."""

    command: str
    answer: str


def steps() -> list[Step]:
    """Return all commands that call the API or set their variables."""
    found = []
    pages = "".join((template.ROOT / page).read_text() for page in ("README.md", "docs/api.md"))
    for block in re.findall(r"```console\n(.*?)```", pages, re.DOTALL):
        for text in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command = re.match(r"(.*\\\n)*.*\n", text)[0]  # type: ignore[index]
            answer = text.removeprefix(command)
            if re.match(r"(curl|\w+=\$\()", command):
                found.append(Step(command, answer.strip()))
    return found


def test_every_curl_line_answers_as_printed(stack: Stack) -> None:
    wanted = steps()
    # `make token` uses the stack of `make run`; this line uses the test's stack in the same way.
    script = (
        f"make() {{ {sys.executable} -m infra.operator.issue_token mint --owner readme@example.com 2>/dev/null; }}\n"
    )
    script += "".join(f"{step.command}\necho; echo {MARK}\n" for step in wanted).replace(PRINTED_URL, stack.base_url)

    printed = subprocess.check_output(
        ["bash", "-euo", "pipefail", "-c", script], cwd=template.ROOT, env=stack.emulator.environment, text=True
    )

    answers = [answer.strip() for answer in printed.split(MARK)]
    assert len(wanted) > 8
    for step, answer in zip(wanted, answers, strict=False):
        assert re.fullmatch(".*".join(map(re.escape, step.answer.split("…"))), answer), (step, answer)
