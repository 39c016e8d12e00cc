"""What the endpoints' own tests do not show of an owner's lists."""

from datetime import timedelta

from shared.aws import lists
from shared.domain import seal
from shared.domain.audit import AuditKind
from tests.client import START, Api

OWNER = "name:bob@example.com"
MILLISECOND = timedelta(milliseconds=1)


def test_what_expired_at_the_moment_asked_from_is_not_listed(bob: Api) -> None:
    bob.expire(bob.push())

    after, at_once = (
        lists.expired(OWNER, 1, now=START, since=START - early) for early in (MILLISECOND, 0 * MILLISECOND)
    )

    assert (len(after[0]), at_once) == (1, ([], False))


def test_an_audit_entry_has_its_kind_as_a_kind(bob: Api) -> None:
    url_token = bob.push()

    [entry], _ = lists.audit_log(seal.digest(url_token), 1)

    assert entry.kind is AuditKind.CREATION
