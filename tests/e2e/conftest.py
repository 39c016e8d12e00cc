"""Fixtures: the real template, deployed once to a fresh local stack."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from infra.build import template
from infra.local.emulator import free_port
from infra.local.stack import Stack
from tests.drivers.http_client import HttpApi
from tests.e2e import aws
from tests.meters import processes
from tests.verify import installation

Issue = Callable[[str], str]
Offered = Callable[[str], None]
Command = Callable[..., str]

LAST = "test_no_function_was_refused_anything"
LONGEST = "test_run.py"  # starts several stacks of its own: at the end, one worker would wait for it


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this directory; the longest file comes first, the test that checks the others' logs last."""
    places = [place for place, item in enumerate(items) if item.path.is_relative_to(Path(__file__).parent)]
    own = sorted((items[place] for place in places), key=lambda item: (item.name == LAST, item.path.name != LONGEST))
    for place, item in zip(places, own, strict=True):
        item.add_marker(pytest.mark.e2e)
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(900))  # it may have to wait for a stack on a busy machine
        items[place] = item


@contextmanager
def running(directory: Path, **parameters: str) -> Iterator[Stack]:
    """Run a stack that rejects calls without permission, with these parameters of the template.

    Its gateway uses its own event loop, in a thread next to the tests.
    """
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()

    def run(coroutine: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, loop).result()

    stack = Stack(directory, say=print, enforce_iam=True)
    try:
        run(stack.start(free_port(), **parameters))
        group = stack.emulator.pid
        # The local stack uses plain HTTP, which this policy denies; test_least_privilege.py shows that it does.
        stack.emulator.client("s3").delete_bucket_policy(Bucket=aws.physical(stack, "Bucket"))
        # No test waits for links to expire after minutes; the template does not allow less.
        delay = {"QueueUrl": aws.physical(stack, "Removals"), "Attributes": {"DelaySeconds": "3"}}
        stack.emulator.client("sqs").set_queue_attributes(**delay)
        allow_batches(stack)
        allow_mails(stack)
        yield stack
    finally:
        try:
            run(stack.stop())
            run(loop.shutdown_default_executor())
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()
    assert processes.of_group(group) == []


def allow_batches(stack: Stack) -> None:
    """AWS checks sqs:SendMessage for a batch as well, MiniStack an action that AWS does not have."""
    queue = {"QueueUrl": aws.physical(stack, "Removals"), "AttributeNames": ["QueueArn"]}
    arn = stack.emulator.client("sqs").get_queue_attributes(**queue)["Attributes"]["QueueArn"]
    allow(stack, "ScheduleRemovalRole", "sqs:SendMessageBatch", arn)


def allow_mails(stack: Stack) -> None:
    """AWS checks ses:SendEmail on the identity and the configuration set, MiniStack on every resource."""
    for role in ("SendMailRole", "SendNoticeRole"):
        allow(stack, role, "ses:SendEmail", "*")


def allow(stack: Stack, role: str, action: str, resource: str) -> None:
    statement = {"Effect": "Allow", "Action": action, "Resource": resource}
    stack.emulator.client("iam").put_role_policy(
        RoleName=aws.physical(stack, role),
        PolicyName="emulator",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
    )


def mint_token(stack: Stack, owner: str, whose: str = "--owner") -> str:
    """Issue an API token for an owner, or an account, with the operator's command."""
    command = [sys.executable, "-m", "infra.operator.issue_token", "mint", whose, owner]
    environment = stack.emulator.environment
    return subprocess.check_output(
        command, cwd=template.ROOT, env=environment, text=True, stderr=subprocess.PIPE
    ).strip()


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The running stack of all tests that do not break it; each worker has its own."""
    with running(tmp_path_factory.mktemp("stack")) as stack:
        yield stack
        assert len(aws.refusals(stack)) <= 1  # the one of test_the_buckets_policy_denies_plain_http


@pytest.fixture(scope="package")
def base_url(stack: Stack) -> str:
    """The URL of the stack."""
    return stack.base_url


@pytest.fixture(scope="package")
def api(request: pytest.FixtureRequest) -> HttpApi:
    """An anonymous caller of the stack, or of the installation that `make verify` checks.

    If the installation requires an API token, its owner.
    """
    if installed := installation.named():
        is_open = installed.get("/api/v2/version").json["features"]["anonymous_access"]
        return installed.as_owner(None) if is_open else installed
    return HttpApi(base_url=request.getfixturevalue("stack").base_url)


@pytest.fixture(scope="package")
def issue(stack: Stack) -> Issue:
    """Return a function that issues an API token for an owner."""
    return lambda owner: mint_token(stack, owner)


@pytest.fixture(scope="package")
def bob(api: HttpApi, request: pytest.FixtureRequest) -> HttpApi:
    """Return a caller with an API token."""
    return installation.named() or api.as_owner(request.getfixturevalue("issue")("bob@example.com"))


@pytest.fixture(scope="package")
def asker(api: HttpApi, request: pytest.FixtureRequest) -> HttpApi:
    """Return the API of a person with an account."""
    if installed := installation.named():
        return installed
    stack: Stack = request.getfixturevalue("stack")
    stack.emulator.make_account("asker@example.com", "a password of an asker 1")
    return api.as_owner(mint_token(stack, "asker@example.com", "--account"))


@pytest.fixture
def command(stack: Stack) -> Command:
    """Run an operator's command; return its output."""

    def command(module: str, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", f"infra.operator.{module}", *arguments],
            cwd=template.ROOT,
            env=stack.emulator.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, module, done.stdout + done.stderr)
        return done.stdout  # account and region go to standard error

    return command


@pytest.fixture(scope="package")
def offered(api: HttpApi) -> Offered:
    """Skip a test if an installation lacks its feature, by the name in `pushes`."""

    def offered(feature: str) -> None:
        if not api.get("/api/v2/version").json["features"]["pushes"][feature]["enabled"]:
            pytest.skip(f"{feature} are off")

    return offered
