"""The proofs of `make prove`: claims with figures, collected in one table and written to docs/proof.md.

A test that measures uses the fixture `prove` and calls it with its result after its asserts, so a row is a claim that
held. A module of many small tries has `pytestmark = pytest.mark.prove(promise, claim, engine)`: its row counts them and
their failures. `effort` is how much to try: 1 in `make test`, more in `make prove`. Only `make prove` runs tests marked
`only_prove`.

If workers share the tests, each hands in its results at its end.

The table shows gaps. A claim whose test failed, was skipped or never ran has a row with the reason; so has every claim
on the page that this run does not know.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from infra.build import template

IS_LONG = bool(os.environ.get("PROVE"))
LONG = 5
PAGE = Path(os.environ.get("PROOF_PAGE", template.ROOT / "docs" / "proof.md"))

Prove = Callable[[str, str, str], None]
Row = tuple[str, str, str, str]

YES = "yes"
_NEVER = "never ran"
_HANDED_IN = "proof"
_MARK = "<!-- figures -->"
_HEAD = ["| Promise | Claim | Figures | Holds |", "|---|---|---|---|"]
_NOTED = pytest.StashKey[list[Row]]()
_rows: list[Row] = []
_tries: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
_owed: dict[str, str] = {}  # tests that owe a row, and why it is missing


@pytest.fixture(scope="session")
def effort() -> int:
    """Return how many times as much to try as in the quick form."""
    return LONG if IS_LONG else 1


@pytest.fixture
def prove(request: pytest.FixtureRequest) -> Prove:
    """Record a promise, a claim and its figures: `prove("1", "No view too many", "4,000 retrieves, 1,050 views")`."""
    noted = request.node.stash.setdefault(_NOTED, [])
    return lambda promise, claim, figures: noted.append((promise, claim, figures, YES))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that owe a row, and leave proofs of engines and of many tries to the long form."""
    for item in items:
        if _owes(item) and not item.get_closest_marker("prove"):
            item.add_marker("prove")
    left = [] if IS_LONG else [item for item in items if item.get_closest_marker("only_prove")]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("only_prove")]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Record the rows that this run owes, before its first test."""
    for item in session.items:
        if _owes(item):
            _owed[item.nodeid] = _NEVER
        if marker := _claim_of(item):
            _tries[marker]["collected"] += 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count the tries of a claim; a test's rows count once all its phases have passed."""
    report = yield
    marker = _claim_of(item)
    if marker and (report.when == "call" or not report.passed):
        _tries[marker][report.outcome] += 1
    test = item.nodeid
    if test in _owed and not report.passed:
        _owed[test] = report.outcome
    elif report.when == "teardown" and _owed.get(test) == _NEVER:
        noted = item.stash.get(_NOTED, [])
        _rows.extend(noted)
        _owed[test] = "" if noted else "noted nothing"
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add a worker's results. A crashed worker has none, and the run fails for it."""
    rows_there, tries_there, owed_there = getattr(node, "workeroutput", {}).get(_HANDED_IN, ([], [], {}))
    _rows.extend(tuple(row) for row in rows_there)
    for marker, tries in tries_there:
        seen = _tries[tuple(marker)]
        collected = max(seen["collected"], tries.pop("collected"))  # every worker collects the same tests
        seen.update(tries)
        seen["collected"] = collected
    for test, why in owed_there.items():
        if why != _NEVER or test not in _owed:
            _owed[test] = why


def rows() -> list[Row]:
    """Return the shown and the missing claims of this run, in the order of the promises."""
    counted = [
        (promise, claim, f"{tries['passed']:,} tests; {engine}", _holds(tries))
        for (promise, claim, engine), tries in _tries.items()
    ]
    missing = [("-", _in_words(test), test, f"**no**: {why}") for test, why in _owed.items() if why]
    return sorted({*_rows, *counted, *missing})  # a test that runs on several engines has one row


def with_lost(measured: list[Row], page: str) -> list[Row]:
    """Return these rows, and one for each claim of the page that is missing among them."""
    claims = {row[:2] for row in measured}
    stood = [row for row in rows_of(page) if row[0] != "-"]
    lost = [(row[0], row[1], "none", "**no**: not shown") for row in stood if row[:2] not in claims]
    return sorted([*measured, *lost])


def table(shown: list[Row]) -> str:
    """Return rows as Markdown."""
    return "\n".join([*_HEAD, *(f"| {' | '.join(row)} |" for row in shown)])


def rows_of(page: str) -> list[Row]:
    """Return the rows of a page."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", page.partition(_MARK)[2], re.MULTILINE)
    return [row for row in rows if row[0] != "Promise"]


def headline(shown: list[Row]) -> str:
    """Return the page's first sentence: that each claim holds, or how many do not."""
    failing = sum(row[3] != YES for row in shown)
    return f"**{failing} of {len(shown)} rows do not hold**" if failing else "every row holds"


def write(measured: list[Row]) -> None:
    """Write the table to the page, below its hand-written part."""
    page = PAGE.read_text()
    shown = with_lost(measured, page)
    when = f"Measured on {datetime.now(UTC):%Y-%m-%d} by `make prove`; {headline(shown)}."
    PAGE.write_text(f"{page.partition(_MARK)[0]}{_MARK}\n\n{when}\n\n{table(shown)}\n")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Print the table after the last test; in the long form, if all tests ran, also write the page."""
    options: Any = session.config
    if hasattr(options, "workeroutput"):
        tries = [(marker, dict(counted)) for marker, counted in _tries.items()]
        options.workeroutput[_HANDED_IN] = (_rows, tries, _owed)
        return
    measured = rows()
    is_whole = options.args_source == pytest.Config.ArgsSource.TESTPATHS and not options.option.keyword
    if IS_LONG and is_whole and not options.option.collectonly:
        write(measured)
    if measured:
        print(f"\n{table(measured)}\n")


def _owes(item: pytest.Item) -> bool:
    return "prove" in getattr(item, "fixturenames", ())


def _claim_of(item: pytest.Item) -> tuple[str, ...] | None:
    marker = item.get_closest_marker("prove")
    return marker.args if marker and marker.args else None


def _holds(tries: Counter[str]) -> str:
    lost = {
        "failed": tries["failed"],
        "skipped": tries["skipped"],
        _NEVER: tries["collected"] - tries["passed"] - tries["failed"] - tries["skipped"],
    }
    reasons = ", ".join(f"{count} {why}" for why, count in lost.items() if count > 0)
    return f"**no**: {reasons}" if reasons else YES


def _in_words(test: str) -> str:
    return test.rpartition("::")[2].partition("[")[0].removeprefix("test_").replace("_", " ")
