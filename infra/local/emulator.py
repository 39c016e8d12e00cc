"""Run MiniStack as a child process, and add the resources that it does not create. See CONTRIBUTING.md."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from http import HTTPStatus
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import ClientError

from infra.build import template
from infra.local.gateway import PREFLIGHT

REGION = "us-east-1"
ROOT = "test"  # access key and secret of the account's root user; IAM allows it everything
CREDENTIALS = {"AWS_ACCESS_KEY_ID": ROOT, "AWS_SECRET_ACCESS_KEY": ROOT, "AWS_DEFAULT_REGION": REGION}
_PYTHON = template.ROOT / ".local" / "venvs" / "ministack" / "bin" / "python"
# -P: files in the module's directory must not shadow MiniStack's imports.
_MINISTACK: list[str | Path] = [_PYTHON, "-P", Path(__file__).with_name("ministack_process.py")]
_PATIENCE = 240  # seconds for a start or a stop, also on a busy machine
_GRACE = 5  # seconds until a killed process is gone; longer only if nobody reaps it


class Emulator:
    """An emulator with its data under one directory; with `enforce_iam` it rejects calls that no policy allows."""

    def __init__(self, directory: Path, *, enforce_iam: bool = False) -> None:
        self._directory = directory
        self._temporary = directory / "tmp"
        self._enforce_iam = enforce_iam
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """The path of its output, with the functions' logs."""
        return self._directory / "ministack.log"

    @property
    def pid(self) -> int:
        """The id of the process and of its group."""
        assert self._process is not None
        return self._process.pid

    @property
    def environment(self) -> dict[str, str]:
        """The variables for a child process that uses it."""
        keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return keep | CREDENTIALS | {"AWS_ENDPOINT_URL": self.endpoint}

    def client(self, service: str, key: str = ROOT, secret: str = ROOT) -> Any:
        """Return a boto3 client for it, by default with the root user's credentials."""
        return boto3.client(
            service,
            region_name=REGION,
            endpoint_url=self.endpoint,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
        )

    def start(self) -> None:
        """Start it and wait until it answers.

        It gets a process group of its own, so that a Ctrl-C reaches only us.

        Raises: RuntimeError, if it exits or does not answer in time.
        """
        shutil.rmtree(self._temporary, ignore_errors=True)  # Each process of the last run has left 50 MB of code there.
        self._temporary.mkdir(parents=True)
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                _MINISTACK, env=self.environment | self._settings(), stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + _PATIENCE
        while not is_up(self.endpoint):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The emulator did not start; see {self.log}")
            time.sleep(0.1)

    def _settings(self) -> dict[str, str]:
        return {
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(self.port),
            "PERSIST_STATE": "1",
            "STATE_DIR": str(self._directory / "state"),
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(self._directory / "s3"),
            "SFTP_ENABLED": "0",
            "IOT_MTLS_ENABLED": "0",
            "MINISTACK_REGION": REGION,
            "AUTH": str(self._enforce_iam).lower(),
            "TMPDIR": str(self._temporary),
        }

    def stop(self) -> None:
        """End the emulator, after it has saved its data, and every function that it runs."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        end_group(self._process.pid)
        self._process = None

    def has(self, stack_name: str) -> bool:
        """Return whether it knows the stack. An emulator that was killed has lost the data of its last run."""
        try:
            self.client("cloudformation").describe_stacks(StackName=stack_name)
        except ClientError:
            return False
        return True

    def complete(self, stack_name: str) -> str:
        """Create the resources that the emulator leaves out: routes and TTL settings. Returns the API's id."""
        described = self.client("cloudformation").describe_stack_resources(StackName=stack_name)["StackResources"]
        ids = {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in described}
        self._route(ids)
        for name, table in template.resources("AWS::DynamoDB::Table").items():
            time_to_live = table["TimeToLiveSpecification"]
            status = self.client("dynamodb").describe_time_to_live(TableName=ids[name])["TimeToLiveDescription"]
            if status["TimeToLiveStatus"] != "ENABLED":
                self.client("dynamodb").update_time_to_live(TableName=ids[name], TimeToLiveSpecification=time_to_live)
        return str(ids["Api"])

    def make_account(self, email: str, password: str) -> str:
        """Create a confirmed account, or set the password of an existing one. Return its user name."""
        cognito = self.client("cognito-idp")
        pool = cognito.list_user_pools(MaxResults=1)["UserPools"][0]["Id"]
        with contextlib.suppress(cognito.exceptions.UsernameExistsException):
            verified = [{"Name": "email", "Value": email}, {"Name": "email_verified", "Value": "true"}]
            cognito.admin_create_user(
                UserPoolId=pool, Username=email, UserAttributes=verified, MessageAction="SUPPRESS"
            )
        cognito.admin_set_user_password(UserPoolId=pool, Username=email, Password=password, Permanent=True)
        return str(cognito.admin_get_user(UserPoolId=pool, Username=email)["Username"])

    def _route(self, ids: dict[str, str]) -> None:
        api = self.client("apigatewayv2")
        api_id = ids["Api"]
        for route in api.get_routes(ApiId=api_id)["Items"]:
            api.delete_route(ApiId=api_id, RouteId=route["RouteId"])
        for integration in api.get_integrations(ApiId=api_id)["Items"]:
            api.delete_integration(ApiId=api_id, IntegrationId=integration["IntegrationId"])
        targets = {}
        for function in template.functions():
            arn = self.client("lambda").get_function(FunctionName=ids[function])["Configuration"]["FunctionArn"]
            integration = api.create_integration(
                ApiId=api_id, IntegrationType="AWS_PROXY", IntegrationUri=arn, PayloadFormatVersion="2.0"
            )
            targets[function] = f"integrations/{integration['IntegrationId']}"
        for route in template.routes():
            key = route.key.replace("OPTIONS ", f"{PREFLIGHT} ")
            api.create_route(ApiId=api_id, RouteKey=key, Target=targets[route.function])


def is_up(endpoint: str) -> bool:
    """Return whether an emulator answers there."""
    try:
        with urllib.request.urlopen(f"{endpoint}/_ministack/health", timeout=2) as answer:
            return bool(answer.status == HTTPStatus.OK)
    except OSError:
        return False


def end_leftover(pid: int) -> None:
    """End an emulator whose parent was killed, and let it save its data first."""
    deadline = time.monotonic() + _PATIENCE
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
        while time.monotonic() < deadline:
            os.kill(pid, 0)
            time.sleep(0.05)
    end_group(pid)


def end_group(pid: int) -> None:
    """End every process of the group led by our child process, and wait until they are gone."""
    deadline = time.monotonic() + _GRACE
    with contextlib.suppress(ProcessLookupError, PermissionError):  # No such group; or, on macOS, only zombies in it.
        while time.monotonic() < deadline:
            os.killpg(pid, signal.SIGKILL)
            time.sleep(0.02)


def free_port() -> int:
    """Return a free port of 127.0.0.1, below those that systems give out: nobody gets it before it is used."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with contextlib.suppress(OSError), socket.socket() as listener:
            listener.bind(("127.0.0.1", port))
            return port
