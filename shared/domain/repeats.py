"""Creates that are sent again with their idempotency key: what they are called, and whether they say the same. Pure.

The url_token of such a create is derived from its key, so that the answer can be given again without being kept.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from shared.domain import cipher, seal
from shared.domain.file import NewFile
from shared.domain.limits import REPEAT_WINDOW
from shared.domain.new_push import NewPush
from shared.domain.seal import InstanceKey

_MAC_BYTES = 16
# How far apart two gateways' clocks may be, and a function's answer from its request: for so long before midnight, a
# twin of a request may already be of the next day.
_SKEW = timedelta(minutes=1)


def days(now: datetime) -> tuple[date, ...]:
    """The days (UTC) that a request of now, or a twin of it within a day, may be of; its own comes first."""
    others = ((now - REPEAT_WINDOW).date(), (now + _SKEW).date())
    return tuple(dict.fromkeys([now.date(), *others]))


def url_token(key: str, owner: str | None, body_mac: bytes, day: date, instance_key: InstanceKey) -> str:
    """The url_token of a create with this key: the same for the same caller, key and day, and for nobody to guess.

    `owner` is None for an anonymous caller. `body_mac` is empty where another body is no other push.
    """
    caller = b"anonymous" if owner is None else b"owner " + owner.encode()
    parts = cipher.join_parts([caller, day.isoformat().encode(), key.encode(), body_mac])
    return seal.url_token(int.from_bytes(_hmac(instance_key, b"secret-sharing url_token v1", parts), "big"))


def body_mac(new: NewPush, key: str, instance_key: InstanceKey) -> bytes:
    """What tells one body of a create from another: 16 bytes, under the instance key and the idempotency key.

    It outlives the secret, with the push's record. Without the idempotency key, which nobody keeps, whoever has the
    tables and the instance key could try short payloads and passphrases on it, and tell pushes that say the same.
    """
    parts = cipher.join_parts([key.encode(), _canonical(new)])
    return _hmac(instance_key, b"secret-sharing body v1", parts)[:_MAC_BYTES]


def _canonical(new: NewPush) -> bytes:
    """All that a body says of a push, however it was written."""
    said: list[Any] = [
        *(new.kind, new.payload, new.passphrase, new.name, new.note),
        *(new.lifetime.total_seconds(), new.expire_after_days, new.expire_after_views),
        *(new.deletable_by_viewer, new.retrieval_step, _files(new.files)),
    ]
    if new.mailing:
        said += [new.mailing.recipients, new.mailing.locale]
    if new.notify_when_viewed is not None:
        said.append({"notify_when_viewed": new.notify_when_viewed})
    return json.dumps(said).encode()


def _files(files: Sequence[NewFile]) -> list[list[str | int | None]]:
    return [[file.filename, file.content_type, file.size, _digest(file.content)] for file in files]


def _digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def _hmac(instance_key: InstanceKey, purpose: bytes, message: bytes) -> bytes:
    return hmac.digest(cipher.derive(instance_key.material, purpose), message, "sha256")
