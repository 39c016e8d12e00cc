"""Measure, print, and after a full run write docs/performance.md: `python -m tests.bench [part …]`."""

import logging
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from infra.build import template
from tests.bench import page, pythons
from tests.bench.page import Section
from tests.engines import moto_in_process  # noqa: F401 (a boto3 session created before moto ignores it)

PARTS = (
    "cold",
    "warm",
    "lists",
    "units",
    "contended",
    "size",
    "memory",
    "exchange",
    "peers",
    "settings",
    "dollars",
    "promises",
)
PAGE = template.ROOT / "docs" / "performance.md"


def main() -> None:
    """Run the parts named on the command line, or all."""
    wanted = sys.argv[1:] or PARTS
    if unknown := set(wanted) - set(PARTS):
        sys.exit(f"No such part: {', '.join(sorted(unknown))}. There are: {', '.join(PARTS)}.")
    logging.disable(logging.INFO)  # in this process only: the measured processes write their logs
    sections = [*_measured(wanted)]
    if len(wanted) == len(PARTS):
        PAGE.write_text(page.whole(sections, machine()))
        print(f"Written to {PAGE.relative_to(template.ROOT)}.")


def _measured(parts: Iterable[str]) -> Iterable[Section]:
    for part in parts:
        print(f"Measuring: {part} …", file=sys.stderr, flush=True)
        with Path(os.devnull).open("w") as metrics, redirect_stdout(metrics):  # handlers in this process print them
            sections = [*import_module(f"tests.bench.{part}").sections()]
        for section in sections:
            print(section.markdown(), end="\n\n", flush=True)
            yield section


def machine() -> str:
    """Return a sentence with date, machine and versions."""
    _, version = pythons.runtime()
    wanted = template.load()["Globals"]["Function"]["Runtime"].removeprefix("python")
    instead = "" if version == wanted else f" (not {wanted}, which the functions run on and this machine lacks)"
    where = f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    return f"Measured on {datetime.now(UTC):%Y-%m-%d} at {_commit()}, on {where}, with Python {version}{instead}."


def _commit() -> str:
    def git(*what: str) -> str:
        return subprocess.run(["git", *what], capture_output=True, text=True, check=True).stdout.strip()

    return f"commit {git('rev-parse', '--short', 'HEAD')}{' and changes' * bool(git('status', '--porcelain', '-uno'))}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor())


if __name__ == "__main__":
    main()
