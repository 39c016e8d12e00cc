"""Distribute the tests of `make test` and `make prove` among workers, and speed up the garbage collector."""

import gc
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from infra.build import template

IN_E2E = template.ROOT / "tests" / "e2e"
TOGETHER = ("tests/browser", "tests/e2e")


class OneOfEach(LoadScopeScheduling):  # type: ignore[misc]
    """Schedules module by module, but tests that share a browser or a stack on one worker, which starts it once."""

    def _split_scope(self, nodeid: str) -> str:
        shared = (room for room in TOGETHER if nodeid.startswith(f"{room}/"))
        return next(shared, "") or str(super()._split_scope(nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneOfEach | None:
    return OneOfEach(config, log) if config.getoption("dist") == "loadscope" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a short test of the local stack elsewhere: `make test` looks for them in their directory alone."""
    for item in items:
        is_short = item.get_closest_marker("e2e") and not item.get_closest_marker("long")
        if is_short and not item.path.is_relative_to(IN_E2E):
            raise pytest.UsageError(f"mark it `long`, or move it to tests/e2e: {item.nodeid}")


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what every worker keeps to its end: modules and tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
