"""docs/proof.md shows gaps: a claim that failed, was skipped or never ran has a row with the reason."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.build import template
from tests.meters import proof

SUITE = """
import pytest

tries = pytest.mark.prove("3", "Many tries hold", "moto")

@tries
def test_passes(): pass

@tries
def test_does_not(): assert FAILS is False

def test_measured(prove):
    prove("1", "What is measured", "7 of 7")

def test_measured_and_wrong(prove):
    prove("2", "What is wrong", "7 of 8")
    assert FAILS is False

def test_left_out(prove):
    if FAILS: pytest.skip("no time")
    prove("2", "What is skipped", "1 of 1")
"""
PAGE = """# Proof

Words.

<!-- figures -->

Measured on 2020-01-01 by `make prove`; every row holds.

| Promise | Claim | Figures | Holds |
|---|---|---|---|
| 2 | What is wrong | 8 of 8 | yes |
| 4 | What nobody tries any more | 9 of 9 | yes |
"""


@pytest.fixture
def workers() -> str:
    """The number of workers, if any."""
    return "0"


@pytest.fixture
def written(tmp_path: Path, request: pytest.FixtureRequest, workers: str) -> list[str]:
    """Return the page's lines after a run of the suite."""
    page = tmp_path / "proof.md"
    page.write_text(PAGE)
    (tmp_path / "test_suite.py").write_text(request.param + SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = .\nmarkers =\n  prove: a claim\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.meters.proof",
        "-p",
        "no:cacheprovider",
        "-n",
        workers,
    ]
    environment = os.environ | {"PROVE": "1", "PROOF_PAGE": str(page), "PYTHONPATH": str(template.ROOT)}
    subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, check=False)
    return page.read_text().splitlines()


@pytest.mark.long
@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize("written", ["FAILS = True"], indirect=True)
def test_a_claim_not_shown_says_no(written: list[str]) -> None:
    assert any("**5 of 6 rows do not hold**" in line for line in written)
    assert written[-6:] == [
        "| - | left out | test_suite.py::test_left_out | **no**: skipped |",
        "| - | measured and wrong | test_suite.py::test_measured_and_wrong | **no**: failed |",
        "| 1 | What is measured | 7 of 7 | yes |",
        "| 2 | What is wrong | none | **no**: not shown |",
        "| 3 | Many tries hold | 1 tests; moto | **no**: 1 failed |",
        "| 4 | What nobody tries any more | none | **no**: not shown |",
    ]


@pytest.mark.long
@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize("written", ["FAILS = False"], indirect=True)
def test_a_shown_claim_says_yes(written: list[str]) -> None:
    assert [line for line in written if line.endswith("| yes |")] == [
        "| 1 | What is measured | 7 of 7 | yes |",
        "| 2 | What is skipped | 1 of 1 | yes |",
        "| 2 | What is wrong | 7 of 8 | yes |",
        "| 3 | Many tries hold | 2 tests; moto | yes |",
    ]


@pytest.mark.long
@pytest.mark.parametrize("written", ["import nothing_of_that_name"], indirect=True)
def test_a_suite_that_cannot_be_read_says_no_of_all_that_stood_there(written: list[str]) -> None:
    assert any("**2 of 2 rows do not hold**" in line for line in written)
    assert [line for line in written if "yes" in line] == []


def test_a_row_that_says_no_is_no_claim_of_the_next_run() -> None:
    page = f"<!-- figures -->\n\n{proof.table([('-', 'a b', 'test_x.py::test_a_b', '**no**: failed')])}\n"

    assert proof.with_lost([], page) == []


def test_the_page_s_headline_matches_its_rows() -> None:
    page = (template.ROOT / "docs" / "proof.md").read_text()

    shown = proof.rows_of(page)

    assert len(shown) > 30
    assert f"by `make prove`; {proof.headline(shown)}." in page
