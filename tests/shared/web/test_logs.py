"""What functions print: one line for a request with its metrics, in the form of the lines that Powertools writes."""

import json
from datetime import datetime, timedelta

import pytest

from shared.web import background, logs
from tests.drivers.client import Api
from tests.meters import emf


def test_a_request_and_what_it_counts_are_one_line(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.push()

    [line] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (line["message"], line["route"], line["status"]) == ("request", "POST /api/v2/pushes", 201)
    assert emf.values(json.dumps(line), "Created") == [1.0]


def test_what_has_a_reason_is_counted_by_it_in_a_further_line(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.retrieve("nosuchtoken")

    request, by_reason = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "reason" not in request
    assert emf.values(json.dumps(request), "Refused") == [1.0]
    assert emf.values(json.dumps(by_reason), "Refused", reason="NotFound") == [1.0]


def test_a_request_that_counts_nothing_prints_no_metric(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.get("/api/v2/version")

    out = capsys.readouterr().out
    assert len(emf.requests(out)) == 1
    assert emf.lines(out) == []


def test_the_lines_of_functions_that_nobody_waits_for_begin_alike(
    api: Api, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    api.get("/api/v2/version")
    [request] = emf.requests(capsys.readouterr().out)
    background.logger.info("record")
    record = json.loads(emf.as_printed(caplog.records[-1]))

    assert (record["message"], record["level"], record["service"]) == ("record", request["level"], request["service"])
    moments = [datetime.fromisoformat(line["timestamp"]) for line in (request, record)]
    assert [moment.utcoffset() for moment in moments] == [timedelta(0)] * 2
    assert len(request["timestamp"]) == len(record["timestamp"])


def test_a_line_is_printed_whatever_stands_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    logs.write_request("ERROR", {"route": "\ud800", "failure": [ValueError]}, {})

    out = capsys.readouterr().out
    assert out.isascii()
    assert [line["failure"] for line in emf.requests(out)] == [["<class 'ValueError'>"]]
