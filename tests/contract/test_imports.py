"""A cold start loads only the modules of its endpoint."""

import os
import subprocess
import sys

import pytest

from infra.build import template
from tests.engines import resources

AWS = {"botocore.client", "pynamodb", "cryptography", "shared.aws.reads", "shared.identity.auth"}
FORMS = {"multipart", "shared.domain.rules"}
PROVIDER = {"shared.aws.token_endpoint", "shared.identity.provider_sign_in"}
RARE = {"boto3", "shared.aws.cognito", "shared.aws.uploads", *PROVIDER}  # loaded at their first use

LIGHT = {"hmac", "http", "shared.domain.push", "shared.domain.redact"}  # modules that version and the like do not need
READ_FORMS = {"shared.web.body", "shared.web.choices", "shared.web.brand", "tomllib", "email"}

FORBIDDEN = {
    "version": AWS | FORMS | LIGHT | {"boto3"},
    "openapi": AWS | FORMS | LIGHT | {"boto3", "yaml"},
    "up": FORMS | RARE,
    "not_found": AWS | FORMS | LIGHT | {"boto3"},
    "create_push": RARE | {"multipart", "shared.service.mailing"},
    "retrieve_push": FORMS | RARE,
    "preview_push": FORMS | RARE,
    "read_audit": FORMS | RARE,
    "read_status": FORMS | RARE,
    "expire_push": FORMS | RARE,
    "list_active": FORMS | RARE,
    "list_expired": FORMS | RARE,
    "create_ask": RARE | {"multipart", "shared.service.mailing"},
    "list_asks": FORMS | RARE,
    "end_ask": FORMS | RARE,
    "pages.assets": AWS | FORMS | LIGHT | READ_FORMS | {"boto3", "segno", "jinja2", "babel"},
    "pages.redirect": AWS | FORMS | LIGHT | READ_FORMS | {"boto3", "segno", "jinja2", "babel"},
    "pages.account": FORMS | PROVIDER | {"boto3", "segno"},
    "pages.provider": FORMS | {"boto3", "segno"},
    "pages.tokens": FORMS | PROVIDER | {"boto3", "segno"},
    "pages.manage": FORMS | RARE | {"segno", "shared.service.retrieve"},
    "pages.my_pushes": FORMS | RARE | {"segno"},
    "pages.recipient": FORMS | RARE | {"segno"},
    "pages.send": RARE | {"multipart", "shared.service.mailing"},
    "schedule_removal": FORMS | {"boto3", "shared.web.api"},
    "notify_emails": RARE | {"multipart", "jinja2", "babel"},
    "note_mail_return": {"multipart", "boto3"},
    "send_notice": {"multipart", "boto3", "shared.web.api", "segno"},
    "pages.answer": RARE | {"multipart", "shared.service.mailing", "segno"},
    "pages.stop_notices": FORMS | RARE | {"segno"},
    "send_mail": {"multipart", "boto3", "shared.web.api", "segno"},
    "publish_events": {"multipart", "shared.aws.store", "shared.web.api"},
    "remove_objects": FORMS | {"boto3", "shared.web.api"},
    "label_instance_key": FORMS | {"boto3", "shared.web.api"},
    "probe": AWS | FORMS | RARE | {"shared.web.api"},
}

BATCHES = {"schedule_removal", "remove_objects", "publish_events", "send_mail", "send_notice", "note_mail_return"}


@pytest.mark.parametrize("stem", FORBIDDEN)
def test_a_handler_loads_only_its_own_modules(stem: str) -> None:
    show = f"import functions.{stem}, sys; print(*sys.modules)"
    environment = resources.environment() | {"PATH": os.environ["PATH"]}
    loaded = subprocess.run(
        [sys.executable, "-c", show], cwd=template.ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()

    assert not FORBIDDEN[stem] & set(loaded)
    assert ("aws_lambda_powertools.utilities.batch" in loaded) == (stem in BATCHES)
    assert not {"pydantic", "requests", "moto", "awscrt", "aws_xray_sdk"} & set(loaded)
    assert "aws_lambda_powertools.event_handler" not in loaded
    assert stem.startswith("pages.") or stem in ("send_mail", "send_notice") or "jinja2" not in loaded


def test_a_snapshot_holds_no_secret_connection_or_random_number() -> None:
    """All handlers in one process: whichever loads a module first, it is watched."""
    watch = """
import importlib, secrets, socket, sys
def refuse(*_arguments): raise SystemExit("in the init phase: a connection, or a random number that copies would share")
socket.socket.connect = refuse
secrets.token_bytes = secrets.token_hex = secrets.token_urlsafe = secrets.randbelow = refuse
for stem in sys.argv[1:]:
    importlib.import_module(f"functions.{stem}")
from shared.aws import cognito, keys
if keys._Known.key or keys.version.cache_info().currsize or cognito.client_secret.cache_info().currsize: refuse()
"""
    environment = resources.environment() | {"PATH": os.environ["PATH"], "AWS_LAMBDA_FUNCTION_NAME": "f"}
    done = subprocess.run(
        [sys.executable, "-c", watch, *FORBIDDEN],
        cwd=template.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
