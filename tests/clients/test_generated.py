"""docs/openapi.yaml for generators: clients made from it compile, refuse a misspelt field, and work."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.build import template
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.engines.serving import serving
from tests.functions import test_create_ask

pytestmark = [pytest.mark.long, pytest.mark.skipif(not shutil.which("npm"), reason="needs Node")]

HERE = Path(__file__).parent
DOCUMENT = template.ROOT / "docs" / "openapi.yaml"
VENVS = template.ROOT / ".local" / "venvs"
PYTHON = VENVS / "generators" / "bin" / "python"
NODE = VENVS / "generators-node" / "node_modules"
FIELD, MISSPELT = "expire_after_views", "expire_after_view"
OPTIONS = ["--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--exactOptionalPropertyTypes"]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a command in an empty directory; without telemetry and the like."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "MYPYPATH": str(tmp_path)}

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(part) for part in command],
            cwd=tmp_path,
            env=environment | quiet,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def succeed(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
    return done.stdout


def misspell(program: Path) -> None:
    text = program.read_text()
    assert text.count(FIELD) == 1
    program.write_text(text.replace(FIELD, MISSPELT))


@pytest.fixture
def python_program(run: Run, tmp_path: Path) -> Path:
    """Generate a Python client and return a program that uses it."""
    (tmp_path / "config.yaml").write_text("post_hooks: []\n")
    command = [
        "generate",
        "--path",
        DOCUMENT,
        "--output-path",
        "generated",
        "--meta",
        "none",
        "--config",
        "config.yaml",
    ]
    said = succeed(run(PYTHON, "-m", "openapi_python_client", *command))
    assert said.split() == ["Generating", "generated"]  # no warnings
    return Path(shutil.copy(HERE / "use.py", tmp_path))


@pytest.fixture
def typescript_program(run: Run, tmp_path: Path) -> Path:
    """Generate a TypeScript client and return a program that uses it."""
    (tmp_path / "node_modules").symlink_to(NODE)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    succeed(run(NODE / ".bin" / "openapi-typescript", DOCUMENT, "-o", "generated.ts"))
    return Path(shutil.copy(HERE / "use.ts", tmp_path))


@pytest.fixture
def api(ann: Browser) -> Api:
    """Return the API of a person with an account, who may ask."""
    return test_create_ask.asker(ann)


def test_a_python_client_pushes_retrieves_lists_and_asks(run: Run, python_program: Path, api: Api) -> None:
    succeed(run(PYTHON, "-m", "mypy", "--strict", python_program))

    with serving(api) as base_url:
        succeed(run(PYTHON, python_program, base_url, str(api.token)))


def test_a_python_client_refuses_a_misspelt_field(run: Run, python_program: Path) -> None:
    misspell(python_program)

    done = run(PYTHON, "-m", "mypy", "--strict", python_program)

    assert done.returncode == 1
    assert f'Unexpected keyword argument "{MISSPELT}" for "NewPush"' in done.stdout
    assert done.stdout.count("error:") == 1


def test_a_typescript_client_pushes_retrieves_lists_and_asks(run: Run, typescript_program: Path, api: Api) -> None:
    succeed(run(NODE / ".bin" / "tsc", *OPTIONS, typescript_program))

    with serving(api) as base_url:
        succeed(run("node", typescript_program.with_suffix(".js"), base_url, str(api.token)))


def test_a_typescript_client_refuses_a_misspelt_field(run: Run, typescript_program: Path) -> None:
    misspell(typescript_program)

    done = run(NODE / ".bin" / "tsc", *OPTIONS, typescript_program)

    assert done.returncode != 0
    assert f"'{MISSPELT}' does not exist in type" in done.stdout
    assert done.stdout.count("error TS") == 1


def test_spectral_finds_nothing(run: Run) -> None:
    succeed(run(NODE / ".bin" / "spectral", "lint", "--fail-severity=hint", "-r", HERE / "spectral.yaml", DOCUMENT))


def test_redocly_finds_nothing(run: Run) -> None:
    report = json.loads(succeed(run(NODE / ".bin" / "redocly", "lint", "--format=json", DOCUMENT)))

    assert report["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_the_lock_has_no_addresses_and_runs_no_scripts() -> None:
    lock = json.loads((HERE / "package-lock.json").read_text())

    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in lock["packages"].items() if name)
