"""Evaluate an alarm of template.yaml on the datapoints of its metrics, as CloudWatch does.

Sources: CloudWatch user guide, "Using Amazon CloudWatch alarms" (evaluation, missing data) and "Using metric math"
(FILL, MAX, SUM, METRICS: of several metrics each gives one series). A period is a list of values; an empty one is
missing data.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from infra.build import template

ALARM, OK, INSUFFICIENT = "ALARM", "OK", "INSUFFICIENT_DATA"
Periods = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Metric:
    """A metric by its AWS name; dimensions are the template's, for example {"Ref": "Api"}, as text."""

    namespace: str
    name: str
    dimensions: frozenset[tuple[str, str]] = frozenset()


def alarms() -> dict[str, dict[str, Any]]:
    """Return the properties of every alarm, by logical id."""
    return template.resources("AWS::CloudWatch::Alarm")


def metrics(name: str) -> dict[str, Metric]:
    """Return an alarm's metrics, by their ids in its expression, or the only one."""
    alarm = alarms()[name]
    if "Metrics" not in alarm:
        return {"": _metric(alarm)}
    return {one["Id"]: _metric(one["MetricStat"]["Metric"]) for one in _parts(alarm) if "MetricStat" in one}


def dashboard() -> str:
    """Return the dashboard's JSON for an installation with mail."""
    [dashboard] = template.resources("AWS::CloudWatch::Dashboard").values()
    body, additions = dashboard["DashboardBody"]["Fn::Sub"]
    for name, addition in additions.items():
        body = body.replace(f"${{{name}}}", addition["Fn::If"][1]["Fn::Sub"])
    return str(body)


def state(name: str, values: dict[Metric, Periods]) -> str:
    """Return the alarm's state after these periods."""
    alarm = alarms()[name]
    count = alarm["EvaluationPeriods"]
    points = _points(name, alarm, values)[-count:]
    points = [*([None] * (count - len(points))), *points]
    breaching = [_is_missing_breach(alarm) if point is None else _breaches(alarm, point) for point in points]
    return ALARM if sum(breaching) >= alarm.get("DatapointsToAlarm", count) else OK


def _parts(alarm: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of an alarm's expression, with every condition true."""
    return [one["Fn::If"][1] if "Fn::If" in one else one for one in alarm["Metrics"]]


def _points(name: str, alarm: dict[str, Any], values: dict[Metric, Periods]) -> list[float | None]:
    watched = metrics(name)
    if "Metrics" not in alarm:
        statistic = alarm.get("ExtendedStatistic") or alarm["Statistic"]
        return [_statistic(statistic, period) for period in values.get(watched[""], [])]
    [expression] = [resolved(one["Expression"]) for one in _parts(alarm) if "Expression" in one]
    stats = {one["Id"]: one["MetricStat"]["Stat"] for one in _parts(alarm) if "MetricStat" in one}
    length = max(len(periods) for periods in values.values())
    found: list[float | None] = []
    for number in range(length):
        series = [
            _statistic(stats[id_], values[metric][number]) if metric in values else None
            for id_, metric in watched.items()
        ]
        found.append(_calculated(expression, series))
    return found


def _calculated(expression: str, series: list[float | None]) -> float:
    def fill(points: list[float | None], instead: float) -> list[float]:
        return [instead if point is None else point for point in points]

    functions = {"FILL": fill, "METRICS": lambda: series, "SUM": sum, "MAX": max}
    assert set(re.findall(r"[A-Za-z]+", expression)) <= functions.keys(), expression
    return float(eval(expression, {"__builtins__": {}}, functions))  # the template's own expression


def _statistic(statistic: str, period: Sequence[float]) -> float | None:
    if not period:
        return None
    if statistic.startswith("p"):
        return sorted(period)[math.ceil(float(statistic[1:]) / 100 * len(period)) - 1]
    return float(sum(period) if statistic == "Sum" else max(period))


def _breaches(alarm: dict[str, Any], point: float) -> bool:
    assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
    return point > float(resolved(alarm["Threshold"]))


def _is_missing_breach(alarm: dict[str, Any]) -> bool:
    return bool(alarm["TreatMissingData"] == "breaching")


def resolved(value: Any) -> Any:
    """Return a value of the template with the defaults of its parameters."""
    match value:
        case {"Ref": name}:
            return template.defaults().get(name, f"test-{name}")
        case {"Fn::Sub": str(text)}:
            return re.sub(r"\$\{(\w+)\}", lambda found: template.defaults()[found[1]], text)
    return value


def _metric(named: dict[str, Any]) -> Metric:
    dimensions = frozenset((one["Name"], str(one["Value"])) for one in named.get("Dimensions", []))
    return Metric(resolved(named["Namespace"]), named["MetricName"], dimensions)
