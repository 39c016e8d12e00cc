"""Details of a use case that the endpoints' own tests cannot show, because the edge rejects first."""

from collections.abc import Callable

import pytest

from shared.domain import errors
from shared.domain.audit import Caller
from shared.service import pushes
from tests.drivers.client import START

ANONYMOUS = Caller()


@pytest.mark.parametrize(
    "ask",
    [
        lambda: pushes.find_owned("nosuchtoken", ANONYMOUS, now=START),
        lambda: pushes.active_pushes(ANONYMOUS, 1, now=START),
        lambda: pushes.expired_pushes(ANONYMOUS, 1, now=START),
    ],
    ids=["a record", "active pushes", "expired pushes"],
)
def test_an_owner_s_endpoint_rejects_the_anonymous_before_any_read(aws: None, ask: Callable[[], object]) -> None:
    with pytest.raises(errors.Unauthenticated):
        ask()
