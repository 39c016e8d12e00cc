"""The garbage collector before the first request and after it."""

import os
import subprocess
import sys

from infra.build import template
from tests.engines import resources

SHOW = """
import gc
from functions import version
loaded = gc.isenabled()
from tests.drivers.client import Api
served = [Api().get("/api/v2/version").status and (gc.isenabled(), gc.get_freeze_count() > 10_000) for _ in range(2)]
print(loaded, served)
"""


def run_function(**lambdas: str) -> str:
    """Return whether the collector is on after a load; after each of two requests, also whether it skips much."""
    environment = resources.environment() | {"PATH": os.environ["PATH"]} | lambdas
    show = [sys.executable, "-c", SHOW]
    done = subprocess.run(show, cwd=template.ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_the_garbage_collector_is_off_until_the_first_request() -> None:
    assert run_function(AWS_LAMBDA_FUNCTION_NAME="any") == "False [(True, True), (True, True)]"


def test_it_stays_on_where_a_handler_is_imported_elsewhere() -> None:
    assert run_function() == "True [(True, False), (True, False)]"
