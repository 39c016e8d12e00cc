"""An owner's pushes and a push's audit log in DynamoDB, a page at a time, for much the same cost on every page.

The indexes follow their table with a lag, so each push of a page is read from the table itself.
"""

from collections.abc import Sequence
from datetime import datetime

from shared.aws import log_pages, reads
from shared.aws.attributes import MILLISECOND
from shared.aws.indexes import ActiveByCreation, ByOwner
from shared.aws.items import domain
from shared.aws.ranges import Range, Row
from shared.aws.tables import AuditEntries
from shared.domain.audit import AuditEntry, AuditKind
from shared.domain.limits import MAX_PAGE, PAGE_SIZE
from shared.domain.push import Push

_WITH_NEXT = PAGE_SIZE + 1  # rows of a page, and one that tells that another page follows


def active_pushes(owner: str, page: int, *, now: datetime) -> tuple[list[Push], bool]:
    """A page of the owner's active pushes, newest-created first, and whether another page follows."""
    push_ids = _few_active(owner, now) if page == 1 else None
    if push_ids is None:
        push_ids = _many_active(owner, page, now)
    pushes = reads.find_all(push_ids[:PAGE_SIZE])
    return [push for push in pushes if not push.is_expired(now)], len(push_ids) > PAGE_SIZE


def expired_pushes(owner: str, page: int, *, now: datetime, since: datetime) -> tuple[list[Push], bool]:
    """A page of the owner's pushes that expired after `since`, last expired first, and whether another page follows."""
    rows = Range(ByOwner.Meta.index_name, owner, ByOwner.expires_at.between(since + MILLISECOND, now))
    push_ids, _ = rows.ids((page - 1) * PAGE_SIZE, _WITH_NEXT)
    pushes = reads.find_all(push_ids[:PAGE_SIZE])
    return [push for push in pushes if not push.is_purged(now)], len(push_ids) > PAGE_SIZE


def audit_entries(push: Push, page: int) -> tuple[list[AuditEntry], bool]:
    """A page of the push's audit log, oldest first, and whether another page follows."""
    if push.entries > PAGE_SIZE and not _has_unpaged(push.id):
        in_page = AuditEntries.at.startswith(log_pages.prefix(page))
        rows = list(AuditEntries.query(push.id, in_page, consistent_read=True))
        more = push.entries > page * PAGE_SIZE
    else:
        rows = list(AuditEntries.query(push.id, consistent_read=True, limit=page * PAGE_SIZE + 1))
        more = len(rows) > page * PAGE_SIZE
        # Entries of a release before this one lie before those of this one, whatever their moments.
        rows = sorted(rows[(page - 1) * PAGE_SIZE : page * PAGE_SIZE], key=lambda row: row.created_at)
    entries = [domain(row.attribute_values, AuditEntry) for row in rows]
    return [entry._replace(kind=AuditKind(entry.kind)) for entry in entries], more


def _few_active(owner: str, now: datetime) -> list[str] | None:
    """The ids of all active pushes, newest first, None when there are more than fit a page."""
    rows, are_all = _by_age(owner, now).first(_WITH_NEXT)
    return _newest_first(rows) if are_all else None


def _many_active(owner: str, page: int, now: datetime) -> list[str]:
    """The ids of a page, newest first, and one of the next page if there is one."""
    skip = (page - 1) * PAGE_SIZE
    # What ended by age is there until the stream of Secrets tells of it.
    indexed = Range(ActiveByCreation.Meta.index_name, owner, where=ActiveByCreation.expires_at > now)
    push_ids, seen = indexed.ids(skip, _WITH_NEXT)
    wanted = PAGE_SIZE if page == MAX_PAGE else _WITH_NEXT
    if len(push_ids) >= wanted or seen == _by_age(owner, now).size():
        return push_ids
    # Pushes of a release before 0.8.0 are in the other index only. They are the oldest.
    known = [row["id"]["S"] for row in indexed.all()]
    others = set(known)
    older = [push_id for push_id in _newest_first(_by_age(owner, now).all()) if push_id not in others]
    return [*known, *older][skip : skip + _WITH_NEXT]


def _by_age(owner: str, now: datetime) -> Range:
    return Range(ByOwner.Meta.index_name, owner, ByOwner.expires_at > now, forward=True)


def _newest_first(rows: Sequence[Row]) -> list[str]:
    newest = sorted(rows, key=lambda row: (int(row["created_at"]["N"]), row["id"]["S"]), reverse=True)
    return [row["id"]["S"] for row in newest]


def _has_unpaged(push_id: str) -> bool:
    """Whether the log has entries of a release before 0.8.0, whose places do not tell their pages."""
    return any(AuditEntries.query(push_id, AuditEntries.at < log_pages.FIRST, consistent_read=True, limit=1))
