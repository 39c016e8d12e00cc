"""Export an owner's pushes with their audit logs. Contents, links and passphrases are not part of it."""

from collections.abc import Iterator, Sequence

from shared.aws import lists
from shared.domain.audit import AuditEntry
from shared.domain.limits import MAX_EXPORTED_ENTRIES
from shared.domain.push import Listed, Push

Exported = tuple[Listed, Sequence[AuditEntry] | None]


def with_logs(pushes: Sequence[Listed]) -> Iterator[Exported]:
    """Return each push with its whole audit log, or with None if the logs before it leave no room in this file."""
    room = MAX_EXPORTED_ENTRIES
    for listed in pushes:
        room -= listed.push.entries
        yield listed, list(_audit_log(listed.push)) if room >= 0 else None


def _audit_log(push: Push) -> Iterator[AuditEntry]:
    page, more = 0, True
    while more:
        page += 1
        entries, more = lists.audit_entries(push, page)
        yield from entries
