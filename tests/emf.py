"""Reads printed lines as CloudWatch does: the embedded metric format.

Source: CloudWatch user guide, "Specification: Embedded metric format".
"""

import json
from typing import Any


def lines(printed: str) -> list[dict[str, Any]]:
    """The lines that CloudWatch takes metrics from."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{") and '"_aws"' in line]


def requests(printed: str) -> list[dict[str, Any]]:
    """The lines that say what a request was."""
    found = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return [line for line in found if line.get("message") == "request"]


def values(printed: str, metric: str, **dimensions: str) -> list[float]:
    """All values of a metric with exactly these dimensions, of the namespace that the functions are told."""
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
