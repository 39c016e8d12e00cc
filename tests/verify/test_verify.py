"""`make verify` against our handlers behind a plain server, without a stack: it passes, and it can fail."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from infra.build import template
from shared.domain import owners
from shared.identity import auth
from tests.bench import servers
from tests.drivers.client import START
from tests.engines import over_http, resources

pytestmark = pytest.mark.long

VERIFIED = [{"Name": "email", "Value": "bob@example.com"}, {"Name": "email_verified", "Value": "true"}]


@pytest.fixture(scope="module")
def endpoints(tmp_path_factory: pytest.TempPathFactory) -> Iterator[over_http.Endpoints]:
    with over_http.moto(Path()) as endpoints, over_http.use(endpoints), with_accounts():
        resources.build()
        yield endpoints


@contextmanager
def with_accounts() -> Iterator[None]:
    """Create a user pool with the account of Bob, and configure the handlers to use it."""
    client = resources.client("cognito-idp")
    pool = client.create_user_pool(PoolName="test", UsernameAttributes=["email"])["UserPool"]["Id"]
    client.admin_create_user(UserPoolId=pool, Username="bob@example.com", UserAttributes=VERIFIED)
    password = {"Password": "a password of Bob's 1", "Permanent": True}
    client.admin_set_user_password(UserPoolId=pool, Username="bob@example.com", **password)
    flows = ["ALLOW_USER_PASSWORD_AUTH"]
    made = client.create_user_pool_client(
        UserPoolId=pool, ClientName="test", GenerateSecret=True, ExplicitAuthFlows=flows
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USER_POOL_ID", pool)
        patch.setenv("USER_POOL_CLIENT_ID", made["UserPoolClient"]["ClientId"])
        yield


def verify(port: int, token: str, *chosen: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"VERIFY_URL": f"http://127.0.0.1:{port}", "VERIFY_TOKEN": token}
    command = [sys.executable, "-m", "tests.verify", *chosen]
    return subprocess.run(command, cwd=template.ROOT, env=environment, capture_output=True, text=True, check=False)


def bobs_token() -> str:
    """Return an API token of Bob's account."""
    asked = {"UserPoolId": os.environ["USER_POOL_ID"], "Username": "bob@example.com"}
    attributes = resources.client("cognito-idp").admin_get_user(**asked)["UserAttributes"]
    [sub] = [one["Value"] for one in attributes if one["Name"] == "sub"]
    return auth.issue_api_token(owners.of_account(sub), "test", now=START)


def test_an_installation_that_keeps_its_promises_passes(endpoints: over_http.Endpoints) -> None:
    token = bobs_token()

    with servers.plain("handlers") as port:
        done = verify(port, token)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILED" not in done.stdout
    assert done.stdout.count("\n  not tried") == done.stdout.count("there is no provider")
    assert "ok         five at once get the two views there are" in done.stdout
    assert done.stdout.count("  ?  ") == 7
    assert token not in done.stdout
    assert "could not be asked" not in done.stdout
    assert "claims, 0 failed" in done.stdout
    assert re.search(r"; (\d+) pushes and asks created, \1 ended\.", done.stdout)
    assert {int(push["expires_at"]["N"]) / 1000 <= time.time() for push in resources.items("Pushes")} == {True}
    assert all("ended_at" in one or one["answers"]["N"] == "1" for one in resources.items("Asks"))


def test_an_installation_with_links_to_another_host_fails(endpoints: over_http.Endpoints) -> None:
    token = auth.issue_api_token("name:bob@example.com", "test", now=START)

    with servers.plain("handlers", BASE_URL="https://elsewhere.example") as port:
        done = verify(port, token, "-k", "links_lead_back")

    assert done.returncode == 1
    assert "FAILED     links lead back to this stack" in done.stdout
    assert token not in done.stdout


def test_an_unknown_token_gets_an_error_before_anything_is_created(endpoints: over_http.Endpoints) -> None:
    before = len(resources.items("Pushes"))

    with servers.plain("handlers") as port:
        done = verify(port, "no such API token")

    assert done.returncode == 2
    assert "rejects this API token" in done.stdout
    assert len(resources.items("Pushes")) == before
