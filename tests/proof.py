"""The proofs of `make prove`: claims with figures, collected into one table and written to docs/proof.md.

A test that measures takes the fixture `prove` and calls it with what it measured, after its asserts: such a row stands
for a claim that held. A module of many small tries says `pytestmark = pytest.mark.prove(promise, claim, engine)`: its
row counts them, and those that failed. `effort` says how much to try: 1 in `make test`, more in `make prove`.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from datetime import UTC, datetime

import pytest

from infra import template

IS_LONG = bool(os.environ.get("PROVE"))
LONG = 5
PAGE = template.ROOT / "docs" / "proof.md"

Prove = Callable[[str, str, str], None]
Row = tuple[str, str, str, str]

_NOTED = pytest.StashKey[list[Row]]()
_rows: list[Row] = []
_tries: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)


@pytest.fixture(scope="session")
def effort() -> int:
    """How many times as much as in the quick form."""
    return LONG if IS_LONG else 1


@pytest.fixture
def prove(request: pytest.FixtureRequest) -> Prove:
    """Note which promise, a claim and its figures: `prove("1", "No view too many", "4,000 retrieves, 1,050 views")`."""
    noted = request.node.stash.setdefault(_NOTED, [])
    return lambda promise, claim, figures: noted.append((promise, claim, figures, "yes"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count the tries of a claim; what a test has noted counts once all of it has passed."""
    report = yield
    marker = item.get_closest_marker("prove")
    if marker and marker.args and (report.failed or (report.when == "call" and report.passed)):
        _tries[marker.args][report.outcome] += 1
    noted = item.stash.setdefault(_NOTED, [])
    if report.failed:
        noted.clear()
    elif report.when == "teardown":
        _rows.extend(noted)
    return report


def rows() -> list[Row]:
    """All rows, in the order of the promises."""
    counted = []
    for (promise, claim, engine), tries in _tries.items():
        holds = f"**no**, {tries['failed']} failed" if tries["failed"] else "yes"
        counted.append((promise, claim, f"{tries.total():,} tests; {engine}", holds))
    return sorted([*_rows, *counted])


def table() -> str:
    """All rows, as Markdown."""
    return "\n".join(["| Promise | Claim | Figures | Holds |", "|---|---|---|---|", *map(_line, rows())])


def _line(row: Row) -> str:
    return f"| {' | '.join(row)} |"


def write(failed: int) -> None:
    """Write the table into the page, below what a person wrote there."""
    introduction, mark, _ = PAGE.read_text().partition("<!-- figures -->")
    when = f"{datetime.now(UTC):%Y-%m-%d}"
    outcome = f"{failed} tests FAILED, whose claims say no or are left out" if failed else "every row holds"
    PAGE.write_text(f"{introduction}{mark}\n\nMeasured on {when} by `make prove`; {outcome}.\n\n{table()}\n")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """After the last test: print the table, and in the long form, if all of that ran, write it into the page."""
    if not rows():
        return
    print(f"\n{table()}\n")
    options = session.config
    is_whole = options.args_source == pytest.Config.ArgsSource.TESTPATHS and not options.option.keyword
    if IS_LONG and is_whole and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        write(session.testsfailed)
