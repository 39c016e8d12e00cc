"""The functions' output for each request: a line by Powertools' logger, and its counts by Powertools' metrics."""

import json
import logging
import os
import re
import subprocess
import sys
from datetime import datetime, timedelta
from typing import Any

import pytest

from infra.build import template
from shared.runtime import metrics
from shared.web import logs
from tests.drivers.client import Api, Context
from tests.engines import resources
from tests.meters import emf


def printed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_request_has_one_log_line_and_one_of_metrics(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.push()

    request, counted = printed(capsys)
    assert (request["message"], request["route"], request["status"]) == ("request", "POST /api/v2/pushes", 201)
    assert "_aws" not in request
    assert emf.values(json.dumps(counted), "Created") == [1.0]


def test_a_metric_with_a_reason_is_counted_in_total_and_by_reason(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.retrieve("nosuchtoken")

    _, counted = map(json.dumps, printed(capsys))
    assert emf.values(counted, "Refused") == [1.0]
    assert emf.values(counted, "Refused", reason="NotFound") == [1.0]


def test_each_reason_has_a_line_of_its_own(aws: None, capsys: pytest.CaptureFixture[str]) -> None:
    with metrics.collecting() as collected:
        for reason in ("Throttled", "", "Stopped", "Throttled"):
            metrics.count("MailUnsent", reason)
    logs.write_metrics(collected)

    lines = [json.dumps(line) for line in printed(capsys)]
    assert [emf.values(line, "MailUnsent") for line in lines] == [[1.0], [1.0], [1.0, 1.0]]
    assert emf.values("\n".join(lines), "MailUnsent", reason="Throttled") == [1.0, 1.0]


def test_a_line_is_neither_parsed_nor_given_its_thread_and_process(capsys: pytest.CaptureFixture[str]) -> None:
    logs.logger.info("1")
    record = logging.makeLogRecord({"msg": "1"})

    assert [line["message"] for line in printed(capsys)] == ["1"]
    assert (record.thread, record.process, record.processName) == (None, None, None)


def test_a_request_that_counts_nothing_prints_no_metric(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.get("/api/v2/version")

    [line] = printed(capsys)
    assert line["message"] == "request"


def test_a_metric_has_no_dimension_by_the_environment(
    api: Api, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "another")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "another")

    api.push()

    assert emf.values(capsys.readouterr().out, "Created") == [1.0]


@pytest.mark.parametrize(("times", "by_line"), [(99, [99]), (200, [100, 100]), (250, [100, 100, 50])])
def test_more_values_than_a_line_may_hold_are_all_printed_once(
    times: int, by_line: list[int], aws: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with metrics.collecting() as collected:
        for _ in range(times):
            metrics.count("Refused", "NotFound")
        metrics.count("Refused", "Throttled")
    logs.write_metrics(collected)

    lines = printed(capsys)
    assert [len(line["Refused"]) for line in lines] == [*by_line, 1]
    assert [line["reason"] for line in lines] == ["NotFound"] * len(by_line) + ["Throttled"]
    assert {str(line["_aws"]["CloudWatchMetrics"][0]["Dimensions"]) for line in lines} == {"[[], ['reason']]"}


def test_a_line_has_its_level_its_service_and_the_time_in_utc(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.get("/api/v2/version")

    [line] = printed(capsys)
    assert (line["level"], line["service"]) == ("INFO", "secret-sharing")
    assert datetime.fromisoformat(line["timestamp"]).utcoffset() == timedelta(0)


def test_a_line_with_any_content_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    logs.logger.error("request", extra={"route": "\ud800", "failure": [ValueError]})

    out = capsys.readouterr().out
    assert out.isascii()
    assert [line["failure"] for line in emf.requests(out)] == [["<class 'ValueError'>"]]


# The environment is read when a handler is loaded, so it needs a new process.
COLD = """
from tests.drivers.client import Api
for _ in range(2):
    Api().request("GET", "/api/v2/version", query="MARKER", headers={"user-agent": "MARKER"})
"""


def test_a_log_line_has_invocation_version_and_cold_start_but_no_event() -> None:
    ours = {"AWS_LAMBDA_FUNCTION_VERSION": "7", "POWERTOOLS_LOGGER_LOG_EVENT": "true", "POWERTOOLS_LOG_LEVEL": "DEBUG"}
    environment = resources.environment() | {"PATH": os.environ["PATH"]} | ours

    out = subprocess.check_output([sys.executable, "-c", COLD], cwd=template.ROOT, env=environment, text=True)

    lines = emf.requests(out)
    assert "MARKER" not in out
    assert [(line["version"], line["cold_start"]) for line in lines] == [("7", True), ("7", False)]
    assert {line["function_request_id"] for line in lines} == {Context.aws_request_id}
    assert {line["function_name"] for line in lines} == {Context.function_name}


def test_a_background_function_logs_the_same_way(capsys: pytest.CaptureFixture[str]) -> None:
    logs.lambda_handler(lambda _event, _context: logs.logger.info("record"))({}, Context())

    [line] = printed(capsys)
    assert (line["message"], line["function_request_id"]) == ("record", Context.aws_request_id)
    assert not logging.getLogger("aws_lambda_powertools").isEnabledFor(logging.INFO)


# The language of CloudWatch Logs Insights, and the names of computed fields in the saved queries.
INSIGHTS = {"filter", "ispresent", "stats", "count", "max", "pct", "as", "by", "sort", "desc", "or", "limit"}
COMPUTED = {"times", "last", "p"}


def test_the_saved_queries_ask_for_keys_that_the_lines_have(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    queries = template.resources("AWS::Logs::QueryDefinition").values()
    asked = [one["QueryString"] for one in queries if one["LogGroupNames"] == [{"Ref": "FunctionLogs"}]]

    api.retrieve("nosuchtoken")
    resources.client("dynamodb").delete_table(TableName="test-Pushes")
    api.retrieve("nosuchtoken")

    keys = {key for line in printed(capsys) for key in line}
    for query in asked:
        words = set(re.findall(r"@?[a-z_]+", re.sub('"[^"]*"|@[a-zA-Z]+', "", query)))
        assert words - INSIGHTS - COMPUTED <= keys
    assert len(asked) == 4
