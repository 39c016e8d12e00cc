"""`sam build` packs the bundle. The local stack does not run it: it deploys the bundle as one archive."""

import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from infra.build import template
from infra.local.stack import _ARCHITECTURES, _SAM, locked_bundle


def digests(directory: Path) -> dict[str, str]:
    """Return the digest of every file below a directory, by its relative path."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.long
def test_sam_build_packs_just_the_bundle(tmp_path: Path) -> None:
    python, arch = f"{sys.version_info.major}.{sys.version_info.minor}", _ARCHITECTURES[platform.machine().lower()]
    variables = {"BUNDLE_PYTHON": python, "BUNDLE_ARCH": arch, "PYTHON": sys.executable, "SAM_CLI_TELEMETRY": "0"}

    with locked_bundle():
        subprocess.run(
            [str(_SAM), "build", "Version", "--build-dir", str(tmp_path)],
            cwd=template.ROOT,
            env=os.environ | variables,
            check=True,
            capture_output=True,
        )

    built = digests(tmp_path / "Version")
    assert "functions/version.py" in built
    assert built == digests(template.ROOT / ".local" / f"bundle-{python}-{arch}" / "content")
