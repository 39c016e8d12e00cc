import sys
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench import pythons, servers


def test_a_part_that_there_is_not_is_refused_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "cold", "wram"])

    with pytest.raises(SystemExit, match=r"No such part: wram\. There are: cold, warm"):
        bench.main()


def test_every_part_has_sections() -> None:
    directory = Path(bench.__file__).parent

    measuring = {path.stem for path in directory.glob("*.py") if "\ndef sections()" in path.read_text()}

    assert measuring == set(bench.PARTS)


def test_the_machine_is_named_by_day_commit_processor_and_python() -> None:
    said = bench.machine()

    assert f"with Python {pythons.runtime()[1]}" in said
    assert "at commit " in said
    assert " cores, " in said


def test_the_page_mentions_a_missing_python_of_the_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pythons, "runtime", lambda: ("python", "3.0"))

    assert "with Python 3.0 (not 3.13, which the functions run on" in bench.machine()


def test_without_the_functions_python_the_tests_own_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pythons, "_candidates", lambda _version: [])

    python, version = pythons.runtime.__wrapped__()

    assert (python, version) == (sys.executable, "{}.{}".format(*sys.version_info))


def test_missing_dependencies_of_snappass_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "SNAPPASS", Path("/nowhere"))
    monkeypatch.setattr(servers, "which", lambda _name: None)

    assert [lack.partition(" ")[0] for lack in servers.missing()] == ["redis-server", "SnapPass"]
