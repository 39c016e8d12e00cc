"""The log, what it may say of an error, and the log levels of the libraries."""

import logging
import traceback

from aws_lambda_powertools import Logger

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
