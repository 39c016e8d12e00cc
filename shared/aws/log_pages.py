"""Audit entries as items: each page of the log is one range of sort keys.

A key starts with the number of its page, from 1. It is computed from the push's `entries`, the number of entries before
the write. On a page, entries are sorted by time, then by number.
"""

import secrets

from shared.aws.attributes import milliseconds
from shared.aws.dynamodb import Put
from shared.aws.items import values_of
from shared.aws.tables import AuditEntries
from shared.domain.audit import VIEWS, AuditEntry
from shared.domain.limits import PAGE_SIZE
from shared.domain.push import Push

_IS_NEW = AuditEntries.at.does_not_exist()


def prefix(page: int) -> str:
    """Return the start of all keys of a page; `page` counts from 1."""
    return f"p{page:04d}-"


def put_entry(push: Push, entry: AuditEntry, nth: int) -> Put:
    """Return the write for a new audit entry; `nth` is its position among the entries of the same write, from 0."""
    left = push.views_remaining - (entry.kind in VIEWS)
    places = {"push_id": push.id, "at": key(push, entry, nth), "purge_at": push.purge_at, "owner": push.owner}
    places |= {"views_left": left, "notify_when_viewed": push.notify_when_viewed}
    return Put(AuditEntries, places | values_of(entry), _IS_NEW, is_fresh=True)


def key(push: Push, entry: AuditEntry, nth: int) -> str:
    """Return a new key for an entry; `nth` is its position among the entries of the same write, from 0."""
    number = push.entries + nth
    moment = f"{milliseconds(entry.created_at):013d}"
    return prefix(number // PAGE_SIZE + 1) + f"{moment}-{number:05d}-{secrets.token_hex(4)}"


def max_entries(push: Push, count: int) -> int:
    """Return a bound for a write of `count` new entries: at the write, the push's `entries` must be below it.

    The keys of the new entries start with page numbers, computed from the `entries` that was read. Other writes may add
    entries before this one. Below the bound, the new entries still fit on these pages. From the bound on, the write
    must fail, and the caller must read the push again.
    """
    numbers = range(push.entries, push.entries + count)
    return min((number // PAGE_SIZE + 1) * PAGE_SIZE - nth for nth, number in enumerate(numbers))
