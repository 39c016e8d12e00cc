"""The whole service on one machine: the emulator, the real template deployed to it, and the gateway in front of it."""

import asyncio
import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from infra.build import template
from infra.local import certificate, hosted_sign_in
from infra.local.emulated_template import without_unsupported
from infra.local.emulator import Emulator
from infra.local.gateway import Gateway
from infra.local.hosted_endpoints import FIRST_PARTS
from infra.local.outbox import MAILS, Outbox
from infra.local.secure_address import SecureAddress

STACK_NAME = "secret-sharing"
_SAM = template.ROOT / ".local" / "venvs" / "sam" / "bin" / "sam"
_ARCHITECTURES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}

Say = Callable[[str], None]


class Stack:
    """A running stack under one directory; its events and mails are written there, or under `shown`.

    `base_url` is set once it has started, `secure_url` by `start_secure_address`.
    """

    def __init__(
        self,
        directory: Path,
        say: Say,
        *,
        enforce_iam: bool = False,
        shown: Path | None = None,
        provider_port: int = 0,
    ) -> None:
        self.directory = directory
        self._shown_under = shown or directory
        self.emulator = Emulator(directory, enforce_iam=enforce_iam)
        self.base_url = self.secure_url = ""
        self._say = say
        self._gateway: Gateway | None = None
        self.hosted = hosted_sign_in.of_emulator(self.emulator, provider_port)
        self._secure_address: SecureAddress | None = None
        self._parameters: dict[str, str] = {}
        self._shown: Outbox | None = None

    async def start(self, port: int, **parameters: str) -> None:
        """Start everything, with these parameters of the template."""
        self._say("Starting the emulator …")
        await asyncio.to_thread(self.emulator.start)
        self.hosted.start()
        self.base_url = f"http://127.0.0.1:{port}"
        self._parameters = {
            "BaseUrl": self.base_url,
            "ThrottleRate": "10000",
            **MAILS,
            **hosted_sign_in.PROVIDER,
            **parameters,
        }
        await asyncio.to_thread(self._deploy, self._parameters)
        api_id = await asyncio.to_thread(self.emulator.complete, STACK_NAME)
        self._gateway = Gateway(self.emulator.endpoint, api_id)
        await self._gateway.start(port)
        self._shown = Outbox(self.emulator, STACK_NAME, self._shown_under)
        await self._shown.start()

    async def start_secure_address(self, port: int) -> None:
        """Serve the running stack at a second address, with https and a certificate of its own making."""
        stack = self.emulator.client("cloudformation")
        found = stack.describe_stack_resource(StackName=STACK_NAME, LogicalResourceId="Bucket")["StackResourceDetail"]
        places = {found["PhysicalResourceId"]: self.emulator.endpoint}
        places |= dict.fromkeys(FIRST_PARTS, self.hosted.url)
        address = SecureAddress(self.base_url, places)
        self._secure_address = address
        await address.start(port, certificate.server_context(self.directory))
        self.secure_url = address.url

    async def update(self, **parameters: str) -> None:
        """Deploy again with some parameters changed, over the running stack and its data."""
        self._parameters |= parameters
        await asyncio.to_thread(self._deploy, self._parameters)
        await asyncio.to_thread(self.emulator.complete, STACK_NAME)

    async def stop(self) -> None:
        """Stop everything; the data stays."""
        if self._secure_address:
            await self._secure_address.stop()
        if self._gateway:
            await self._gateway.stop()
        if self._shown:
            await self._shown.stop()
        await asyncio.to_thread(self.hosted.stop)
        await asyncio.to_thread(self.emulator.stop)

    def _deploy(self, parameters: dict[str, str]) -> None:
        """Build and deploy, unless this version is already deployed."""
        stamp = self.directory / "deployed"
        fingerprint = _fingerprint(parameters | {"CognitoDomain": self.hosted.url})
        if stamp.exists() and stamp.read_text() == fingerprint and self.emulator.has(STACK_NAME):
            return
        self._say("Building the functions …")
        built = self._package(self.hosted.url)
        self._say("Deploying the template (about 10 s) …")
        config = str(template.ROOT / "samconfig.toml")
        source = ["--config-file", config, "--stack-name", STACK_NAME, "--template-file", str(built)]
        answers = ["--no-confirm-changeset", "--no-fail-on-empty-changeset"]
        overrides = [f'{name}="{value}"' for name, value in parameters.items()]
        self._sam("deploy", *source, *answers, "--parameter-overrides", *overrides)
        stamp.write_text(fingerprint)

    def _package(self, cognito_domain: str) -> Path:
        """Build the bundle once, and write a template whose functions share its archive and use this domain.

        `sam build` would copy the bundle, and `sam deploy` zip it, once for each function.
        """
        with locked_bundle() as (bundle, variables):
            self._run("make", "--no-print-directory", "bundle", **variables)
        content, python, arch = bundle / "content", variables["BUNDLE_PYTHON"], variables["BUNDLE_ARCH"]
        archive = shutil.make_archive(str(self.directory / "bundle"), "zip", content)
        packaged = template.read(template.PATH)
        # The emulator runs functions on its own interpreter.
        function = {"CodeUri": archive, "Runtime": f"python{python}", "Architectures": [arch]}
        packaged["Globals"]["Function"] |= function
        packaged["Globals"]["Function"]["Environment"]["Variables"]["COGNITO_DOMAIN"] = cognito_domain
        for resource in packaged["Resources"].values():
            resource.pop("Metadata", None)
        path = self.directory / "packaged.yaml"
        path.write_text(yaml.safe_dump(without_unsupported(packaged), sort_keys=False, width=1_000))
        return path

    def _sam(self, *arguments: str) -> None:
        # SAM polls the deployment every 5 s by default; the emulator is done long before.
        self._run(str(_SAM), *arguments, SAM_CLI_TELEMETRY="0", SAM_CLI_POLL_DELAY="0.2")

    def _run(self, *command: str, **variables: str) -> None:
        log = self.directory / "deploy.log"
        with log.open("ab") as output:
            # In a session of its own, so that a Ctrl-C does not interrupt its step.
            done = subprocess.run(
                command,
                cwd=template.ROOT,
                env=os.environ | self.emulator.environment | variables,
                stdout=output,
                stderr=output,
                check=False,
                start_new_session=True,
            )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command[:2])} failed; see {log}")


@contextmanager
def locked_bundle() -> Iterator[tuple[Path, dict[str, str]]]:
    """Lock the bundle while it is built: two stacks may start at once, as in the tests.

    Yield its directory, and the variables with which `make bundle` makes it for this machine.
    """
    python, arch = f"{sys.version_info.major}.{sys.version_info.minor}", _ARCHITECTURES[platform.machine().lower()]
    variables = {"BUNDLE_PYTHON": python, "BUNDLE_ARCH": arch, "PYTHON": sys.executable}
    with (template.ROOT / ".local" / "bundle.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield template.ROOT / ".local" / f"bundle-{python}-{arch}", variables


def _fingerprint(parameters: dict[str, str]) -> str:
    """Return a digest that changes whenever a deployment would change anything."""
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode())
    code = sorted([*template.ROOT.glob("functions/**/*"), *template.ROOT.glob("shared/**/*")])
    build = sorted((template.ROOT / "infra" / "build").glob("*.py"))
    for path in [template.PATH, template.ROOT / "requirements.txt", *build, *code]:
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
