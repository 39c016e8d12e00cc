"""Read printed lines as CloudWatch does: the embedded metric format.

Source: CloudWatch user guide, "Specification: Embedded metric format".
"""

import json
import logging
from typing import Any

from shared.web import logs


def lines(printed: str) -> list[dict[str, Any]]:
    """Return the lines with metrics for CloudWatch."""
    return [line for line in _documents(printed) if "_aws" in line]


def requests(printed: str) -> list[dict[str, Any]]:
    """Return the log lines of requests."""
    return [line for line in _documents(printed) if line.get("message") == "request"]


def _documents(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def as_printed(record: logging.LogRecord) -> str:
    """Return the line that a function prints for a record."""
    return logs.logger.registered_formatter.format(record)


def values(printed: str, metric: str, **dimensions: str) -> list[float]:
    """Return all values of a metric with exactly these dimensions, in the functions' namespace."""
    found: list[float] = []
    for line in lines(printed):
        for directive in line["_aws"]["CloudWatchMetrics"]:
            if directive["Namespace"] != NAMESPACE or metric not in {named["Name"] for named in directive["Metrics"]}:
                continue
            sets = [{name: line[name] for name in names} for names in directive["Dimensions"]]
            if dimensions in sets:
                found += line[metric] if isinstance(line[metric], list) else [line[metric]]
    return found


NAMESPACE = "test-AWS::StackName"
