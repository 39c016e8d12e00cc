"""Each alarm goes off by its own metric, and not before its threshold."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from functions import probe, remove_objects
from infra.build import template
from shared.aws import keys
from shared.runtime import metrics
from tests.conftest import Configure
from tests.drivers.client import Api, Context
from tests.engines import resources, serving
from tests.functions.pages.test_account_refusals import OPERATIONS, sending
from tests.meters import alarms, emf, wire_tap
from tests.meters.alarms import ALARM, OK, Metric

# AWS's documentation of the watched metrics: their dimensions, by namespace and name.
# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html,
# https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html,
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
DOCUMENTED: dict[tuple[str, str], list[set[str]]] = {
    ("AWS/ApiGateway", "5xx"): [{"ApiId"}, {"ApiId", "Stage"}],
    ("AWS/ApiGateway", "Latency"): [{"ApiId"}, {"ApiId", "Stage"}],
    ("AWS/Lambda", "Throttles"): [set(), {"FunctionName"}],
    ("AWS/Lambda", "Errors"): [set(), {"FunctionName"}],
    ("AWS/Lambda", "IteratorAge"): [set(), {"FunctionName"}],
    ("AWS/SQS", "ApproximateAgeOfOldestMessage"): [{"QueueName"}],
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): [{"QueueName"}],
}

# By alarm: one period's values of one of its metrics, healthy and not.
BY_AWS: dict[str, tuple[list[float], list[float]]] = {
    "ApiFails": ([1.0] * 4, [1.0] * 5),
    "ApiIsSlow": ([100.0] * 99 + [9000.0], [100.0] * 98 + [9000.0] * 2),
    "FunctionsAreThrottled": ([0.0], [1.0]),
    "WorkersCrash": ([0.0], [1.0]),
    "StreamLags": ([900_000.0], [900_001.0]),
    "RemovalsAreLate": ([1800.0], [1801.0]),
    "SchedulesFail": ([0.0], [1.0]),
    "RemovalsFail": ([0.0], [1.0]),
    "EventsAreLate": ([900_000.0], [900_001.0]),
    "EventsFail": ([0.0], [1.0]),
    "MailsFail": ([0.0], [1.0]),
    "NoticesFail": ([0.0], [1.0]),
}


def failing(api: Api) -> None:
    resources.client("dynamodb").delete_table(TableName="test-Pushes")
    for _ in range(5):
        api.retrieve("nosuchtoken")


def failing_work(_api: Api) -> None:
    resources.client("dynamodb").delete_table(TableName="test-Pushes")
    messages = [{"messageId": str(number), "eventSource": "aws:sqs", "body": f"{number:064x}"} for number in range(10)]
    remove_objects.handler({"Records": messages}, Context())


def conflicting(api: Api) -> None:
    url_token = api.push(expire_after_views=100)
    with wire_tap.cancelling("TransactionConflict"):
        api.retrieve(url_token)


def throttling(api: Api) -> None:
    url_token = api.push()
    with wire_tap.throttling("BatchGetItem", {"__type": "ProvisionedThroughputExceededException"}):
        api.retrieve(url_token)


def refusing_a_mail(_api: Api) -> None:
    with wire_tap.answering(OPERATIONS["sign_up"], "LimitExceededException"):
        sending("sign_up")


def refreshing_in_vain(api: Api) -> None:
    api.push()
    keys._Known.until = 0.0  # five minutes later
    with wire_tap.answering("GetSecretValue", "AccessDeniedException"):
        api.push()


# By alarm: the cause that makes our code count, and how often it must happen in one period.
BY_US: dict[str, tuple[Callable[[Api], None], str, int]] = {
    "RequestsFail": (failing, "Failed", 1),
    "WorkFails": (failing_work, "WorkFailed", 1),
    "TablesAreThrottled": (throttling, "Throttled", 11),
    "ManyConflicts": (conflicting, "Conflicts", 1001),
    "MailsAreRefused": (refusing_a_mail, "MailRefused", 1),
    "KeyIsNotRefreshed": (refreshing_in_vain, "KeyNotRefreshed", 3),
}


def test_every_alarm_is_made_to_go_off_here() -> None:
    assert set(alarms.alarms()) == BY_AWS.keys() | BY_US.keys() | {"ProbeFails"}


@pytest.mark.parametrize("name", BY_AWS)
def test_an_alarm_goes_off_by_each_metric_of_aws_that_it_watches(name: str) -> None:
    well, ill = BY_AWS[name]
    periods = alarms.alarms()[name]["EvaluationPeriods"]

    for metric in alarms.metrics(name).values():
        assert alarms.state(name, {metric: [well] * periods}) == OK
        assert alarms.state(name, {metric: [ill] * periods}) == ALARM
        assert alarms.state(name, {metric: [[]] * periods}) == OK
        if periods > 1:
            assert alarms.state(name, {metric: [well] + [ill] * (periods - 1)}) == OK


@pytest.mark.parametrize("name", BY_AWS)
def test_an_alarm_s_metric_is_documented_by_aws(name: str) -> None:
    for metric in alarms.metrics(name).values():
        assert {key for key, _ in metric.dimensions} in DOCUMENTED[metric.namespace, metric.name]


@pytest.mark.parametrize("name", BY_US)
def test_an_alarm_goes_off_by_our_code_s_log_lines(
    name: str, api: Api, people: object, capsys: pytest.CaptureFixture[str]
) -> None:
    act, counted, times = BY_US[name]
    [metric] = alarms.metrics(name).values()
    capsys.readouterr()

    act(api)

    printed = emf.values(capsys.readouterr().out, counted) * times
    assert metric == Metric(emf.NAMESPACE, counted)
    assert alarms.state(name, {metric: [printed]}) == ALARM
    assert alarms.state(name, {metric: [printed[1:]]}) == OK
    assert alarms.state(name, {metric: [[]]}) == OK


def test_the_alarm_of_the_probe_goes_off_when_it_fails_and_when_it_is_silent(
    aws: None, api: Api, configure: Configure, capsys: pytest.CaptureFixture[str]
) -> None:
    [metric] = alarms.metrics("ProbeFails").values()
    api.now = datetime.now(UTC)

    with serving.serving(api) as base_url:
        configure(BASE_URL=base_url)
        probe.handler({}, Context())
    well = emf.values(capsys.readouterr().out, "ProbeFailed")
    probe.handler({}, Context())  # nobody answers any more
    ill = emf.values(capsys.readouterr().out, "ProbeFailed")

    assert metric == Metric(emf.NAMESPACE, "ProbeFailed")
    assert alarms.state("ProbeFails", {metric: [well]}) == OK
    assert alarms.state("ProbeFails", {metric: [well + ill]}) == ALARM
    assert alarms.state("ProbeFails", {metric: [[]]}) == ALARM


def test_one_parameter_turns_on_the_probe_s_schedule_and_alarm() -> None:
    schedule = template.functions()["Probe"]["Events"]["EveryFiveMinutes"]["Properties"]

    assert schedule == {"Schedule": "rate(5 minutes)", "State": {"Fn::If": ["RunsProbe", "ENABLED", "DISABLED"]}}
    assert alarms.alarms()["ProbeFails"]["Period"] == 2 * 5 * 60
    assert template.load()["Resources"]["ProbeFails"]["Condition"] == "RunsProbe"
    assert template.defaults()["ProbeToken"] == "off"


def test_every_alarm_notifies_the_topic_at_start_and_end() -> None:
    told = [{"Ref": "AlarmTopic"}, {"Fn::If": ["HasAlarmTopic", {"Ref": "AlarmTopicArn"}, {"Ref": "AWS::NoValue"}]}]

    for alarm in alarms.alarms().values():
        assert (alarm["AlarmActions"], alarm["OKActions"]) == (told, told)
    assert template.resources("AWS::SNS::Subscription")["AlarmMails"]["Endpoint"] == {"Ref": "AlarmMail"}


def test_the_dashboard_shows_every_metric_of_ours_and_every_alarm_that_is_always_there() -> None:
    body = alarms.dashboard()

    assert len(json.loads(body)["widgets"]) > 10
    for name in metrics.UNITS:
        assert name in body, name
    for name, resource in template.load()["Resources"].items():
        if resource["Type"] == "AWS::CloudWatch::Alarm":
            assert (f"${{{name}.Arn}}" in body) == (name != "ProbeFails"), name


def test_every_alarm_and_every_metric_is_explained() -> None:
    explained = (template.ROOT / "docs/operations.md").read_text()

    for name in alarms.alarms():
        assert f"\n### {name}\n" in explained, name
    for name in metrics.UNITS:
        assert f"`{name}`" in explained, name
