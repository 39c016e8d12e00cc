"""The bundle as it is deployed, built for this machine so that its code can run here, and for that of the template."""

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
    """The directory of a bundle that this machine can run."""
    return _built(platform.machine())


@cache
def deployed() -> Path:
    """The directory of the bundle that a deployment would send."""
    return _built({"arm64": "aarch64"}.get(architecture := template.defaults()["Architecture"], architecture))


def install(directory: Path) -> None:
    """Have pip install the bundle's dependencies into a directory, for this machine, whole and with bytecode."""
    python, _ = pythons.runtime()
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    what = ["--require-hashes", f"--requirement={template.ROOT / 'requirements.txt'}", f"--target={directory}"]
    subprocess.run([*install, *what], check=True)


def zipped(bundle: Path, target: Path) -> int:
    """Pack a bundle as SAM does; its size in bytes."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(bundle.rglob("*")):
            packed.write(path, path.relative_to(bundle))
    return target.stat().st_size


def _built(arch: str) -> Path:
    python, version = pythons.runtime()
    directory = template.ROOT / ".local" / f"bundle-{version}-{arch}"
    # The build asks for `python3.13` by that name to compile with.
    path = {"PATH": f"{Path(python).parent}:{os.environ['PATH']}"}
    variables = [f"BUNDLE_PYTHON={version}", f"BUNDLE_ARCH={arch}"]
    command = ["make", "--no-print-directory", *variables, str(directory.relative_to(template.ROOT) / ".ready")]
    subprocess.run(command, cwd=template.ROOT, env=os.environ | path, check=True)
    return directory / "content"
