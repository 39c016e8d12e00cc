"""Build the bundle that all functions share: functions/, shared/ and the locked runtime dependencies.

SAM's own builders pack the whole checkout. The Makefile runs this module. It needs the standard library and pip, and
uses the Babel and Jinja2 that it has just installed into the bundle.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from infra.build.trim import SERVICES
from shared.web import brand

ROOT = Path(__file__).parents[2]
UNUSED = (
    "bin",
    "share",
    "boto3/data",
    "boto3/dynamodb",
    "boto3/ec2",
    "boto3/examples",
    "**/*.pyi",
    "**/__pycache__",
    "**/*.dist-info/RECORD",
    "babel/languages.py",
    "babel/support.py",
    "babel/messages",
    # Unused: a router with documentation pages, cryptography's C sources and certificates, boto3's resources,
    # calendars, Windows' time zones and a copy of all, Jinja2's sandbox, botocore's test double, segno's command,
    # transfers by other libraries or processes, urllib3's code for browsers.
    "aws_lambda_powertools/event_handler",
    "botocore/stub.py",
    "cffi",
    "cryptography/fernet.py",
    "cryptography/hazmat/primitives/serialization",
    "cryptography/x509",
    "pycparser",
    "dateutil/easter.py",
    "dateutil/rrule.py",
    "dateutil/tz/win.py",
    "dateutil/zoneinfo",
    "jinja2/meta.py",
    "jinja2/nativetypes.py",
    "jinja2/sandbox.py",
    "s3transfer/crt.py",
    "s3transfer/processpool.py",
    "segno/cli.py",
    "segno/helpers.py",
    "urllib3/contrib/emscripten",
    "urllib3/contrib/pyopenssl.py",
    "urllib3/contrib/socks.py",
)
# Powertools' utilities that the functions use, and the utilities that these import.
UTILITIES = {"batch", "data_classes", "jmespath_utils"}


def main() -> None:
    """Build into the directory given on the command line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--python", required=True, help="version of the runtime, such as 3.13")
    arguments.add_argument("--arch", required=True, choices=["aarch64", "arm64", "x86_64"])
    arguments.add_argument("--brand", type=Path, required=True, help="directory of the operator's name, logo and words")
    arguments.add_argument("target", type=Path)
    options = arguments.parse_args()

    shutil.rmtree(options.target, ignore_errors=True)
    _install(options.target, options.python, options.arch.replace("arm64", "aarch64"))
    unpacked = shutil.ignore_patterns("__pycache__", "*.mo", "TERMS.md")
    for package in ("functions", "shared"):
        shutil.copytree(ROOT / package, options.target / package, ignore=unpacked)
    _brand(options.brand, options.target)
    _compile_catalogues(options.target)
    _compile_templates(options.target)
    _prune(options.target)
    _run(options.target, "infra.build.trim", options.target)
    _compile(options.target, options.python)


def _install(target: Path, version: str, arch: str) -> None:
    print(f"Installing the runtime dependencies for Python {version} on {arch} …", flush=True)
    platforms = [f"--platform={tag}_{arch}" for tag in ("manylinux2014", "manylinux_2_28", "manylinux_2_34")]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    what = ["--no-compile", "--no-deps", "--require-hashes", f"--requirement={ROOT / 'requirements.txt'}"]
    platform = ["--only-binary=:all:", "--implementation=cp", f"--python-version={version}", *platforms]
    subprocess.run([*install, *what, *platform, f"--target={target}"], check=True)


def _brand(directory: Path, target: Path) -> None:
    """Replace our brand files with the operator's, after checking that the pages can show them."""
    try:
        brand.load(directory)
    except (ValueError, FileNotFoundError) as mistake:
        sys.exit(f"The brand in {directory} cannot be used: {mistake}")
    packed = target / "functions" / "pages" / "brand"
    shutil.rmtree(packed)
    shutil.copytree(directory, packed)


def _compile_catalogues(target: Path) -> None:
    catalogues = target / "functions" / "pages" / "locales"
    _run(target, "infra.build.compile_catalogues", catalogues)
    for source in catalogues.rglob("*.po"):
        source.unlink()


def _compile_templates(target: Path) -> None:
    """Replace the templates with compiled Python, so that a cold start need not compile them."""
    pages = target / "functions" / "pages"
    _run(target, "infra.build.compile_templates", pages)
    shutil.rmtree(pages / "templates")


def _run(target: Path, module: str, directory: Path) -> None:
    """Run one of our modules with the bundle's libraries."""
    command = [sys.executable, "-B", "-m", module, str(directory.resolve())]  # no bytecode of the builder's Python
    subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(target.resolve())}, check=True)


def _prune(target: Path) -> None:
    for pattern in UNUSED:
        for path in target.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for service in (target / "botocore" / "data").iterdir():
        if service.is_dir() and service.name not in SERVICES:
            shutil.rmtree(service)
    for utility in (target / "aws_lambda_powertools" / "utilities").iterdir():
        if utility.is_dir() and utility.name not in UTILITIES:
            shutil.rmtree(utility)


def _compile(target: Path, version: str) -> None:
    """Add bytecode that Python never checks against its source, because SAM dates every file 1980."""
    python = next((name for name in (f"python{version}", sys.executable) if _is(name, version)), None)
    if python is None:
        print(f"No python{version} here, so the bundle has no bytecode: cold starts will take about 2 s longer.")
        return
    quiet = [python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
    subprocess.run([*quiet, "-s", str(target), str(target)], check=True)


def _is(python: str, version: str) -> bool:
    """Return whether this command runs and has that version. pyenv lists commands of Pythons that it does not run."""
    if shutil.which(python) is None:
        return False
    show = "import sys; print('{}.{}'.format(*sys.version_info))"
    answer = subprocess.run([python, "-c", show], capture_output=True, text=True, check=False)
    return answer.stdout.strip() == version


if __name__ == "__main__":
    main()
