"""Store new pushes, once per idempotency key."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from shared.aws import dynamodb, log_pages
from shared.aws.dynamodb import Check, Put, Update, Write
from shared.aws.items import values_of
from shared.aws.tables import Labels, Pushes, Secrets
from shared.domain.audit import AuditEntry
from shared.domain.limits import REPEAT_WINDOW
from shared.domain.push import Push
from shared.domain.seal import SealedSecret

if TYPE_CHECKING:
    from shared.domain.ask import Answered

# Bytes, networks and key id included. More might push the item over 1 KB: another write unit for each view and KB.
_MAX_LABEL = 512
_IS_NEW = Pushes.id.does_not_exist()


def create(
    push: Push,
    sealed: SealedSecret,
    entries: Sequence[AuditEntry],
    twins: Sequence[str] = (),
    answered: "Answered | None" = None,
) -> bool:
    """Store a new push with its secret, its label and its first audit entries, atomically.

    `twins` are the ids that the push would have had if the same request had come on a day before or after. Returns
    False and stores nothing if a push with one of these ids, or with its own, was created within the last day. The same
    write counts an answer to the ask in `answered`; also returns False if that accepts no more.
    """
    is_long = push.label is not None and len(push.label) > _MAX_LABEL - _optional_size(push)
    counted = push._replace(entries=len(entries), label=None if is_long else push.label)

    puts = [
        # Fresh: a repeated write must not restore a push already viewed.
        *(log_pages.put_entry(push, entry, nth) for nth, entry in enumerate(entries)),
        # A repeated request must not restore a push already viewed.
        Put(Pushes, {"active_since": push.created_at if push.owner else None, **values_of(counted)}, _IS_NEW),
        Put(Secrets, {"id": push.id, "expires_at": push.expires_at, **values_of(sealed)}),
    ]
    if is_long:
        label = {"id": Labels.PREFIX + push.id, "label": push.label, "purge_at": push.purge_at}
        puts.append(Put(Labels, label))
    counted_answers = [_count_answer(answered, push.created_at)] if answered else []
    return dynamodb.write(Write(checks=[_no_twin(push, twin) for twin in twins], puts=puts, updates=counted_answers))


def _count_answer(answered: "Answered", at: datetime) -> Update:
    from shared.aws import asks  # loaded here: few creates are answers

    return asks.count_answer(answered, at)


def _optional_size(push: Push) -> int:
    optional = (
        (Pushes.networks, push.networks),
        (Pushes.sealed_key_id, push.sealed_key_id),
        (Pushes.ask_id, push.ask_id),
    )
    return sum(len(attribute.attr_name) + len(value) for attribute, value in optional if value)


def _no_twin(push: Push, twin: str) -> Check:
    return Check(Pushes, twin, _IS_NEW | (Pushes.created_at <= push.created_at - REPEAT_WINDOW))
