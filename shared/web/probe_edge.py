"""The edge of the probe: its result becomes metrics and one log line, without links or responses."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from shared.runtime import metrics
from shared.service import probe
from shared.web.logs import describe_error, lambda_handler, logger, write_metrics


def probe_handler(work: Callable[[], None]) -> Callable[[Any, Any], dict[str, str]]:
    """Return a handler that runs the probe and counts its result. It returns the failed step, or an empty string."""

    @lambda_handler
    @wraps(work)
    def handle(_event: Any, _context: Any) -> dict[str, str]:
        with metrics.collecting() as collected:
            began = time.monotonic()
            line = _outcome(work)
            seconds = time.monotonic() - began
            _count(line.get("step", ""), seconds)
        line |= {"milliseconds": round(seconds * 1000)}
        (logger.error if "failure" in line else logger.info)("probe", extra=line)
        write_metrics(collected)
        return {"failed": line.get("step", "")}

    return handle


def _outcome(work: Callable[[], None]) -> dict[str, Any]:
    """Run the probe and return the fields to log: the failed step, or nothing after success."""
    try:
        work()
    except probe.Failed as failed:
        return {"step": failed.step, "status": failed.status, "failure": describe_error(failed)}
    except Exception as error:  # noqa: BLE001 (its message may hold the API token)
        return {"step": "Probe", "failure": describe_error(error)}
    return {}


def _count(step: str, seconds: float) -> None:
    metrics.measure("ProbeTime", seconds)
    if step:
        metrics.count("ProbeFailed", step)
    else:
        # Send a 0 after success, so that the alarm can treat missing data as a failure.
        metrics.measure("ProbeFailed", 0.0)
        metrics.count("ProbeSucceeded")
