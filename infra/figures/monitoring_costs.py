"""Monthly cost of monitoring: alarms, metrics, the dashboard, the queries, the probe.

A section of docs/costs.md (costs.py). CloudWatch bills an alarm for each metric that it watches, and a custom metric
for each combination of dimensions, in the hours in which it gets values.
"""

from typing import Any

from infra.build import template
from infra.figures import footprints, prices
from infra.figures.footprints import FOOTPRINTS, KB
from infra.figures.prices import Line
from shared.domain import errors
from shared.runtime import metrics

RUNS = prices.MONTH * 24 * 60 // 5  # of the probe in a month
REQUESTS, VIEWS = 4, 2  # of a run: a create, a preview, a view, a failed view
ENTRIES = 3  # audit entries of a run: creation, view, failed_view
SECONDS = 1.0  # of a run, at most on average
STEPS = 6  # values of the dimension of `ProbeFailed`
# Above the tables of the page.
ABOUT = """\
An unused installation costs this much; nothing else has a monthly price, except the instance key (a secret). The
numbers of metrics are upper bounds: a metric without a value in an hour is free in that hour. Free quotas are not
deducted: an account's first 10 alarm metrics, 10 metrics and 3 dashboards. An alarm on an expression is counted once
for each metric in it: AWS says "per alarm metric", and we found no source for expressions."""
PROBES = "Probe"  # prefix of the probe's metrics


def base_costs() -> list[Line]:
    """Return the costs of any installation, whatever its traffic."""
    names = [name for name in metrics.UNITS if not name.startswith(PROBES)]
    alarms = [alarm for alarm in _alarms().values() if alarm.get("Condition") != "RunsProbe"]
    watched = sum(map(_metrics, alarms))
    refusals = len(_all_subclasses(errors.Refusal))
    return [
        Line("Alarms", f"{len(alarms)}, of {watched} metrics together", watched * prices.ALARM_METRIC_MONTH),
        Line("Metrics of our own", f"{len(names)}, each in every hour", len(names) * prices.METRIC_MONTH),
        Line("`Refused` by its reasons", f"{refusals} kinds, each in every hour", refusals * prices.METRIC_MONTH),
        Line("The dashboard", "1, of fewer than 50 metrics", prices.DASHBOARD_MONTH),
        Line("Saved queries", "free to keep; 10 GB read by them", 10 * prices.SCANNED_GB),
    ]


def probe_costs() -> list[Line]:
    """Return the costs that `ProbeRuns` adds."""
    requests = RUNS * REQUESTS
    events = RUNS * ENTRIES
    seconds = RUNS * SECONDS + (requests + events) * footprints.QUICK
    gb_seconds = seconds * float(template.defaults()["MemorySize"]) / KB
    units = RUNS * (sum(FOOTPRINTS["CreateRate"].units.values()) + VIEWS * sum(FOOTPRINTS["ViewRate"].units.values()))
    names = [name for name in metrics.UNITS if name.startswith(PROBES)]
    return [
        Line("HTTP API", f"{requests:,} requests of {RUNS:,} runs", requests * prices.GATEWAY_REQUEST),
        Line(
            "Lambda",
            f"{SECONDS:.0f} s each, {footprints.QUICK} s for each request and event",
            (RUNS + requests + events) * prices.FUNCTION_REQUEST + gb_seconds * prices.GB_SECOND,
        ),
        Line("Writes", f"{units:,} units", units * prices.WRITE_UNIT),
        Line("Reads", f"{footprints.READS} units a request", requests * footprints.READS * prices.READ_UNIT),
        Line("Events", f"{events:,}", events * prices.EVENT),
        Line(
            "Logs",
            f"{footprints.LOGGED:,} bytes a request, an event and a run",
            (RUNS + requests + events) * footprints.LOGGED / prices.GB * prices.LOG_GB,
        ),
        Line("Its alarm", "1", prices.ALARM_METRIC_MONTH),
        Line(
            "Its metrics", f"{len(names)}, and {STEPS} steps that may fail", (len(names) + STEPS) * prices.METRIC_MONTH
        ),
        Line("Its secret", "1, with `ProbeTokenArn`", prices.SECRET_MONTH),
    ]


def _alarms() -> dict[str, dict[str, Any]]:
    resources = template.load()["Resources"].items()
    return {name: one for name, one in resources if one["Type"] == "AWS::CloudWatch::Alarm"}


def _metrics(alarm: dict[str, Any]) -> int:
    metrics_watched = alarm["Properties"].get("Metrics", [alarm])
    return sum(1 for one in metrics_watched if "Expression" not in one)


def _all_subclasses(family: type[Exception]) -> set[type[Exception]]:
    subclasses = set(family.__subclasses__())
    return subclasses.union(*(_all_subclasses(kind) for kind in subclasses))
