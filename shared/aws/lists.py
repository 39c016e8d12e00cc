"""Pages of an owner's pushes and of a push's audit log; every page costs about the same.

Pages count from 1. The bool in a result says whether there is a next page.

Indexes lag behind their table, so each push of a page is read from the table itself.
"""

from datetime import datetime

from shared.aws import log_pages, reads
from shared.aws.attributes import MILLISECOND
from shared.aws.index_range import Range
from shared.aws.indexes import ActiveByCreation, ByOwner
from shared.aws.items import to_named_tuple
from shared.aws.tables import AuditEntries
from shared.domain.audit import AuditEntry, AuditKind
from shared.domain.limits import PAGE_SIZE
from shared.domain.push import Push


def active_pushes(owner: str, page: int, *, now: datetime) -> tuple[list[Push], bool]:
    """Return one page of the owner's active pushes, newest first, and whether there is a next page."""
    # Pushes expired by time stay in the index until the stream of Secrets reports them.
    rows = Range(ActiveByCreation.Meta.index_name, owner, where=ActiveByCreation.expires_at > now)
    push_ids, more = rows.page(page)
    return [push for push in reads.find_all(push_ids) if not push.is_expired(now)], more


def expired_pushes(owner: str, page: int, *, now: datetime, since: datetime) -> tuple[list[Push], bool]:
    """Return one page of the owner's pushes that expired after `since`, and whether there is a next page.

    The push that expired last comes first.
    """
    rows = Range(ByOwner.Meta.index_name, owner, ByOwner.expires_at.between(since + MILLISECOND, now))
    push_ids, more = rows.page(page)
    return [push for push in reads.find_all(push_ids) if not push.is_purged(now)], more


def audit_entries(push: Push, page: int) -> tuple[list[AuditEntry], bool]:
    """Return one page of the push's audit log, oldest entry first, and whether there is a next page."""
    rows = AuditEntries.query(push.id, AuditEntries.at.startswith(log_pages.prefix(page)), consistent_read=True)
    entries = [to_named_tuple(row.attribute_values, AuditEntry) for row in rows]
    more = push.entries > page * PAGE_SIZE
    return [entry._replace(kind=AuditKind(entry.kind)) for entry in entries], more
