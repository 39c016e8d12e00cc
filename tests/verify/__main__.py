"""Verify an installation: `VERIFY_URL=https://… VERIFY_TOKEN=… python -m tests.verify`, which `make verify` calls.

With VERIFY_STACK, the name of its CloudFormation stack, it also looks from inside, with the caller's AWS credentials.
Arguments choose claims as pytest's do (`-k links`); then nothing else is asked.
Ends with 0 where every claim held, with 1 where one did not, with 2 where nothing could be asked.
"""

import os
import sys
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from infra.build import template
from tests.verify import installation, questions, stack
from tests.verify.report import Report

SEEN_FROM_OUTSIDE = ("test_http.py", "test_installation.py", "test_asks.py", "test_provider.py")


def main() -> int:
    """Ask, print, tidy up."""
    url = os.environ.get("VERIFY_URL", "")
    if urlsplit(url).scheme not in ("http", "https") or not os.environ.get("VERIFY_TOKEN"):
        print("Usage: make verify BASE_URL=https://… TOKEN=… (an API token created for this; see docs/deploy.md)")
        return 2
    owner = installation.named()
    assert owner is not None
    inside = stack.find(name) if (name := os.environ.get("VERIFY_STACK")) else None
    try:
        version = owner.get("/api/v2/version")
        known = version.status == 200 and owner.active().status == 200
    except OSError as error:
        print(f"{url} does not answer: {type(error).__name__}")
        return 2
    if not known:
        print(f"{url} is not this service, or rejects this API token.")
        return 2
    print(f"{owner.base_url}, release {version.json['application_version'].partition('+')[2]}\n")
    return _verified(owner, inside, sys.argv[1:])


def _verified(owner: installation.Installation, inside: stack.Stack | None, chosen: list[str]) -> int:
    report = Report(owner)
    paths = [str(template.ROOT / "tests" / "e2e" / name) for name in SEEN_FROM_OUTSIDE]
    options = ["-m", "black_box", "-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts="]
    try:
        code = pytest.main([*paths, *options, *chosen, "--import-mode=importlib"], plugins=[report])
        if inside:
            _look_inside(owner, inside, report)
        if not chosen:
            _ask(report)
    finally:
        left = owner.tidy()
    made = len(owner.made)
    print(f"\n{report.seen} claims, {report.failed} failed; {made} pushes and asks created, {made - left} ended.")
    return 0 if code == pytest.ExitCode.OK and not report.failed and not left and report.seen else 1


def _look_inside(owner: installation.Installation, inside: stack.Stack, report: Report) -> None:
    for claim in stack.claims(owner):
        try:
            faults = list(claim.faults(inside))
        except (BotoCoreError, ClientError, KeyError) as error:
            faults = [f"could not be read: {type(error).__name__} {error}"]
        report.claim(claim.text, faults)


def _ask(report: Report) -> None:
    print("\nWhat only an installation can answer:\n")
    flooding = questions.FLOODING if os.environ.get("FLOOD") == "1" else questions.QUIET
    for question in [*questions.QUESTIONS, flooding]:
        report.question(question)


if __name__ == "__main__":
    sys.exit(main())
