"""`make mutate MODULE=store`: change one thing of a module at a time, and see whether a test notices.

Each mutant runs those tests of its module that run the changed line (`mutation_coverage.py`), quick ones first, until
one fails. docs/mutants.md has what survived, each with its reason; a survivor without one makes the command fail. The
reasons are written there by hand, and stay when the command runs again. A copy of the tree is changed, never the tree
itself.
"""

import argparse
import difflib
import gc
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from infra.build import mutation_coverage
from infra.build.mutation_targets import MODULES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "mutants.md"
TREE = ROOT / ".local" / "mutants"
NOTES = ROOT / ".local" / "mutants.json"
NOTICED = ROOT / ".local" / "mutants.noticed"
MAKER = ROOT / ".local" / "venvs" / "mutate" / "bin" / "python"

# A mutant may wait for ever: a test that takes two minutes has noticed it.
_PYTEST = [
    *("-x", "-q", "--timeout", "120", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-m", "not e2e"),
]
_NO_TESTS = 5  # pytest: none of those that were chosen is there any more
_QUICKEST = 30  # tests that must pass as a mutant would be shown to them, or every mutant would seem noticed
_UNEXPLAINED = "**none yet**"


def main() -> int:
    """Run it, write the page; 1 where a survivor has no reason."""
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", choices=[*MODULES, []], help="by default all of them, which takes hours")
    parser.add_argument("--maker", default=str(MAKER), help="a Python that has cosmic-ray")
    asked = parser.parse_args()
    _copy_tree()
    explained = [_mutate(name, asked.maker) for name in asked.modules or MODULES]
    return 0 if all(explained) else 1


def _mutate(name: str, maker: str) -> bool:
    path, stems = MODULES[name]
    tests = [f"tests/{stem}.py" for stem in stems]
    source = (ROOT / path).read_text()
    made = subprocess.run(
        [maker, "-P", "infra/build/mutation_operators.py", path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    mutants = [json.loads(line) for line in made.stdout.splitlines()]
    is_sound = _record(path, tests) == 0
    _preload()
    noticed: Counter[str] = Counter()
    if not is_sound or not _survives(
        mutation_coverage.choose(source, source, NOTES.read_text(), noticed)[:_QUICKEST], noticed
    ):
        sys.exit(f"The tests of {name} fail as it is: {' '.join(tests)}")
    survivors = []
    for number, mutant in enumerate(mutants, 1):
        (TREE / path).write_text(mutant)
        if _survives(mutation_coverage.choose(source, mutant, NOTES.read_text(), noticed), noticed):
            survivors.append(_change(source, mutant))
            print(f"{number}/{len(mutants)} survives: {survivors[-1]}", flush=True)
    (TREE / path).write_text(source)
    return _write(name, path, len(mutants), survivors)


def _survives(tests: list[str], noticed: Counter[str]) -> bool:
    """Whether no test fails; the one that does is counted."""
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    NOTICED.write_text("")
    survives = not tests or _status([*files], mutation_coverage.Chooser(tests, NOTICED)) in (0, _NO_TESTS)
    noticed[NOTICED.read_text()] += not survives
    return survives


def _record(path: str, files: list[str]) -> int:
    """Run all tests on the module as it is, and note which of them run which of its lines."""
    recorder = mutation_coverage.Recorder(TREE / path)
    status = _status(files, recorder, at_end=lambda: recorder.write(NOTES))
    # A mutant as long as the one before it and of the same second would be taken for that one.
    for compiled in (TREE / path).parent.glob(f"__pycache__/{Path(path).stem}.*"):
        compiled.unlink()
    return status


def _preload() -> None:
    """Load what all tests load and no mutant changes, before the copies of this process run one mutant each."""
    for name in mutation_coverage.libraries(NOTES.read_text(), TREE):
        importlib.import_module(name)
    gc.freeze()  # nor need each copy look through it for garbage


def _status(files: list[str], plugin: object, *, at_end: Callable[[], None] | None = None) -> int:
    """What pytest says of the tree, in a process of its own; one that has an end to do keeps what it compiles."""
    child = os.fork()
    if not child:
        os.chdir(TREE)
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(silence, stream)
        for name in [name for name in sys.modules if name.partition(".")[0] == "infra"]:
            del sys.modules[name]  # the tree has its own
        sys.dont_write_bytecode = at_end is None
        status = importlib.import_module("pytest").main([*_PYTEST, *files], plugins=[plugin])
        if at_end:
            at_end()
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _copy_tree() -> None:
    shutil.rmtree(TREE, ignore_errors=True)
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, TREE / name)
    sys.path[:] = [str(TREE), *(place for place in sys.path if place and Path(place).resolve() != ROOT)]
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def _change(source: str, mutant: str) -> str:
    """What was there, and what is there instead, each in one line."""
    lines = [*difflib.unified_diff(source.splitlines(), mutant.splitlines(), n=0, lineterm="")][3:]
    sides = [" ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+"]
    return " → ".join(f"`{side}`" if side else "nothing" for side in sides).replace("|", "\\|")


def _write(name: str, path: str, count: int, survivors: list[str]) -> bool:
    """Write the module's section; whether each survivor has its reason."""
    page = PAGE.read_text()
    head, *sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    old = next((one for one in sections if one.startswith(f"## {name}\n")), "")
    reasons = dict(re.findall(r"^\| (.+) \| (.+) \|$", old, re.MULTILINE))
    rows = [f"| {change} | {reasons.get(change, _UNEXPLAINED)} |" for change in survivors]
    killed = f"{count - len(survivors)} of {count} killed on {datetime.now(UTC):%Y-%m-%d}"
    told = f"## {name}\n\n`{path}`: {killed} by `make mutate MODULE={name}`.\n"
    if rows:
        told += "\n" + "\n".join(["| Survivor | Reason |", "|---|---|", *rows]) + "\n"
    others = [one.rstrip("\n") + "\n" for one in sections if one != old]
    PAGE.write_text("\n".join([head.rstrip("\n") + "\n", *sorted([*others, told])]))
    return not any(_UNEXPLAINED in row for row in rows)


if __name__ == "__main__":
    sys.exit(main())
