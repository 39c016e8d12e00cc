from collections.abc import Iterator

import pytest

from tests import engine, moto_server
from tests.client import START, Api


@pytest.fixture
def served_bob(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """A caller with an API token, on an engine that is reached over HTTP and takes one request at a time."""
    from shared import auth
    from shared.aws.connection import connection

    # Two hundred requests queue up there for longer than DynamoDB ever takes.
    monkeypatch.setattr(connection(), "_read_timeout_seconds", 30)
    with moto_server.serve() as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        engine.forget()
        engine.build()
        yield Api(token=auth.issue_api_token("name:bob@example.com", "test", now=START))
    engine.forget()
