"""The session that all clients share, and the client that all tables share; each try of a call keeps the deadline."""

from functools import cache

import botocore.session
from pynamodb.connection import Connection

from shared.runtime import deadline, settings


@cache
def session() -> botocore.session.Session:
    """One session for all clients: what the SDK knows of AWS is read and parsed once in a cold start."""
    shared = botocore.session.get_session()
    shared.register("before-send.*.*", deadline.check)
    return shared


class _Connection(Connection):
    """PynamoDB's connection, on the session that all clients share."""

    @property
    def session(self) -> botocore.session.Session:
        return session()


@cache
def connection() -> Connection:
    """One client for all tables: PynamoDB would make one for each, and making one takes time in a cold start."""
    return _Connection(
        region=settings.current().region,
        connect_timeout_seconds=deadline.CONNECT_TIMEOUT,
        read_timeout_seconds=deadline.READ_TIMEOUT,
        max_retry_attempts=deadline.TRIES - 1,
    )
