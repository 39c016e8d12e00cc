"""The deployed probe calls the running stack by its base URL."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from infra.local.stack import Stack
from tests.e2e import aws
from tests.e2e.test_files import eventually
from tests.meters import emf


def probed(stack: Stack) -> str:
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


def test_the_probe_succeeds_on_a_stack_that_works_and_its_metrics_are_in_the_log(stack: Stack) -> None:
    assert eventually(lambda: probed(stack) == "")

    [line] = emf.lines(metrics(stack)[-1].strip())
    assert (line["ProbeSucceeded"], line["ProbeFailed"]) == ([1.0], [0.0])


def test_the_probe_names_the_step_that_is_broken_and_succeeds_once_it_is_mended(stack: Stack) -> None:
    with broken(stack, "RetrievePush"):
        assert eventually(lambda: probed(stack) == "Retrieve")

    assert eventually(lambda: probed(stack) == "")


def test_the_probe_does_not_run_by_itself_unless_it_is_told_to(stack: Stack) -> None:
    rules = stack.emulator.client("events").list_rules()["Rules"]

    assert [rule["State"] for rule in rules if rule.get("ScheduleExpression") == "rate(5 minutes)"] == ["DISABLED"]
