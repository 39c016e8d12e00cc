"""Powertools' Logger and Metrics, set up once for all functions, and what a log line may say of an error."""

import json
import logging
import os
import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics

from shared.runtime import metrics, process, settings

# At DEBUG the SDK prints what it sends and gets: the instance key, passwords, payloads. One click in Lambda's console
# (LoggingConfig.ApplicationLogLevel) sets the root logger to DEBUG; levels of their own hold all the same. Set after
# the imports: with POWERTOOLS_DEBUG, Powertools sets its own to DEBUG when it is loaded.
_LIBRARIES = (
    "asyncio",
    "aws_lambda_powertools",
    "bcdocs",
    "boto3",
    "botocore",
    "concurrent",
    "jinja2",
    "pynamodb",
    "s3transfer",
    "urllib3",
)
for _library in _LIBRARIES:
    logging.getLogger(_library).setLevel(logging.WARNING)

logger = Logger(
    service="secret-sharing",
    version=os.environ.get("AWS_LAMBDA_FUNCTION_VERSION"),
    utc=True,
    use_rfc3339=True,
    # In ASCII: standard output might refuse other characters, such as half of a surrogate pair, and the line be lost.
    json_serializer=json.JSONEncoder(separators=(",", ":"), default=str).encode,
)


def lambda_handler(handle: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the handler as Lambda calls it: its log lines name the invocation and say whether it was a cold start.

    The event is never logged, even where POWERTOOLS_LOGGER_LOG_EVENT asks for it.
    """

    @wraps(handle)
    def handle_invocation(event: Any, context: Any) -> Any:
        try:
            return handle(event, context)
        finally:
            process.resume_garbage_collection()

    return logger.inject_lambda_context(handle_invocation, log_event=False)


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


def write_metrics(collected: metrics.Collected) -> None:
    """Print what was collected: a line for what has no reason, and one for each reason, which counts in all as well."""
    # An empty service, or POWERTOOLS_SERVICE_NAME would become a dimension, and the alarms watch metrics without one.
    emf = EphemeralMetrics(namespace=settings.current().metrics_namespace, service="")
    for reason in sorted({reason for _, reason in collected}):
        if reason:
            emf.add_dimensions(reason=reason)
        for (name, of), values in collected.items():
            for value in values if of == reason else ():
                emf.add_metric(name, metrics.UNITS[name], value)
        if emf.metric_set:  # not so after each hundredth value of a metric, where Powertools has flushed by itself
            emf.flush_metrics()
        emf.clear_metrics()
