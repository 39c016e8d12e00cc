"""The log, what it may say of an error, and the log levels of the libraries."""

import json
import logging
import os
import sys
import time
import traceback
from itertools import groupby
from typing import Any

from aws_lambda_powertools import Logger

from shared import metrics, process, settings

# At DEBUG the SDK prints what it sends and gets: the instance key, passwords, payloads. One click in Lambda's console
# (LoggingConfig.ApplicationLogLevel) sets the root logger to DEBUG; levels of their own hold all the same.
_LIBRARIES = (
    *("asyncio", "aws_lambda_powertools", "bcdocs", "boto3", "botocore"),
    *("concurrent", "jinja2", "pynamodb", "s3transfer", "urllib3"),
)
for _library in _LIBRARIES:
    logging.getLogger(_library).setLevel(logging.WARNING)

logger = Logger(service="secret-sharing")


def described(error: BaseException) -> list[str]:
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


def write_metrics(collected: metrics.Collected) -> None:
    """Print what was collected in CloudWatch's embedded metric format, a line for each reason, one for the totals."""

    def by_reason(entry: tuple[tuple[str, str], list[float]]) -> str:
        return entry[0][1]

    for reason, entries in groupby(sorted(collected.items(), key=by_reason), key=by_reason):
        values = {name: found for (name, _), found in entries}
        directive = {
            "Namespace": settings.current().metrics_namespace,
            "Dimensions": [["reason"] if reason else []],
            "Metrics": [{"Name": name, "Unit": metrics.UNITS[name]} for name in values],
        }
        head = {"_aws": {"Timestamp": time.time_ns() // 1_000_000, "CloudWatchMetrics": [directive]}}
        line = json.dumps(head | values | ({"reason": reason} if reason else {}), separators=(",", ":"))
        sys.stdout.write(f"{line}\n")
