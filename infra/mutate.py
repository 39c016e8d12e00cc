"""`make mutate MODULE=store`: change one thing of a module at a time, and see whether a test notices.

Each mutant runs the tests that belong to its module, the fast ones first, until one fails. docs/mutants.md has what
survived, each with its reason; a survivor without one makes the command fail. The reasons are written there by hand,
and stay when the command runs again. A copy of the tree is changed, never the tree itself.
"""

import argparse
import difflib
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from infra.mutated import MODULES

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "mutants.md"
TREE = ROOT / ".local" / "mutants"
MAKER = ROOT / ".local" / "venvs" / "mutate" / "bin" / "python"

# What all tests load and no mutant changes; loaded once, before the copies of this process run one mutant each.
_HEAVY = (
    *("boto3", "botocore.client", "cryptography.hazmat.primitives.ciphers.aead", "hypothesis.stateful", "jinja2"),
    *("moto", "moto.cognitoidp.models", "moto.dynamodb.models", "moto.s3.models", "moto.secretsmanager.models"),
    *("moto.sqs.models", "playwright.sync_api", "pynamodb.models", "pytest", "schemathesis", "yaml"),
)
# A mutant may wait for ever: a test that takes two minutes has noticed it.
_PYTEST = [
    *("-x", "-q", "--timeout", "120", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-m", "not e2e"),
]
_UNEXPLAINED = "**none yet**"


def main() -> int:
    """Run it, write the page; 1 where a survivor has no reason."""
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", choices=[*MODULES, []], help="by default all of them, which takes hours")
    parser.add_argument("--maker", default=str(MAKER), help="a Python that has cosmic-ray")
    asked = parser.parse_args()
    _copy_tree()
    for name in _HEAVY:
        importlib.import_module(name)
    explained = [_mutate(name, asked.maker) for name in asked.modules or MODULES]
    return 0 if all(explained) else 1


def _mutate(name: str, maker: str) -> bool:
    path, stems = MODULES[name]
    tests = [f"tests/{stem}.py" for stem in stems]
    source = (ROOT / path).read_text()
    made = subprocess.run([maker, "-P", "infra/mutants.py", path], cwd=ROOT, capture_output=True, text=True, check=True)
    mutants = [json.loads(line) for line in made.stdout.splitlines()]
    if _status(tests) != 0:
        sys.exit(f"The tests of {name} fail as it is: {' '.join(tests)}")
    survivors = []
    for number, mutant in enumerate(mutants, 1):
        (TREE / path).write_text(mutant)
        if _status(tests) == 0:
            survivors.append(_change(source, mutant))
            print(f"{number}/{len(mutants)} survives: {survivors[-1]}", flush=True)
    (TREE / path).write_text(source)
    return _write(name, path, len(mutants), survivors)


def _status(tests: list[str]) -> int:
    """What pytest says of the tree, in a process of its own."""
    child = os.fork()
    if not child:
        os.chdir(TREE)
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(silence, stream)
        for name in [name for name in sys.modules if name.partition(".")[0] == "infra"]:
            del sys.modules[name]  # the tree has its own
        os._exit(importlib.import_module("pytest").main([*_PYTEST, *tests]))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _copy_tree() -> None:
    shutil.rmtree(TREE, ignore_errors=True)
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, TREE / name)
    # A mutant as long as the one before it and of the same second would be taken for that one.
    sys.dont_write_bytecode = True
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
