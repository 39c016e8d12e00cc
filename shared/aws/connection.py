"""The session shared by all clients, and the client shared by all tables; each try of a call keeps the deadline."""

from functools import cache
from typing import Any

import botocore.session
from pynamodb.connection import Connection

from shared.runtime import deadline, metrics, settings

# "Error handling with DynamoDB" and "TransactWriteItems" (CancellationReasons), in the DynamoDB guides.
_THROTTLED = {
    *("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"),
    *("ProvisionedThroughputExceeded", "ThrottlingError"),
}


@cache
def session() -> botocore.session.Session:
    """Return the session that all clients share, so that a cold start reads the SDK's data files only once."""
    shared = botocore.session.get_session()
    shared.register("before-send.*.*", deadline.check)
    shared.register("response-received.dynamodb.*", _count_throttled)
    return shared


def _count_throttled(parsed_response: dict[str, Any] | None, **_event: Any) -> None:
    """Count a response in which DynamoDB throttled anything; each try of a call has its own."""
    response = parsed_response or {}
    reasons = [response.get("Error", {}), *response.get("CancellationReasons", [])]
    if response.get("UnprocessedKeys") or _THROTTLED & {reason.get("Code") for reason in reasons}:
        metrics.count("Throttled")


class _Connection(Connection):
    """PynamoDB's connection, on the session that all clients share."""

    @property
    def session(self) -> botocore.session.Session:
        return session()


@cache
def connection() -> Connection:
    """Return the client that all tables share. PynamoDB would create one for each table, which slows a cold start."""
    return _Connection(
        region=settings.current().region,
        connect_timeout_seconds=deadline.CONNECT_TIMEOUT,
        read_timeout_seconds=deadline.READ_TIMEOUT,
        max_retry_attempts=deadline.TRIES - 1,
    )


def client() -> Any:
    """Return the SDK's client behind `connection`, for transactions and batch reads."""
    return connection().client
