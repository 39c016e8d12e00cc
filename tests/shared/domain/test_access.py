import pytest

from shared.domain import access, errors
from shared.domain.audit import Caller
from tests.shared.domain.test_push import PUSH


@pytest.mark.parametrize(
    ("owner", "deletable", "caller"),
    [("bob", False, "bob"), ("bob", True, "eve"), ("bob", True, None), (None, True, None)],
)
def test_the_owner_may_expire_a_push_and_anybody_if_it_is_deletable(
    owner: str | None, deletable: bool, caller: str | None
) -> None:
    access.check_may_expire(PUSH._replace(owner=owner, deletable_by_viewer=deletable), Caller(owner=caller))


@pytest.mark.parametrize(
    ("owner", "caller", "refusal"),
    [
        ("bob", "eve", errors.Forbidden),
        ("bob", None, errors.Unauthenticated),
        (None, None, errors.Unauthenticated),
        (None, "bob", errors.Forbidden),
    ],
)
def test_nobody_else_may_expire_a_push(owner: str | None, caller: str | None, refusal: type[errors.Refusal]) -> None:
    push = PUSH._replace(owner=owner, deletable_by_viewer=False)

    with pytest.raises(refusal, match="Only the sender may delete this"):
        access.check_may_expire(push, Caller(owner=caller))


def test_a_push_past_its_retention_is_not_found() -> None:
    assert access.require_existing(PUSH, PUSH.expires_at) is PUSH
    with pytest.raises(errors.NotFound):
        access.require_existing(PUSH, PUSH.purge_at)
