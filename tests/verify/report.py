"""The report of `make verify`: a line for each claim, then what was asked. It quotes no API token and no link."""

import pytest

from tests.verify.installation import Installation
from tests.verify.questions import Question

MARKS = {"passed": "ok", "failed": "FAILED", "skipped": "not tried"}
LONGEST = 300  # characters of what went wrong


class Report:
    """A plugin of pytest's that prints each claim as it was seen; `failed` counts those that did not hold."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self.seen = 0
        self.failed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One line where a test is over, or where it could not begin or end in order."""
        if report.when != "call" and report.outcome == "passed":
            return
        self.seen += 1
        self.failed += report.outcome == "failed"
        print(f"  {MARKS[report.outcome]:<9}  {claim(report.nodeid)}")
        if report.outcome != "passed":
            print(f"             {self.quoted(_reason(report))}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """What cannot even be read fails as well."""
        if report.outcome == "failed":
            self.failed += 1
            print(f"  {MARKS['failed']:<9}  {report.nodeid}: {self.quoted(str(report.longrepr))}")

    def question(self, question: Question) -> None:
        """A question, and what the installation answers."""
        print(f"  ?  {question.text}")
        if question.ask is None:
            print(f"     not answerable from outside: {question.elsewhere}")
            return
        try:
            answer = question.ask(self._installation)
        except Exception as error:  # noqa: BLE001 (one that cannot be asked must not hide the others)
            answer = f"could not be asked: {type(error).__name__}"
        print(f"     {self.quoted(answer)}")

    def quoted(self, text: str) -> str:
        """Cut short, and without what opens anything."""
        for url_token, token in self._installation.made:
            text = text.replace(url_token, "<url_token>").replace(token or url_token, "<API token>")
        if self._installation.token:
            text = text.replace(self._installation.token, "<API token>")
        return " ".join(text.split())[:LONGEST]


def claim(nodeid: str) -> str:
    """What a test claims, from its name."""
    name, _, case = nodeid.rpartition("::")[2].partition("[")
    case = case.removesuffix("]")
    return name.removeprefix("test_").replace("_", " ") + (f" ({case})" if case else "")


def _reason(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):  # where it was skipped, and why
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr)
