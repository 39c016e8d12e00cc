from pathlib import Path

import pytest

from infra.build import mutate, mutation_operators, mutation_targets, template

SOURCE = """
def f(a: int, *, b: bool = True) -> str:
    \"\"\"Says something.\"\"\"
    c = "ü" + str(a)
    if b:
        raise ValueError(c)
    return g(c, d=1, e=h(2, i=3))
"""


def test_every_module_and_every_test_that_belongs_to_it_is_there() -> None:
    for path, stems in mutation_targets.MODULES.values():
        assert (template.ROOT / path).is_file(), path
        assert [stem for stem in stems if not (template.ROOT / "tests" / f"{stem}.py").is_file()] == []


def test_each_statement_is_taken_out_once() -> None:
    changed = [mutate._change(SOURCE, mutant) for mutant in mutation_operators._without_a_statement(SOURCE)]

    assert changed == [
        '`c = "ü" + str(a)` → `pass`',
        "`return g(c, d=1, e=h(2, i=3))` → `pass`",
        "`raise ValueError(c)` → `pass`",
    ]


def test_a_none_at_the_end_of_a_function_is_no_statement_to_take_out() -> None:
    source = "def f(a):\n    if a:\n        return None\n    g(a)\n    return None\n"

    [changed] = mutation_operators._without_a_statement(source.replace("    g(a)\n", ""))

    assert changed == "def f(a):\n    if a:\n        pass\n    return None\n"


def test_each_named_argument_is_left_out_once() -> None:
    changed = [
        mutate._change(SOURCE, mutant).partition(" → ")[2] for mutant in mutation_operators._without_an_argument(SOURCE)
    ]

    assert changed == [
        "`return g(c, e=h(2, i=3))`",
        "`return g(c, d=1, )`",
        "`return g(c, d=1, e=h(2, ))`",
    ]


def test_what_differs_in_a_protocol_is_no_mutant() -> None:
    protocol = "class P(Protocol):\n    @property\n    def a(self): ...\n"

    assert mutation_operators._meaning(protocol.replace("    @property\n", "")) == mutation_operators._meaning(protocol)
    assert mutation_operators._meaning(protocol.replace("(Protocol)", "")) != mutation_operators._meaning(protocol)


@pytest.mark.parametrize("changed", [SOURCE, SOURCE.replace("a: int", "a: str"), SOURCE.replace(") -> str", ")")])
def test_what_differs_in_annotations_is_no_mutant(changed: str) -> None:
    assert mutation_operators._meaning(changed) == mutation_operators._meaning(SOURCE)


def test_the_reason_of_a_survivor_stays_and_one_without_makes_the_command_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "mutants.md"
    page.write_text("# Mutants\n\nWords.\n\n## seal\n\n| Survivor | Reason |\n|---|---|\n| `1` → `2` | both do |\n")
    monkeypatch.setattr(mutate, "PAGE", page)

    explained = mutate._write("seal", "shared/domain/seal.py", 10, ["`1` → `2`"])
    unexplained = mutate._write("auth", "shared/identity/auth.py", 5, ["`1` → `2`"])

    assert (explained, unexplained) == (True, False)
    assert "| `1` → `2` | both do |" in page.read_text()
    assert "| `1` → `2` | **none yet** |" in page.read_text()
    assert page.read_text().startswith("# Mutants\n\nWords.\n\n## auth\n")
    assert "9 of 10 killed" in page.read_text()
