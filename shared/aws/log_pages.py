"""The pages of an audit log as the sort keys of its entries have them: each page is a range of its own.

An entry stands on the page that it was counted on, and there by its moment, then by the order of writing.
"""

import secrets

from shared.aws.attributes import milliseconds
from shared.domain.audit import AuditEntry
from shared.domain.limits import PAGE_SIZE
from shared.domain.push import Push


def prefix(page: int) -> str:
    """What the key of each entry on a page begins with."""
    return f"p{page:04d}-"


def key(push: Push, entry: AuditEntry, nth: int) -> str:
    """A fresh key for an entry of a push as it was read, the `nth` of its write, counted from 0."""
    number = push.entries + nth
    moment = f"{milliseconds(entry.created_at):013d}"
    return prefix(number // PAGE_SIZE + 1) + f"{moment}-{number:05d}-{secrets.token_hex(4)}"


def max_entries(push: Push, count: int) -> int:
    """Below how many entries the push must be, for `count` more to be counted on the pages that their keys have.

    Others may be written in between, as long as they leave the page room. Who finds it full must look again.
    """
    numbers = range(push.entries, push.entries + count)
    return min((number // PAGE_SIZE + 1) * PAGE_SIZE - nth for nth, number in enumerate(numbers))
