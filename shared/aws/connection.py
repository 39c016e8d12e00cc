"""The client that all tables share; each try of a call keeps the deadline."""

from functools import cache
from typing import Any

from pynamodb.connection import Connection

from shared import deadline, settings


class _Connection(Connection):
    """PynamoDB registers `_before_send` with each client that it makes; it has no public way to add a hook."""

    def _before_send(self, request: Any, **event: Any) -> None:
        deadline.check()
        super()._before_send(request, **event)


@cache
def connection() -> Connection:
    """One client for all tables: PynamoDB would make one for each, and making one takes time in a cold start."""
    return _Connection(
        region=settings.current().region,
        connect_timeout_seconds=deadline.CONNECT_TIMEOUT,
        read_timeout_seconds=deadline.READ_TIMEOUT,
        max_retry_attempts=deadline.TRIES - 1,
    )
