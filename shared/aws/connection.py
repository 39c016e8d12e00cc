"""The session that all clients share, and the client that all tables share; each try of a call keeps the deadline."""

from functools import cache
from typing import Any

import botocore.session
from pynamodb.connection import Connection

from shared.runtime import deadline, settings


@cache
def session() -> botocore.session.Session:
    """One session for all clients: what the SDK knows of AWS is read and parsed once in a cold start."""
    return botocore.session.get_session()


class _Connection(Connection):
    """PynamoDB registers `_before_send` with each client that it makes; it has no public way to add a hook."""

    @property
    def session(self) -> botocore.session.Session:
        return session()

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
