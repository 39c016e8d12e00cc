"""The probe fails like a caller would, and reports the failed step without any content."""

import json
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from http.client import HTTPSConnection
from typing import Any

import pytest

from functions import probe
from infra.build import template
from shared.web import logs
from tests.conftest import Configure
from tests.drivers.client import Answer, Api, Context
from tests.engines import resources, serving
from tests.meters import emf

Probed = Callable[..., str]
STEPS = ["Create", "Preview", "Retrieve", "Refusal"]


@pytest.fixture
def probed(api: Api, configure: Configure) -> Probed:
    """Run the probe against the API, optionally with changed responses; return the failed step."""

    def probed(broken: serving.Broken = serving.whole, **settings: str) -> str:
        api.now = datetime.now(UTC)
        with serving.serving(api, broken) as base_url:
            configure(**{"BASE_URL": base_url} | settings)
            return probe.handler({}, Context())["failed"]

    return probed


def step_of(method: str, path: str, seen: set[str]) -> str:
    if method == "POST":
        return "Create"
    if path.endswith("/preview"):
        return "Preview"
    step = "Refusal" if path in seen else "Retrieve"
    seen.add(path)
    return step


def breaking(step: str, change: Callable[[Answer], Answer]) -> serving.Broken:
    """Change the response to one step."""
    seen: set[str] = set()
    return lambda method, path, answer: change(answer) if step_of(method, path, seen) == step else answer


def with_status(status: int) -> Callable[[Answer], Answer]:
    return lambda answer: replace(answer, status=status)


def saying(**changes: Any) -> Callable[[Answer], Answer]:
    return lambda answer: replace(answer, text=json.dumps(answer.json | changes))


def test_it_retrieves_its_push_once_and_succeeds(probed: Probed, capsys: pytest.CaptureFixture[str]) -> None:
    assert probed() == ""

    printed = capsys.readouterr().out
    assert emf.values(printed, "ProbeSucceeded") == [1.0]
    assert emf.values(printed, "ProbeFailed") == [0.0]
    assert [0 < seconds < 60 for seconds in emf.values(printed, "ProbeTime")] == [True]
    assert resources.items("Secrets") == []  # its only view was its last


def test_it_asks_for_no_more_than_the_installation_allows(probed: Probed) -> None:
    assert probed(DAYS="3,4,5", VIEWS="2,3,4") == ""

    assert resources.items("Secrets") == []  # a DELETE ended it after one view


@pytest.mark.parametrize("status", [200, 401, 404, 429, 500, 503])
@pytest.mark.parametrize("step", STEPS)
def test_a_step_with_another_status_fails_and_is_named(
    probed: Probed, capsys: pytest.CaptureFixture[str], step: str, status: int
) -> None:
    change = saying(payload="", expired=None, url="", url_token="") if status == 200 else with_status(status)

    assert probed(breaking(step, change)) == step

    printed = capsys.readouterr().out
    assert emf.values(printed, "ProbeFailed") == emf.values(printed, "ProbeFailed", reason=step) == [1.0]
    assert emf.values(printed, "ProbeSucceeded") == []


@pytest.mark.parametrize(
    ("step", "change"),
    [
        ("Create", saying(url_token="../active")),
        ("Create", saying(url_token=None)),
        ("Preview", saying(url="https://elsewhere.example.com")),
        ("Retrieve", saying(payload="another's")),
        ("Retrieve", saying(views_remaining=1)),
        ("Refusal", saying(expired=False)),
        ("Refusal", saying(payload="once more")),
    ],
)
def test_an_answer_that_breaks_a_promise_fails(probed: Probed, step: str, change: Callable[[Answer], Answer]) -> None:
    assert probed(breaking(step, change)) == step


@pytest.mark.parametrize("text", ["", "<html>", "[]", "null", '"text"'])
@pytest.mark.parametrize("step", STEPS)
def test_an_answer_that_is_no_object_fails(probed: Probed, step: str, text: str) -> None:
    assert probed(breaking(step, lambda answer: replace(answer, text=text))) == step


def test_an_unreachable_installation_fails_at_the_first_step(configure: Configure, aws: None) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        configure(BASE_URL=f"http://127.0.0.1:{closed.getsockname()[1]}")
        assert probe.handler({}, Context()) == {"failed": "Create"}


def test_without_a_base_url_nothing_is_probed(configure: Configure, aws: None) -> None:
    configure(BASE_URL="")

    assert probe.handler({}, Context()) == {"failed": "BaseUrl"}


def test_without_anonymous_access_it_needs_its_api_token(probed: Probed, issue: Callable[[str], str]) -> None:
    token = issue("name:probe")

    assert probed(ANONYMOUS_ACCESS="false") == "Create"
    assert probed(ANONYMOUS_ACCESS="false", PROBE_TOKEN=f"{token}\n") == ""


@contextmanager
def silent() -> Iterator[str]:
    """Listen without ever answering."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_it_does_not_wait_for_ever(configure: Configure, aws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from shared.service import probe as steps

    monkeypatch.setattr(steps, "SILENCE", 0.05)
    with silent() as base_url:
        configure(BASE_URL=base_url)
        assert probe.handler({}, Context()) == {"failed": "Create"}
    monkeypatch.undo()
    assert steps.SILENCE * len(STEPS) < template.load()["Globals"]["Function"]["Timeout"]


def test_it_uses_https_and_checks_the_certificate(
    configure: Configure, aws: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def request(self: HTTPSConnection, method: str, path: str, *_: object) -> None:
        asked.append((self.host, method, path, self._context.check_hostname))  # type: ignore[attr-defined]
        raise ConnectionResetError

    monkeypatch.setattr(HTTPSConnection, "request", request)
    configure(BASE_URL="https://push.example.com")

    assert probe.handler({}, Context()) == {"failed": "Create"}
    assert asked == [("push.example.com", "POST", "/api/v2/pushes", True)]


@pytest.mark.parametrize("step", ["", *STEPS])
def test_no_line_and_no_metric_of_it_holds_a_link_a_payload_or_its_token(
    probed: Probed, issue: Callable[[str], str], step: str, caplog: pytest.LogCaptureFixture, capsys: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    secrets = [issue("name:probe")]

    def watch(method: str, path: str, answer: Answer) -> Answer:
        secrets.extend(str(answer.json[name]) for name in ("url_token", "payload") if answer.json.get(name))
        return broken(method, path, answer)

    broken = breaking(step, with_status(503))
    assert probed(watch, PROBE_TOKEN=secrets[0]) == step

    lines = [record for record in caplog.records if record.name == logs.logger.name and record.message == "probe"]
    said = "".join(map(emf.as_printed, lines)) + capsys.readouterr().out
    assert "milliseconds" in said
    assert [secret for secret in secrets if secret in said] == []


def test_the_probe_s_own_error_fails_without_its_message(probed: Probed, caplog: pytest.LogCaptureFixture) -> None:
    assert probed(PROBE_TOKEN="MARKER\nMARKER") == "Probe"  # no header can contain it

    said = "".join(map(emf.as_printed, caplog.records))
    assert "ValueError < " in said
    assert "MARKER" not in said
