"""What is locked, and what checkov finds in the template. `make audit` also looks up known faults of dependencies."""

import json
import re
import subprocess
from typing import Any

import pytest

from infra.build import template

CHECKOV = template.ROOT / ".local" / "venvs" / "audit" / "bin" / "checkov"
LOCKED = sorted(template.ROOT.glob("requirements*.txt"))


@pytest.mark.parametrize("path", LOCKED, ids=lambda path: path.name)
def test_every_requirement_is_locked_by_version_and_hash(path: Any) -> None:
    requirements = re.split(r"\n(?=\w)", re.sub(r"(?m)^ *#.*\n", "", path.read_text()).strip())

    assert len(requirements) > 5
    for requirement in requirements:
        assert re.match(r"[\w.-]+==[\w.!+-]+", requirement), requirement
        assert "--hash=sha256:" in requirement, requirement
        assert "://" not in requirement, requirement


@pytest.mark.e2e  # it needs more than the tests' own environment: make test installs it, make test-fast does not
def test_checkov_finds_nothing_and_skips_only_what_is_explained() -> None:
    command = [str(CHECKOV), "-f", str(template.PATH), "--framework", "cloudformation", "--skip-download", "-o", "json"]

    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)

    assert found["results"]["failed_checks"] == []
    assert found["summary"]["passed"] > 50
    skipped = {(one["check_id"], one["check_result"]["suppress_comment"]) for one in found["results"]["skipped_checks"]}
    # Of what stands behind a condition, such as CloudFront, it may leave out some.
    assert declared(conditional=False) <= skipped <= declared(conditional=True)


def declared(*, conditional: bool) -> set[tuple[str, str]]:
    """The skips of the template, each with its reason; with `conditional`, those behind a condition as well."""
    resources = template.load()["Resources"].values()
    metadata = [one.get("Metadata", {}) for one in resources if conditional or "Condition" not in one]
    skips = [skip for one in metadata for skip in one.get("checkov", {}).get("skip", [])]
    assert all(len(skip["comment"]) > 20 for skip in skips)
    return {(skip["id"], skip["comment"]) for skip in skips}
