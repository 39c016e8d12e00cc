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
An unused installation costs this much. The numbers of metrics are upper bounds: a metric without a value in an hour is
free in that hour. Free quotas are not deducted: an account's first 10 alarm metrics, 10 metrics, 3 dashboards and
million SQS requests. An alarm on an expression is counted once for each metric in it: AWS says "per alarm metric", and
we found no source for expressions. S3 and the tables encrypt without a price."""
_POLLS = 5 * 3 * 60 * 24 * prices.MONTH  # five pollers, each waits 20 s ("Using Lambda with Amazon SQS")
PROBES = "Probe"  # prefix of the probe's metrics


def base_costs() -> list[Line]:
    """Return the costs of every installation, even without traffic."""
    names = [name for name in metrics.UNITS if not name.startswith(PROBES)]
    alarms = [alarm for alarm in _alarms().values() if alarm.get("Condition") != "RunsProbe"]
    watched = sum(map(_metrics, alarms))
    refusals = len(_all_subclasses(errors.Refusal))
    events = [event for one in template.functions().values() for event in one.get("Events", {}).values()]
    queues = sum(event["Type"] == "SQS" for event in events)
    return [
        Line("Alarms", f"{len(alarms)}, of {watched} metrics together", watched * prices.ALARM_METRIC_MONTH),
        Line("Metrics of our own", f"{len(names)}, each in every hour", len(names) * prices.METRIC_MONTH),
        Line("`Refused` by its reasons", f"{refusals} kinds, each in every hour", refusals * prices.METRIC_MONTH),
        Line("The dashboard", "1, of fewer than 50 metrics", prices.DASHBOARD_MONTH),
        Line("Saved queries", "free to keep; 10 GB read by them", 10 * prices.SCANNED_GB),
        Line("Empty queues", f"{queues}, each polled {_POLLS:,} times by Lambda", queues * _POLLS * prices.MESSAGE),
        Line("The instance key", "1 secret", prices.SECRET_MONTH),
    ]


def front_costs() -> list[Line]:
    """Return the costs of infra/front.yaml, with a million requests."""
    rules = len(template.read(template.ROOT / "infra" / "front.yaml")["Resources"]["WebAcl"]["Properties"]["Rules"])
    return [
        Line("Firewall", f"1 web ACL, {rules} rules", prices.WEB_ACL_MONTH + rules * prices.RULE_MONTH),
        Line("The origin secret", "1 secret", prices.SECRET_MONTH),
        Line("Firewall, requests", "a million", prices.MILLION * prices.FIREWALL_REQUEST),
        Line("CloudFront, requests", "a million; its transfer replaces that above", 1e6 * prices.CLOUDFRONT_REQUEST),
    ]


def probe_costs() -> list[Line]:
    """Return the costs that `ProbeToken` adds."""
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
        Line("Its secret", "1, if `ProbeToken` names it", prices.SECRET_MONTH),
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
