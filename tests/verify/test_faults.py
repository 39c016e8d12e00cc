"""`make verify` fails for each of seven faults that 0.9.0's did not see, each introduced on purpose."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import boto3
import pytest
from moto import mock_aws

from infra.build import template
from shared.identity import auth
from tests.bench import servers
from tests.doubles import hosted_sign_in
from tests.drivers.client import START
from tests.engines import over_http, resources
from tests.meters import wire_tap
from tests.verify import stack
from tests.verify.installation import Installation
from tests.verify.test_verify import bobs_token, verify, with_accounts

# ---------------------------------------------------------------- seen by a caller


@pytest.fixture(scope="module")
def endpoints() -> Iterator[over_http.Endpoints]:
    with over_http.moto(Path()) as endpoints, over_http.use(endpoints), with_accounts():
        resources.build()
        yield endpoints


def patched(directory: Path, code: str) -> dict[str, str]:
    """The environment of a Python that runs this first."""
    (directory / "sitecustomize.py").write_text(f"from shared.domain import seal\n{code}")
    return {"PYTHONPATH": f"{directory}:{template.ROOT}"}


ANYBODY_MAY_END = "from shared.domain import access\naccess.check_may_expire = lambda *_: None\n"
NO_LIMIT = "from shared.domain import admission\nadmission.seconds_to_next_guess = lambda *_a: 0\n"
FORMS_FAIL = "from shared.aws import cognito\ndef fail(*_): raise OSError\ncognito.authenticate = fail\n"
NEVER_FULL = "from shared.aws import asks, tables\nasks._is_open = lambda *_: tables.Asks.id.exists()\n"

KEEPS_KEYS = """
from shared.aws import store
transaction = store.transaction
store.transaction = lambda *a, destroy, **k: transaction(*a, destroy=False, **k)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "claim"),
    [
        (ANYBODY_MAY_END, "a_stranger_cannot_end"),
        (NO_LIMIT, "the_sixth_wrong_passphrase"),
        (FORMS_FAIL, "a_sign_in_with_a_wrong_password"),
        (NEVER_FULL, "two_answers_at_once"),
    ],
)
def test_a_fault_that_callers_see_fails(endpoints: over_http.Endpoints, tmp_path: Path, code: str, claim: str) -> None:
    token = bobs_token()

    with servers.plain("handlers") as port:
        well = verify(port, token, "-k", claim)
    with servers.plain("handlers", **patched(tmp_path, code)) as port:
        ill = verify(port, token, "-k", claim)

    assert (well.returncode, ill.returncode) == (0, 1), well.stdout + ill.stdout
    assert "FAILED" in ill.stdout


@pytest.mark.long
def test_a_last_view_that_keeps_the_key_fails(
    endpoints: over_http.Endpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", resources.REGION)
    token = auth.issue_api_token("name:bob@example.com", "test", now=START)
    deployed = stack.Stack("test", {"Secrets": "test-Secrets"}, {})

    found = []
    for environment in ({}, patched(tmp_path, KEEPS_KEYS)):
        with servers.plain("handlers", **environment) as port:
            owner = Installation(base_url=f"http://127.0.0.1:{port}", token=token)
            found.append(list(stack.kept_keys(owner, deployed)))

    assert found == [[], ["the item in Secrets still has its wrapped key"]]


SAME_STATE = """
from shared.identity import provider_sign_in
url_for = provider_sign_in.authorize_url
provider_sign_in.authorize_url = lambda _state: url_for("s" * 43)
"""


class _OwnPages(BaseHTTPRequestHandler):
    """Cognito's pages if an app client offers passwords: a form at every address, whatever the redirect URI."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'<form method="post"><input name="password" type="password"></form>')

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.mark.long
def test_a_state_that_is_not_random_and_cognito_s_own_pages_fail(
    endpoints: over_http.Endpoints, tmp_path: Path
) -> None:
    token = auth.issue_api_token("name:bob@example.com", "test", now=START)
    open_pages = ThreadingHTTPServer(("127.0.0.1", 0), _OwnPages)
    Thread(target=open_pages.serve_forever, daemon=True).start()
    done = []
    with hosted_sign_in.provider(os.environ["USER_POOL_ID"], "https://push.example") as provider:
        settings = provider.settings() | {"BASE_URL": "https://push.example"}
        own_pages = {"COGNITO_DOMAIN": f"http://127.0.0.1:{open_pages.server_port}"}
        for changed in ({}, patched(tmp_path, SAME_STATE), own_pages):
            with servers.plain("handlers", **settings | changed) as port:
                done.append(verify(port, token, "-k", "provider"))
    open_pages.shutdown()
    open_pages.server_close()

    printed = "".join(one.stdout for one in done)
    assert [one.returncode for one in done] == [0, 1, 1], printed
    assert [one.stdout.count("FAILED") for one in done] == [0, 1, 4], printed


# ---------------------------------------------------------------- seen in the AWS account


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[stack.Stack]:
    """A moto account with what the template declares, all well, without functions: their metrics are put by hand."""
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.setenv("AWS_DEFAULT_REGION", resources.REGION)
    for name, value in resources.CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        yield stack.Stack("secret-sharing", build(), template.defaults() | {"DeletionProtection": "true"})


def build() -> dict[str, str]:
    dynamodb, sqs, cognito = (boto3.client(service) for service in ("dynamodb", "sqs", "cognito-idp"))
    ids = {name: name for name in template.functions()}
    for name, table in template.resources("AWS::DynamoDB::Table").items():
        wanted = {key: table[key] for key in ("AttributeDefinitions", "KeySchema", "BillingMode")}
        used = {key["AttributeName"] for key in table["KeySchema"]}
        wanted["AttributeDefinitions"] = [one for one in wanted["AttributeDefinitions"] if one["AttributeName"] in used]
        dynamodb.create_table(TableName=name, DeletionProtectionEnabled=True, **wanted)
        dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=table["TimeToLiveSpecification"])
        recovery = table["PointInTimeRecoverySpecification"]
        dynamodb.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification=recovery)
        ids[name] = name
    ids |= {name: sqs.create_queue(QueueName=name)["QueueUrl"] for name in template.resources("AWS::SQS::Queue")}
    logs = boto3.client("logs")
    logs.create_log_group(logGroupName="AccessLogs")
    logs.create_log_stream(logGroupName="AccessLogs", logStreamName="one")
    sns = boto3.client("sns")
    ids["AlarmTopic"] = sns.create_topic(Name="AlarmTopic")["TopicArn"]
    sns.subscribe(TopicArn=ids["AlarmTopic"], Protocol="email", Endpoint="ops@example.com")
    ids["UserPool"] = cognito.create_user_pool(PoolName="x", DeletionProtection="ACTIVE")["UserPool"]["Id"]
    alarm = {"MetricName": "m", "Namespace": "n", "Period": 60, "EvaluationPeriods": 1, "Statistic": "Sum"}
    alarm |= {"Threshold": 1, "ComparisonOperator": "GreaterThanThreshold"}
    boto3.client("cloudwatch").put_metric_alarm(AlarmName="RequestsFail", **alarm)
    return ids | {"RequestsFail": "RequestsFail", "AccessLogs": "AccessLogs"}


def faults(deployed: stack.Stack) -> list[str]:
    """Return the faults that show without creating a push."""
    return [fault for claim in stack.claims(Installation())[1:] for fault in claim.faults(deployed)]


@contextmanager
def measured(name: str, value: float, function: str = "") -> Iterator[None]:
    """What CloudWatch says of a metric; moto takes none in AWS's own namespaces."""
    dimensions = [{"Name": "FunctionName", "Value": function}] if function else []

    def answer(_client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        if operation != "GetMetricStatistics" or parameters["MetricName"] != name:
            return call()
        points = [{parameters["Statistics"][0]: value}] if parameters["Dimensions"] == dimensions else []
        return {"Datapoints": points}

    with wire_tap.around(answer):
        yield


def test_an_account_in_which_all_is_well_has_no_fault(deployed: stack.Stack) -> None:
    with measured("IteratorAge", 900, "PublishEvents"):
        assert faults(deployed) == []


@pytest.mark.parametrize(
    ("name", "value", "function", "fault"),
    [
        ("IteratorAge", 180_000, "ScheduleRemoval", "ScheduleRemoval is 180 s behind"),
        ("IteratorAge", 180_000, "PublishEvents", "PublishEvents is 180 s behind"),
        ("Errors", 3, "PublishEvents", "PublishEvents crashed 3 times"),
        ("WorkFailed", 3, "", "3 records or messages failed"),
    ],
)
def test_a_worker_that_raises_at_each_batch_is_a_fault(
    deployed: stack.Stack, name: str, value: float, function: str, fault: str
) -> None:
    with measured(name, value, function):
        assert faults(deployed) == [fault]


def ring() -> None:
    boto3.client("cloudwatch").set_alarm_state(AlarmName="RequestsFail", StateValue="ALARM", StateReason="test")


def forget_recovery() -> None:
    off = {"PointInTimeRecoveryEnabled": False}
    boto3.client("dynamodb").update_continuous_backups(TableName="Pushes", PointInTimeRecoverySpecification=off)


def keep_for_ever() -> None:
    off = {"Enabled": False, "AttributeName": "expires_at"}
    boto3.client("dynamodb").update_time_to_live(TableName="Secrets", TimeToLiveSpecification=off)


def unprotect() -> None:
    boto3.client("dynamodb").update_table(TableName="ApiTokens", DeletionProtectionEnabled=False)


def unsubscribe() -> None:
    sns = boto3.client("sns")
    [one] = sns.list_subscriptions()["Subscriptions"]
    sns.unsubscribe(SubscriptionArn=one["SubscriptionArn"])


def lose_log() -> None:
    boto3.client("logs").delete_log_stream(logGroupName="AccessLogs", logStreamName="one")


def sign_up_at_cognito() -> None:
    cognito = boto3.client("cognito-idp")
    [pool] = cognito.list_user_pools(MaxResults=2)["UserPools"]
    for providers in (["Oidc"], ["COGNITO", "Oidc"]):
        wanted = {"AllowedOAuthFlows": ["code"], "SupportedIdentityProviders": providers}
        cognito.create_user_pool_client(UserPoolId=pool["Id"], ClientName=f"{len(providers)}", **wanted)


def die() -> None:
    sqs = boto3.client("sqs")
    sqs.send_message(QueueUrl=sqs.get_queue_url(QueueName="FailedEvents")["QueueUrl"], MessageBody="x")


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (die, "FailedEvents has 1"),
        (lose_log, "it has none"),
        (ring, "RequestsFail"),
        (unsubscribe, "AlarmMail is empty, or nobody has confirmed AWS's first mail"),
        (forget_recovery, "Pushes has no point-in-time recovery"),
        (keep_for_ever, "Secrets has no TTL"),
        (unprotect, "ApiTokens may be deleted"),
        (sign_up_at_cognito, "2 offers COGNITO, Oidc"),
    ],
)
def test_an_account_that_is_not_as_it_was_deployed_is_a_fault(
    deployed: stack.Stack, spoil: Callable[[], None], fault: str
) -> None:
    spoil()

    assert faults(deployed) == [fault]


def test_the_documentation_names_every_claim_by_its_line() -> None:
    text = (template.ROOT / "docs" / "deploy.md").read_text()
    lines = [line.rstrip(" …") for line in re.findall(r"`([a-z][^`]+)`", text[text.index("## What only AWS") :])]

    texts = [claim.text for claim in stack.claims(Installation())]
    named = [one for one in texts if any(one.startswith(line) for line in lines)]
    assert set(texts) - set(named) == {"no background work failed in the last quarter of an hour"}
