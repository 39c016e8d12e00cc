"""Which tests run which lines of a module, and how long each test takes, so that a mutant is shown to few tests.

A test that never runs a changed statement cannot notice the change. What is outside of functions runs as the module is
loaded: all tests see it.
"""

import ast
import difflib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest


class Recorder:
    """Notes for each test which lines of one module it runs; a plugin of pytest."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._coverage = coverage.Coverage(data_file=None, include=[self._path], config_file=False)
        self._seconds: dict[str, float] = {}

    def pytest_sessionstart(self) -> None:
        """Begin before any test loads the module."""
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Give each test a context and a time of its own, its fixtures included."""
        self._coverage.switch_context(item.nodeid)
        start = time.perf_counter()
        result = yield
        self._seconds[item.nodeid] = time.perf_counter() - start
        return result

    def write(self, page: Path) -> None:
        """Write what was noted, for another process."""
        self._coverage.stop()
        tests_by_line = self._coverage.get_data().contexts_by_lineno(self._path)
        files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
        page.write_text(json.dumps([tests_by_line, self._seconds, files]))


class Chooser:
    """Runs these tests alone, in this order, and writes the name of one that fails to a page; a plugin of pytest."""

    def __init__(self, tests: list[str], page: Path) -> None:
        self._places = {test: place for place, test in enumerate(tests)}
        self._page = page

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the rest."""
        items[:] = sorted((item for item in items if item.nodeid in self._places), key=self._place)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note who has noticed the mutant."""
        if report.failed:
            self._page.write_text(report.nodeid)

    def _place(self, item: pytest.Item) -> int:
        return self._places[item.nodeid]


def choose(source: str, mutant: str, notes: str, noticed: Counter[str]) -> list[str]:
    """The tests that may notice a mutant: first the quick, and those that have noticed many; all if nothing differs.

    `notes` is what a Recorder wrote.
    """
    tests_by_line, seconds, _ = json.loads(notes)
    lines = _changed_lines(source, mutant)
    statement = _innermost_statement(source, lines)
    worth = {test: took / (1 + noticed[test]) for test, took in seconds.items()}
    if statement is None:
        return sorted(worth, key=worth.__getitem__)
    run = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    seeing = {test for line in run for test in tests_by_line.get(str(line), [])} & set(seconds)
    return sorted(seeing, key=worth.__getitem__)


def libraries(notes: str, tree: Path) -> list[str]:
    """The modules that the tests have loaded from outside of a tree, for whose sake nothing need be loaded anew."""
    files: dict[str, str | None] = json.loads(notes)[2]
    return [name for name, file in files.items() if file and not Path(file).is_relative_to(tree)]


def _changed_lines(source: str, mutant: str) -> range:
    matcher = difflib.SequenceMatcher(None, source.splitlines(), mutant.splitlines(), autojunk=False)
    changed = [(start, end) for tag, start, end, _, _ in matcher.get_opcodes() if tag != "equal"]
    changed = changed or [(0, 1)]
    return range(changed[0][0] + 1, max(changed[-1][1], changed[0][0] + 1) + 1)


def _innermost_statement(source: str, lines: range) -> ast.stmt | None:
    """The smallest statement in a function that has these lines, None where the module's loading runs them."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    inside = [node for function in functions for body in function.body for node in ast.walk(body)]
    having = [node for node in inside if isinstance(node, ast.stmt) and _has(node, lines)]
    smallest = min(having, key=lambda node: (node.end_lineno or 0) - node.lineno, default=None)
    return None if isinstance(smallest, ast.FunctionDef | ast.ClassDef) else smallest


def _has(node: ast.stmt, lines: range) -> bool:
    return node.lineno <= lines[0] and lines[-1] <= (node.end_lineno or node.lineno)
