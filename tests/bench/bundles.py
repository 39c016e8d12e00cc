"""The deployed bundle, built for this machine, so that its code can run here, and for the template's architecture."""

import os
import platform
import subprocess
import zipfile
from functools import cache
from pathlib import Path

from infra.build import template
from tests.bench import pythons


@cache
def runnable() -> Path:
    """Return the directory of a bundle that this machine can run."""
    return _built(platform.machine())


@cache
def deployed() -> Path:
    """The directory of the bundle that a deployment would send."""
    return _built("aarch64")  # the template's arm64, by its name in wheels


def install(directory: Path) -> None:
    """Install the bundle's dependencies into a directory with pip, for this machine, complete and with bytecode."""
    python, _ = pythons.runtime()
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    what = ["--require-hashes", f"--requirement={template.ROOT / 'requirements.txt'}", f"--target={directory}"]
    subprocess.run([*install, *what], check=True)


def zipped(bundle: Path, target: Path) -> int:
    """Pack a bundle as SAM does; return its size in bytes."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(bundle.rglob("*")):
            packed.write(path, path.relative_to(bundle))
    return target.stat().st_size


def _built(arch: str) -> Path:
    python, version = pythons.runtime()
    directory = template.ROOT / ".local" / f"bundle-{version}-{arch}"
    # The build calls `python3.13` by that name to compile.
    path = {"PATH": f"{Path(python).parent}:{os.environ['PATH']}"}
    variables = [f"BUNDLE_PYTHON={version}", f"BUNDLE_ARCH={arch}"]
    command = ["make", "--no-print-directory", *variables, str(directory.relative_to(template.ROOT) / ".ready")]
    subprocess.run(command, cwd=template.ROOT, env=os.environ | path, check=True)
    return directory / "content"
