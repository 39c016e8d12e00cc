"""Promise 7 with every library at DEBUG, as set in the console or by LoggingConfig.ApplicationLogLevel."""

import logging
import os
import subprocess
import sys

import pytest

from functions import remove_objects, schedule_removal
from infra.build import template
from shared.domain import digests
from tests.conftest import PASSWORD, People
from tests.contract import test_removal
from tests.drivers.browser import Browser
from tests.drivers.client import Api, Context
from tests.engines import resources
from tests.meters import emf

pytestmark = pytest.mark.prove("7", "No library at DEBUG logs a secret, the instance key included", "moto")

INSTANCE_KEY = "k" * 64  # as tests/engines/resources.py creates it
FILE = {"filename": "MARKER-file.txt", "data": "TUFSS0VSLWJ5dGVz"}


def live(bob: Api, people: People) -> list[str]:
    """Run a push's whole life and a person's sign-in; return every secret of them without a MARKER."""
    resources.forget()  # cold, so that the instance key is read
    secrets = {"passphrase": "MARKER-passphrase", "name": "MARKER-name", "note": "MARKER-note"}
    url_tokens = [bob.push("MARKER-payload", **secrets), bob.push("MARKER-large" + "x" * 400_000, files=[FILE])]
    bob.retrieve(url_tokens[0], "MARKER-wrong")
    bob.retrieve(url_tokens[0], "MARKER-passphrase")
    bob.get("/nowhere", query="MARKER-query")
    bob.active()
    for url_token in url_tokens:
        bob.expire(url_token)
    schedule_removal.handler(test_removal.stream(*map(digests.digest, url_tokens)), Context())
    remove_objects.handler(test_removal.queue(*map(digests.digest, url_tokens)), Context())
    ann = Browser(bob).visit("/users/sign_up").submit(email="ann@example.com")
    ann.submit("/users/confirm", code=people.code("ann@example.com"), password=PASSWORD)
    ann.visit("/users/token").submit("", name="MARKER-laptop")
    return [*url_tokens, bob.token or "", *ann.cookies.values(), PASSWORD, INSTANCE_KEY]


def test_nothing_secret_is_logged_with_the_root_logger_at_debug(
    bob: Api, people: People, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)

    secrets = live(bob, people)

    logged = "".join(f"{one.getMessage()} {one.__dict__} {emf.as_printed(one)}" for one in caplog.records)
    logged += capsys.readouterr().out
    assert "POST /api/v2/pushes" in logged
    assert "MARKER" not in logged
    assert FILE["data"] not in logged
    assert [secret for secret in secrets if not secret or secret in logged] == []


# In its own process: here pytest and moto log as well. It loads everything that a function may load.
LOUD = """
import importlib, logging, os
logging.getLogger().setLevel(os.environ["AWS_LAMBDA_LOG_LEVEL"])  # as Lambda's runtime does before it loads a handler
for module in {modules}:
    importlib.import_module(module)
from shared.aws import clients
from shared.aws.connection import connection
for service in ("s3", "sqs", "secretsmanager", "cognito-idp"):
    clients.client(service)
connection().client
import jinja2, multipart, segno, s3transfer
known = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] not in {ours}]
print(*[name for name in known if logging.getLogger(name).isEnabledFor(logging.INFO)])
"""


def test_no_library_that_the_bundle_loads_logs_below_a_warning() -> None:
    modules = [function["Handler"].removesuffix(".handler") for function in template.functions().values()]
    loud = LOUD.format(modules=modules, ours={"secret-sharing"})
    levels = dict.fromkeys(("AWS_LAMBDA_LOG_LEVEL", "POWERTOOLS_LOG_LEVEL"), "DEBUG") | {"POWERTOOLS_DEBUG": "true"}
    environment = resources.environment(**levels) | {"PATH": os.environ["PATH"]}

    printed = subprocess.check_output(
        [sys.executable, "-W", "ignore", "-c", loud], cwd=template.ROOT, env=environment, text=True
    )

    assert printed.split() == []
