"""What Python does about garbage before a function serves, and from then on."""

import os
import subprocess
import sys

from infra import template
from tests import engine

SHOW = """
import gc
from functions import version
loaded = gc.isenabled()
from tests.client import Api
served = [Api().get("/api/v2/version").status and (gc.isenabled(), gc.get_freeze_count() > 10_000) for _ in range(2)]
print(loaded, served)
"""


def shown(**lambdas: str) -> str:
    """Whether garbage is looked for once a function is loaded and after each of two requests, and what is set aside."""
    environment = engine.environment() | {"PATH": os.environ["PATH"]} | lambdas
    show = [sys.executable, "-c", SHOW]
    done = subprocess.run(show, cwd=template.ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_no_garbage_is_looked_for_until_a_function_serves() -> None:
    assert shown(AWS_LAMBDA_FUNCTION_NAME="any") == "False [(True, True), (True, True)]"


def test_whoever_imports_a_handler_elsewhere_looks_for_garbage_as_ever() -> None:
    assert shown() == "True [(True, False), (True, False)]"
