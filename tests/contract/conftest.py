from collections.abc import Iterator

import pytest

from tests.drivers.client import START, Api
from tests.engines import moto_server, resources


@pytest.fixture(scope="session")
def served() -> Iterator[str]:
    """Run a moto that takes one request at a time. A start takes longer than most of its tests."""
    with moto_server.serve() as endpoint:
        yield endpoint


@pytest.fixture
def served_bob(served: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """Return a caller with an API token, on an engine over HTTP that takes one request at a time."""
    from shared.aws import backoff
    from shared.aws.connection import connection
    from shared.identity import auth
    from shared.runtime import deadline

    # Sixty requests that queue, and that conflict until their turn, may take longer than AWS ever does.
    monkeypatch.setattr(connection(), "_read_timeout_seconds", 120)
    monkeypatch.setattr(deadline, "READ_TIMEOUT", 120)
    monkeypatch.setattr(backoff, "PATIENCE", 600)
    moto_server.empty(served)
    monkeypatch.setenv("AWS_ENDPOINT_URL", served)
    resources.forget()
    resources.build()
    yield Api(token=auth.issue_api_token("name:bob@example.com", "test", now=START))
    resources.forget()
