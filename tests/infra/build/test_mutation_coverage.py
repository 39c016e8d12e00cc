"""A mutant is shown to every test that may notice it, and to no other."""

import json
from collections import Counter
from pathlib import Path

import pytest

from infra.build import mutation_coverage

SOURCE = """
LIMIT = 1


def f(a: int, b: int = 2) -> int:
    if a:
        return g(
            a,
            b,
        )
    return LIMIT
"""
NOTES = json.dumps(
    [{"6": ["slow", "quick"], "7": ["slow"], "8": ["slow"], "11": ["quick"]}, {"slow": 2, "quick": 1}, {}]
)


@pytest.mark.parametrize(
    ("old", "new", "tests"),
    [
        ("    b,", "    b + 1,", ["slow"]),
        ("return LIMIT", "pass", ["quick"]),
        ("if a", "if not a", ["quick", "slow"]),
    ],
    ids=["inside a branch", "after it", "the branch"],
)
def test_a_statement_in_a_function_is_seen_by_the_tests_that_run_it(old: str, new: str, tests: list[str]) -> None:
    assert mutation_coverage.choose(SOURCE, SOURCE.replace(old, new), NOTES, Counter()) == tests


@pytest.mark.parametrize(
    ("old", "new"), [("", ""), ("LIMIT = 1", "LIMIT = 2"), ("b: int = 2", "b: int = 3"), ("\nLIMIT = 1", "")]
)
def test_what_runs_as_the_module_is_loaded_is_seen_by_all_the_quick_ones_first(old: str, new: str) -> None:
    assert mutation_coverage.choose(SOURCE, SOURCE.replace(old, new), NOTES, Counter()) == ["quick", "slow"]


def test_a_test_that_has_noticed_many_comes_first() -> None:
    assert mutation_coverage.choose(SOURCE, SOURCE, NOTES, Counter(slow=2)) == ["slow", "quick"]


def test_what_no_test_runs_is_seen_by_none() -> None:
    nothing = json.dumps([{}, {"slow": 2, "quick": 1}, {}])

    assert mutation_coverage.choose(SOURCE, SOURCE.replace("return LIMIT", "return 0"), nothing, Counter()) == []


def test_what_lies_outside_of_the_tree_is_a_library() -> None:
    notes = json.dumps([{}, {}, {"yaml": "/venv/yaml.py", "shared": "/tree/shared/__init__.py", "sys": None}])

    assert mutation_coverage.libraries(notes, Path("/tree")) == ["yaml"]
