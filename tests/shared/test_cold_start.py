"""What a function makes before its first request."""

import os
import subprocess
import sys

import botocore.session
import pytest

from infra import template
from shared import cold_start
from tests import engine
from tests.client import Api

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
    """The clients that exist once a function is imported."""
    environment = engine.environment() | {"PATH": os.environ["PATH"]} | lambdas
    show = [sys.executable, "-c", SHOW, f"functions.{function}"]
    return subprocess.run(
        show, cwd=template.ROOT, env=environment, capture_output=True, text=True, check=True
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


def test_whoever_imports_a_handler_elsewhere_makes_no_client() -> None:
    assert made("create_push") == []


def test_a_first_request_makes_no_further_client(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.forget()
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "any")
    cold_start.make_clients("dynamodb", "secretsmanager")
    monkeypatch.setattr(botocore.session.Session, "create_client", lambda *_arguments, **_how: pytest.fail("a client"))

    assert api.retrieve(api.push()).json["payload"] == "s3cret"
