"""The deployed code contains only functions/, shared/ and the locked runtime dependencies."""

import re
import subprocess
import sys
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest

from infra.build import template, trim
from infra.local.stack import Stack
from tests.bench import bundles


@pytest.fixture(scope="module")
def bundle(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Download the functions' deployed code."""
    content = tmp_path_factory.mktemp("bundle")
    zipfile.ZipFile(stack.directory / "bundle.zip").extractall(content)
    return content


def test_it_holds_the_locked_dependencies_and_no_others(bundle: Path) -> None:
    locked = re.findall(r"^([\w-]+)==([\w.]+)", (template.ROOT / "requirements.txt").read_text(), re.MULTILINE)

    found = {
        (found.metadata["Name"].lower().replace("_", "-"), found.version) for found in distributions(path=[str(bundle)])
    }

    assert found == set(locked)


def test_it_holds_our_code_and_nothing_else_of_ours(bundle: Path) -> None:
    theirs = {path.parts[0] for one in distributions(path=[str(bundle)]) for path in [Path(one._path.name)]}  # type: ignore[attr-defined]
    packages = {path.name for path in bundle.iterdir()} - theirs - {"__pycache__"}

    assert {"functions", "shared"} <= packages
    assert not packages & {"tests", "docs", "infra", "template.yaml", "pyproject.toml", "README.md", "awscrt", "moto"}
    assert {path.suffix for path in (bundle / "shared").rglob("*") if path.is_file()} == {".py", ".pyc"}
    assert not [*bundle.rglob("*.po")]


def test_it_has_bytecode_that_is_never_checked_against_its_source(bundle: Path) -> None:
    [compiled] = (bundle / "shared" / "domain" / "__pycache__").glob("push.*.pyc")

    assert int.from_bytes(compiled.read_bytes()[4:8], "little") == 1  # PEP 552: hash-based and unchecked


def test_it_describes_only_the_services_that_the_functions_call(bundle: Path) -> None:
    described = {path.name for path in (bundle / "botocore" / "data").iterdir() if path.is_dir()}

    assert described == trim.SERVICES


def test_it_writes_every_served_language_as_the_whole_of_babel_does(bundle: Path) -> None:
    show = (
        "from pathlib import Path; from datetime import datetime, timedelta, UTC;"
        "from shared.web.languages import SERVED, Language;"
        "all = [Language(tag, Path('functions/pages/locales')) for tag in SERVED];"
        "afternoon = datetime(2026, 5, 4, 13, 5, tzinfo=UTC); minutes = (1, 5, 60, 120, 1440, 2880, 14400);"
        "print([(one.tag, one.direction, one.moment(afternoon), one.number(1234567),"
        "[one.size(size) for size in (0, 1, 2, 5, 2048, 11264, 3 << 20, 3 << 30)],"
        "[one.lifetime(timedelta(minutes=many)) for many in minutes], one.names('abc')) for one in all])"
    )

    trimmed, whole = (
        subprocess.run([sys.executable, "-c", show], cwd=where, capture_output=True, text=True, check=True).stdout
        for where in (bundle, template.ROOT)
    )

    assert trimmed == whole
    assert "13:05" in trimmed


def test_zipped_it_has_ten_and_a_half_megabytes_at_most(bundle: Path, tmp_path: Path) -> None:
    assert bundles.zipped(bundle, tmp_path / "bundle.zip") <= 10_500_000


def test_babel_s_data_of_other_languages_is_left_out(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "babel.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path in (bundle / "babel").rglob("*"):
            packed.write(path, path.relative_to(bundle))

    assert (tmp_path / "babel.zip").stat().st_size <= 1_300_000
