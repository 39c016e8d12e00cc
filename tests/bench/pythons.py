"""The functions' Python version, if this machine has it; else the project's."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from shutil import which

from infra.build import template


@cache
def runtime() -> tuple[str, str]:
    """Its command and its version, such as `3.13`."""
    wanted = template.load()["Globals"]["Function"]["Runtime"].removeprefix("python")
    own = "{}.{}".format(*sys.version_info)
    found = ((python, wanted) for python in _candidates(wanted) if _version(python) == wanted)
    return next(found, (sys.executable, own))


def _candidates(version: str) -> list[str]:
    # pyenv's commands fail for versions that are not active, although those versions are installed.
    installed = (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}")
    found = which(f"python{version}")
    return [*([found] if found else []), *map(str, sorted(installed, reverse=True))]


def _version(python: str) -> str:
    show = "import sys; print('{}.{}'.format(*sys.version_info))"
    return subprocess.run([python, "-c", show], capture_output=True, text=True, check=False).stdout.strip()
