"""The deployed probe calls the running stack by its base URL."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from infra.local.stack import Stack
from tests.e2e import aws
from tests.e2e.test_files import eventually
from tests.meters import emf


def run_probe(stack: Stack) -> str:
    """Run the probe by hand, as in the runbook; return the failed step."""
    answer = stack.emulator.client("lambda").invoke(FunctionName=aws.physical(stack, "Probe"))
    return str(json.load(answer["Payload"])["failed"])


@contextmanager
def broken(stack: Stack, function: str) -> Iterator[None]:
    """Replace a function by one that answers 503 to everything."""
    client, name = stack.emulator.client("lambda"), aws.physical(stack, function)
    variables = client.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
    unreadable = variables | {"ANONYMOUS_ACCESS": "perhaps"}
    client.update_function_configuration(FunctionName=name, Environment={"Variables": unreadable})
    try:
        yield
    finally:
        client.update_function_configuration(FunctionName=name, Environment={"Variables": variables})


def metrics(stack: Stack) -> list[str]:
    """Return the log lines with the probe's metrics for CloudWatch."""
    return [line for line in aws.log_lines(stack) if '"ProbeTime"' in line]


def test_the_probe_succeeds_on_a_working_stack_and_logs_its_metrics(stack: Stack) -> None:
    assert eventually(lambda: run_probe(stack) == "")

    [line] = emf.lines(metrics(stack)[-1].strip())
    assert (line["ProbeSucceeded"], line["ProbeFailed"]) == ([1.0], [0.0])


def test_the_probe_names_the_broken_step_and_succeeds_after_the_fix(stack: Stack) -> None:
    with broken(stack, "RetrievePush"):
        assert eventually(lambda: run_probe(stack) == "Retrieve")

    assert eventually(lambda: run_probe(stack) == "")


def test_the_probe_s_schedule_is_off_by_default(stack: Stack) -> None:
    rules = stack.emulator.client("events").list_rules()["Rules"]

    assert [rule["State"] for rule in rules if rule.get("ScheduleExpression") == "rate(5 minutes)"] == ["DISABLED"]
