"""Powertools' Logger and Metrics, configured once for all functions, so that no line has an event or a message."""

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

# At DEBUG the SDK logs requests and responses, with the instance key, passwords and payloads. One click in Lambda's
# console (LoggingConfig.ApplicationLogLevel) sets the root logger to DEBUG; these loggers keep a level of their own.
# Set after the imports, because with POWERTOOLS_DEBUG Powertools sets its logger to DEBUG when it is imported.
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

# No line shows thread or process, so do not look them up (Logging HOWTO, "Optimization").
logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False

logger = Logger(
    service="secret-sharing",
    version=os.environ.get("AWS_LAMBDA_FUNCTION_VERSION"),
    utc=True,
    use_rfc3339=True,
    json_deserializer=str,  # Powertools would try to parse each message as JSON
    # ASCII only: standard output rejects a lone surrogate, and the line would be lost.
    json_serializer=json.JSONEncoder(separators=(",", ":"), default=str).encode,
)


def lambda_handler(handle: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Decorate a Lambda handler: its log lines get the request id and the cold-start flag.

    The event is never logged, not even with POWERTOOLS_LOGGER_LOG_EVENT.
    """

    @wraps(handle)
    def handle_invocation(event: Any, context: Any) -> Any:
        try:
            return handle(event, context)
        finally:
            process.resume_garbage_collection()

    return logger.inject_lambda_context(handle_invocation, log_event=False)


def describe_error(error: BaseException) -> list[str]:
    """Return one line for each error in the chain: class, AWS error code and stack frames.

    Messages are left out, because AWS's may quote the rejected value.
    """
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
    """Print the collected metrics in EMF: one line without a reason, and one for each reason."""
    for reason in sorted({reason for _, reason in collected}):
        # An empty service: otherwise POWERTOOLS_SERVICE_NAME would be a dimension, and the alarms expect none.
        emf = EphemeralMetrics(namespace=settings.current().metrics_namespace, service="")
        if reason:
            emf.add_dimensions(reason=reason)
        for (name, of), values in collected.items():
            for value in values if of == reason else ():
                emf.add_metric(name, metrics.UNITS[name], value)
        if emf.metric_set:  # empty after every 100th value of a metric: Powertools has flushed by itself
            emf.flush_metrics()
