"""Schemathesis with docs/openapi.yaml against the deployed stack: no 5xx, and every response as documented."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from infra.build import template
from tests.drivers.http_client import HttpApi
from tests.meters.proof import Prove

pytestmark = pytest.mark.long

ENOUGH = 20  # requests, on a busy machine; several hundred on another

COMMAND = Path(sys.executable).with_name("schemathesis")
CHECKS = [
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_headers_conformance", "response_schema_conformance"),
]


def fuzz(caller: HttpApi, directory: Path, *, examples: int, seconds: int) -> dict[str, int]:
    """Return the number of requests by status; the same requests every time, within the time limit."""
    cassette = directory / "requests.ndjson"
    command = [
        *(str(COMMAND), "run", str(template.ROOT / "docs" / "openapi.yaml"), "--url", caller.base_url),
        *("--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing,stateful", "--no-color"),
        *("--max-examples", str(examples), "--max-time", str(seconds), "--continue-on-failure"),
        *("--generation-deterministic", "--warnings", "off"),
        *("--request-timeout", "30", "--suppress-health-check", "all", "--report-har-path", str(cassette)),
        *(["--header", f"Authorization: Bearer {caller.token}"] if caller.token else []),
    ]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-1_000:]
    statuses: dict[str, int] = {}
    for entry in json.loads(cassette.read_text())["log"]["entries"]:
        status = str(entry["response"]["status"])
        statuses[status] = statuses.get(status, 0) + 1
    return statuses


@pytest.fixture
def callers(api: HttpApi, bob: HttpApi) -> dict[str, HttpApi]:
    return {"anonymous": api, "owner": bob}


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("who", ["anonymous", "owner"])
def test_every_answer_is_as_documented(
    callers: dict[str, HttpApi], tmp_path: Path, effort: int, prove: Prove, who: str
) -> None:
    statuses = fuzz(callers[who], tmp_path, examples=10 * effort, seconds=40 + 5 * effort)

    assert not [status for status in statuses if status >= "5" or status == "0"]
    assert sum(statuses.values()) > ENOUGH  # else the time was up before anything was tried
    figures = ", ".join(f"{number:,} of {status}" for status, number in sorted(statuses.items()))
    prove(
        "API",
        f"Every answer to Schemathesis, {'without' if who == 'anonymous' else 'with'} an API token, is as documented",
        f"{sum(statuses.values()):,} requests: {figures}; MiniStack",
    )
