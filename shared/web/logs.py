"""The log, what it may say of an error, and the log levels of the libraries."""

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from shared.runtime import metrics, process, settings

SERVICE = "secret-sharing"
# In ASCII, and with a text for what JSON lacks: a line that could not be printed would cost the caller the answer.
_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode
# At DEBUG the SDK prints what it sends and gets: the instance key, passwords, payloads. One click in Lambda's console
# (LoggingConfig.ApplicationLogLevel) sets the root logger to DEBUG; levels of their own hold all the same.
_LIBRARIES = (
    *("asyncio", "bcdocs", "boto3", "botocore"),
    *("concurrent", "jinja2", "pynamodb", "s3transfer", "urllib3"),
)
for _library in _LIBRARIES:
    logging.getLogger(_library).setLevel(logging.WARNING)


def describe_error(error: BaseException) -> list[str]:
    """What failed and where, a line for each error of the chain. No message: AWS's may quote what it refused."""
    chain = []
    cause: BaseException | None = error
    while cause is not None:
        answer = getattr(cause, "response", None)
        code = answer.get("Error", {}).get("Code", "") if isinstance(answer, dict) else ""
        frames = reversed(traceback.extract_tb(cause.__traceback__))
        places = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
        chain.append(" < ".join([f"{type(cause).__name__} {code}".strip(), *places]))
        cause = cause.__cause__
    return chain


def invocation(context: Any) -> dict[str, Any]:
    """What a line says of the invocation: Lambda's id of it, which function and version, and whether it was cold."""
    return {
        "function": os.environ.get("AWS_LAMBDA_FUNCTION_NAME", ""),
        "version": os.environ.get("AWS_LAMBDA_FUNCTION_VERSION", ""),
        "invocation": getattr(context, "aws_request_id", ""),
        "cold_start": process.begin_serving(),
    }


def write_request(level: str, fields: Mapping[str, Any], collected: metrics.Collected) -> None:
    """Print what a request was and what was counted meanwhile, in one line with the keys that Powertools' logger has.

    CloudWatch takes metrics from any such line that is in its embedded metric format.
    """
    timestamp = datetime.now(UTC).isoformat(timespec="milliseconds")
    head = {"level": level, "message": "request", "timestamp": timestamp, "service": SERVICE}
    _print({**head, **fields, **_emf(collected, "")})
    _write_by_reason(collected)


def write_metrics(collected: metrics.Collected) -> None:
    """Print what was collected in CloudWatch's embedded metric format, a line for each reason, one for the totals."""
    if collected:
        _print(_emf(collected, ""))
    _write_by_reason(collected)


def _write_by_reason(collected: metrics.Collected) -> None:
    for reason in sorted({reason for _, reason in collected if reason}):
        _print({**_emf(collected, reason), "reason": reason})


def _emf(collected: metrics.Collected, wanted: str) -> dict[str, Any]:
    """The metrics of one reason, or the totals where it is empty; nothing where there are none."""
    values = {name: found for (name, reason), found in collected.items() if reason == wanted}
    if not values:
        return {}
    directive = {
        "Namespace": settings.current().metrics_namespace,
        "Dimensions": [["reason"] if wanted else []],
        "Metrics": [{"Name": name, "Unit": metrics.UNITS[name]} for name in values],
    }
    return {"_aws": {"Timestamp": time.time_ns() // 1_000_000, "CloudWatchMetrics": [directive]}, **values}


def _print(line: Mapping[str, Any]) -> None:
    sys.stdout.write(f"{_encode(line)}\n")
