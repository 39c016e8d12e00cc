"""Sort keys of audit entries: each page of the log is one range of keys.

The page comes from the number of entries at the time of writing. On a page, entries are sorted by time, then by number.
"""

import secrets

from shared.aws.attributes import milliseconds
from shared.domain.audit import AuditEntry
from shared.domain.limits import PAGE_SIZE
from shared.domain.push import Push


def prefix(page: int) -> str:
    """Return the key prefix of a page."""
    return f"p{page:04d}-"


def key(push: Push, entry: AuditEntry, nth: int) -> str:
    """Return a new key for an entry; `nth` is its position in the same write, counted from 0."""
    number = push.entries + nth
    moment = f"{milliseconds(entry.created_at):013d}"
    return prefix(number // PAGE_SIZE + 1) + f"{moment}-{number:05d}-{secrets.token_hex(4)}"


def max_entries(push: Push, count: int) -> int:
    """Return the exclusive upper bound for `entries`; from there on, the new entries would spill onto the next page.

    `count` is the number of new entries. Other writes may come in between, as long as the page has room. If it is full,
    the caller must read again.
    """
    numbers = range(push.entries, push.entries + count)
    return min((number // PAGE_SIZE + 1) * PAGE_SIZE - nth for nth, number in enumerate(numbers))
