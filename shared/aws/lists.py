"""An owner's pushes and a push's audit log in DynamoDB, a page at a time, for much the same cost on every page.

The indexes follow their table with a lag, so each push of a page is read from the table itself.
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

_WITH_NEXT = PAGE_SIZE + 1  # rows of a page, and one that tells that another page follows


def active_pushes(owner: str, page: int, *, now: datetime) -> tuple[list[Push], bool]:
    """A page of the owner's active pushes, newest-created first, and whether another page follows."""
    # Pushes that ended by age stay in the index until the stream of Secrets reports them.
    rows = Range(ActiveByCreation.Meta.index_name, owner, where=ActiveByCreation.expires_at > now)
    push_ids = rows.ids((page - 1) * PAGE_SIZE, _WITH_NEXT)
    pushes = reads.find_all(push_ids[:PAGE_SIZE])
    return [push for push in pushes if not push.is_expired(now)], len(push_ids) > PAGE_SIZE


def expired_pushes(owner: str, page: int, *, now: datetime, since: datetime) -> tuple[list[Push], bool]:
    """A page of the owner's pushes that expired after `since`, last expired first, and whether another page follows."""
    rows = Range(ByOwner.Meta.index_name, owner, ByOwner.expires_at.between(since + MILLISECOND, now))
    push_ids = rows.ids((page - 1) * PAGE_SIZE, _WITH_NEXT)
    pushes = reads.find_all(push_ids[:PAGE_SIZE])
    return [push for push in pushes if not push.is_purged(now)], len(push_ids) > PAGE_SIZE


def audit_entries(push: Push, page: int) -> tuple[list[AuditEntry], bool]:
    """A page of the push's audit log, oldest first, and whether another page follows."""
    rows = AuditEntries.query(push.id, AuditEntries.at.startswith(log_pages.prefix(page)), consistent_read=True)
    entries = [to_named_tuple(row.attribute_values, AuditEntry) for row in rows]
    more = push.entries > page * PAGE_SIZE
    return [entry._replace(kind=AuditKind(entry.kind)) for entry in entries], more
