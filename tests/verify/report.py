"""The report of `make verify`: a line for each claim, then the questions. It quotes no API token and no link."""

import pytest

from tests.verify.installation import Installation
from tests.verify.questions import Question

MARKS = {"passed": "ok", "failed": "FAILED", "skipped": "not tried"}
LONGEST = 300  # characters of an error


class Report:
    """A pytest plugin that prints each claim with its result; `failed` counts the claims that did not hold."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self.seen = 0
        self.failed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print one line at the end of a test, or if its setup or teardown failed."""
        if report.when != "call" and report.outcome == "passed":
            return
        self.seen += 1
        self.failed += report.outcome == "failed"
        print(f"  {MARKS[report.outcome]:<9}  {claim(report.nodeid)}")
        if report.outcome != "passed":
            print(f"             {self.quoted(_reason(report))}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a module that cannot be imported as a failure."""
        if report.outcome == "failed":
            self.failed += 1
            print(f"  {MARKS['failed']:<9}  {report.nodeid}: {self.quoted(str(report.longrepr))}")

    def claim(self, text: str, faults: list[str]) -> None:
        """Print a claim that no test checked, and the faults that refute it."""
        self.seen += 1
        self.failed += bool(faults)
        print(f"  {MARKS['failed' if faults else 'passed']:<9}  {text}")
        if faults:
            print(f"             {self.quoted('; '.join(faults))}")

    def question(self, question: Question) -> None:
        """Print a question and the installation's answer."""
        print(f"  ?  {question.text}")
        if question.ask is None:
            print(f"     not answerable from outside: {question.elsewhere}")
            return
        try:
            answer = question.ask(self._installation)
        except Exception as error:  # noqa: BLE001 (a failed question must not hide the others)
            answer = f"could not be asked: {type(error).__name__}"
        print(f"     {self.quoted(answer)}")

    def quoted(self, text: str) -> str:
        """Return the text shortened and without API tokens and links."""
        for path, token in self._installation.made:
            named = path.rpartition("/")[2]
            text = text.replace(named, "<url_token>").replace(token or named, "<API token>")
        if self._installation.token:
            text = text.replace(self._installation.token, "<API token>")
        return " ".join(text.split())[:LONGEST]


def claim(nodeid: str) -> str:
    """Return a test's name as a claim."""
    name, _, case = nodeid.rpartition("::")[2].partition("[")
    case = case.removesuffix("]")
    return name.removeprefix("test_").replace("_", " ") + (f" ({case})" if case else "")


def _reason(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):  # a skip: file, line, reason
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr)
