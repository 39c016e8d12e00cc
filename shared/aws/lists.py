"""An owner's pushes and a push's audit log in DynamoDB, a page at a time.

The index `by_owner` follows its table with a lag, so each push of a page is read from the table itself.
"""

import heapq
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from shared.aws import reads
from shared.aws.attributes import MILLISECOND
from shared.aws.items import domain
from shared.aws.tables import AuditEntries, ByOwner, Pushes
from shared.domain.audit import AuditEntry, AuditKind
from shared.domain.limits import PAGE_SIZE
from shared.domain.push import Push

_Row = TypeVar("_Row")


def active(owner: str, page: int, *, now: datetime) -> tuple[list[Push], bool]:
    """A page of the owner's active pushes, newest-created first, and whether another page follows.

    The index sorts by the end of a push, so the whole range is read; the 90 days that a push can live bound it.
    """
    rows = Pushes.by_owner.query(owner, ByOwner.expires_at > now)
    count = page * PAGE_SIZE + 1
    pushes, more = _page(
        [row.id for row in heapq.nlargest(count, rows, key=lambda row: (row.created_at, row.id))], page
    )
    return [push for push in pushes if not push.is_expired(now)], more


def expired(owner: str, page: int, *, now: datetime, since: datetime) -> tuple[list[Push], bool]:
    """A page of the owner's pushes that expired after `since`, last expired first, and whether another page follows."""
    rows = Pushes.by_owner.query(
        owner,
        ByOwner.expires_at.between(since + MILLISECOND, now),
        scan_index_forward=False,
        limit=page * PAGE_SIZE + 1,
    )
    pushes, more = _page([row.id for row in rows], page)
    return [push for push in pushes if not push.is_purged(now)], more


def audit_log(push_id: str, page: int) -> tuple[list[AuditEntry], bool]:
    """A page of the audit log, oldest first, and whether another page follows."""
    rows = list(AuditEntries.query(push_id, consistent_read=True, limit=page * PAGE_SIZE + 1))
    page_rows, more = _slice(rows, page)
    entries = [domain(row, AuditEntry) for row in page_rows]
    return [replace(entry, kind=AuditKind(entry.kind)) for entry in entries], more


def _page(push_ids: Sequence[str], page: int) -> tuple[list[Push], bool]:
    page_ids, more = _slice(push_ids, page)
    return reads.find_all(page_ids), more


def _slice(rows: Sequence[_Row], page: int) -> tuple[Sequence[_Row], bool]:
    return rows[(page - 1) * PAGE_SIZE : page * PAGE_SIZE], len(rows) > page * PAGE_SIZE
