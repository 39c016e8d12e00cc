"""Blocked addresses: after a bounce, a complaint or a stop link, an address gets no mail for a year.

The blocks are stored in ApiTokens, which has backups and deletion protection: without them, people who complained would
get mail again.
"""

from datetime import datetime
from typing import Any

from shared.aws import dynamodb
from shared.aws.tables import ApiTokens
from shared.domain import digests, mail
from shared.domain.limits import ADDRESS_BLOCK


def block_address(address_digest: str, *, now: datetime) -> None:
    """Block mails to the address with this digest for a year. Idempotent."""
    actions: list[Any] = [ApiTokens.expires_at.set(now + ADDRESS_BLOCK)]
    dynamodb.update(dynamodb.Update(ApiTokens, _key(address_digest), actions))


def is_blocked(address: str) -> bool:
    """Return whether the address or its mailbox is blocked."""
    blocks = {_key(digests.address_digest(one)) for one in (address, mail.mailbox(address))}
    return any(item for block in blocks for item in ApiTokens.query(block, consistent_read=True, limit=1))


def _key(address_digest: str) -> str:
    # Not the form of a digest, so no API token leads here; the item has no owner, so no index lists it.
    return f"stopped mail {address_digest}"
