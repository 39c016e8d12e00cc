"""Locked packages, and checkov on the template. `make audit` also checks dependencies for known vulnerabilities."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from infra.build import template

CHECKOV = template.ROOT / ".local" / "venvs" / "audit" / "bin" / "checkov"
REQUIRED = tomllib.loads((template.ROOT / "pyproject.toml").read_text())
GROUPS = REQUIRED["dependency-groups"]
BUNDLE = "requirements.txt"


@pytest.mark.parametrize("name", [BUNDLE, *(f"requirements/{group}.txt" for group in GROUPS)])
def test_every_requirement_is_locked_by_version_and_hash(name: str) -> None:
    requirements = re.split(r"\n(?=\w)", re.sub(r"(?m)^ *#.*\n", "", (template.ROOT / name).read_text()).strip())

    assert len(requirements) > 5
    for requirement in requirements:
        assert re.match(r"[\w.-]+==[\w.!+-]+", requirement), requirement
        assert "--hash=sha256:" in requirement, requirement
        assert "://" not in requirement, requirement


def test_every_dependency_of_pyproject_is_in_its_lock() -> None:
    wanted = {f"requirements/{group}.txt": names for group, names in GROUPS.items()}

    missing = {
        name: sorted({re.split(r"[^\w-]", one)[0].lower() for one in names} - locked_versions(name).keys())
        for name, names in {BUNDLE: REQUIRED["project"]["dependencies"], **wanted}.items()
    }

    assert not any(missing.values()), missing


def test_the_tests_run_the_versions_of_the_bundle() -> None:
    assert locked_versions(BUNDLE).items() <= locked_versions("requirements/dev.txt").items()


def locked_versions(name: str) -> dict[str, str]:
    """Return the packages of a lock file, and their versions."""
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", (template.ROOT / name).read_text(), re.MULTILINE))


@pytest.mark.long  # it needs more than the tests' own environment
def test_checkov_finds_nothing_and_skips_only_what_is_explained(tmp_path: Path) -> None:
    expanded = tmp_path / "template.yaml"  # checkov does not read merge keys
    expanded.write_text(yaml.safe_dump(template.load(), sort_keys=False))
    command = [str(CHECKOV), "-f", str(expanded), "--framework", "cloudformation", "--skip-download", "-o", "json"]

    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)

    assert found["results"]["failed_checks"] == []
    assert found["summary"]["passed"] > 50
    skipped = {(one["check_id"], one["check_result"]["suppress_comment"]) for one in found["results"]["skipped_checks"]}
    # It may leave out conditional resources, for example CloudFront.
    assert declared_skips(conditional=False) <= skipped <= declared_skips(conditional=True)


def declared_skips(*, conditional: bool) -> set[tuple[str, str]]:
    """Return the template's skips, each with its reason; with `conditional`, also those of conditional resources."""
    resources = template.load()["Resources"].values()
    metadata = [one.get("Metadata", {}) for one in resources if conditional or "Condition" not in one]
    skips = [skip for one in metadata for skip in one.get("checkov", {}).get("skip", [])]
    assert all(len(skip["comment"]) > 20 for skip in skips)
    return {(skip["id"], skip["comment"]) for skip in skips}
