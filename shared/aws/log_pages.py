"""Sort keys of audit entries: each page of the log is one range of keys.

A key starts with the number of its page, from 1. It is computed from the push's `entries`, the number of entries before
the write. On a page, entries are sorted by time, then by number.
"""

import secrets

from shared.aws.attributes import milliseconds
from shared.domain.audit import AuditEntry
from shared.domain.limits import PAGE_SIZE
from shared.domain.push import Push


def prefix(page: int) -> str:
    """Return the start of all keys of a page; `page` counts from 1."""
    return f"p{page:04d}-"


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
