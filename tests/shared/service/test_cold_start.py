"""The clients that a function creates before its first request."""

import os
import subprocess
import sys

import botocore.session
import pytest

from infra.build import template
from shared.service import cold_start
from tests.drivers.client import Api
from tests.engines import resources

SHOW_CODECS = "import sys, functions.create_push; print('encodings.idna' in sys.modules)"
SHOW = """
import importlib, sys
import botocore.session
made, create = [], botocore.session.Session.create_client
def record(session, service, *args, **how):
    made.append(service)
    return create(session, service, *args, **how)
botocore.session.Session.create_client = record
importlib.import_module(sys.argv[1])
print(*sorted(made))
"""


def made(function: str, **lambdas: str) -> list[str]:
    """Return the clients that exist after importing a function."""
    return printed(SHOW, f"functions.{function}", **lambdas)


def printed(show: str, *arguments: str, **lambdas: str) -> list[str]:
    """Return the words printed by a new process."""
    environment = resources.environment() | {"PATH": os.environ["PATH"]} | lambdas
    command = [sys.executable, "-c", show, *arguments]
    return subprocess.run(
        command, cwd=template.ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()


@pytest.mark.parametrize(
    ("function", "services"),
    [
        ("create_push", ["dynamodb", "secretsmanager"]),
        ("preview_push", ["dynamodb"]),
        ("pages.recipient", ["dynamodb", "secretsmanager"]),
        ("pages.account", ["cognito-idp"]),
        ("remove_objects", ["s3"]),
        ("version", []),
    ],
)
def test_a_function_has_its_clients_before_its_first_request(function: str, services: list[str]) -> None:
    assert made(function, AWS_LAMBDA_FUNCTION_NAME="any") == services


def test_importing_a_handler_outside_lambda_creates_no_client() -> None:
    assert made("create_push") == []


def test_a_function_has_the_codec_of_host_names_before_its_first_request() -> None:
    assert printed(SHOW_CODECS, AWS_LAMBDA_FUNCTION_NAME="any") == ["True"]


def test_a_first_request_makes_no_further_client(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    resources.forget()
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "any")
    cold_start.make_clients("dynamodb", "secretsmanager")
    monkeypatch.setattr(botocore.session.Session, "create_client", lambda *_arguments, **_how: pytest.fail("a client"))

    assert api.retrieve(api.push()).json["payload"] == "s3cret"
