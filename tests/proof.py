"""The proofs of `make prove`: claims with figures, collected into one table and written to docs/proof.md.

A test that proves something takes the fixture `prove` and calls it with what it measured, after its asserts: a row
stands for a claim that held. `effort` says how much to try: 1 in `make test`, more in `make prove`.
"""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from infra import template

LONG = 5
PAGE = template.ROOT / "docs" / "proof.md"

Prove = Callable[[str, str], None]

_rows: list[tuple[str, str]] = []


@pytest.fixture(scope="session")
def effort() -> int:
    """How many times as much as in the quick form."""
    return LONG if os.environ.get("PROVE") else 1


@pytest.fixture
def prove() -> Iterator[Prove]:
    """Note a claim and the figures that show it: `prove("No view too many", "4,000 retrieves, 1,050 views")`."""
    noted: list[tuple[str, str]] = []
    yield lambda claim, figures: noted.append((claim, figures))
    _rows.extend(noted)


def table() -> str:
    """All rows, as Markdown."""
    lines = ["| Claim | Figures | Holds |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {claim} | {figures} | yes |" for claim, figures in sorted(_rows))])


def write(failed: int) -> None:
    """Print the table; in the long form also write it into the page, below what a person wrote there."""
    print(f"\n{table()}\n")
    if os.environ.get("PROVE"):
        introduction, mark, _ = PAGE.read_text().partition("<!-- figures -->")
        when = f"{datetime.now(UTC):%Y-%m-%d}"
        outcome = "every row holds" if not failed else f"{failed} proofs FAILED and are not in the table"
        PAGE.write_text(f"{introduction}{mark}\n\nMeasured on {when} by `make prove`; {outcome}.\n\n{table()}\n")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """After the last test."""
    if _rows:
        write(session.testsfailed)
