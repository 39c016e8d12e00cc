"""Idempotency keys (contract, section 11): a client repeats a request under the same key when the response was lost.

The url_token of a create is derived from its key, so the same response can be given again without being stored. A MAC
tells whether the body is the same. Pure.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from shared.domain import cipher, errors, seal
from shared.domain.file import NewFile
from shared.domain.limits import IDEMPOTENCY_KEY, REPEAT_WINDOW
from shared.domain.new_push import NewPush
from shared.domain.seal import InstanceKey

_MAC_BYTES = 16
# How far apart two gateways' clocks may be, and a function's answer from its request: for so long before midnight, a
# twin of a request may already be of the next day.
_SKEW = timedelta(minutes=1)
_VISIBLE = re.compile(r"[!-~]+")


def is_key(text: str) -> bool:
    """Whether a text can be an idempotency key."""
    shortest, longest = IDEMPOTENCY_KEY
    return shortest <= len(text) <= longest and _VISIBLE.fullmatch(text) is not None


def key_or_none(text: str) -> str | None:
    """The key that a form's field holds, None where it cannot be one: whoever sends a form cannot mend it."""
    return text if is_key(text) else None


def check_key(key: str) -> str:
    """The key, if it can be one: 16 to 255 visible ASCII characters.

    Raises: MalformedRequest.
    """
    if is_key(key):
        return key
    shortest, longest = IDEMPOTENCY_KEY
    raise errors.MalformedRequest(
        f"An Idempotency-Key has {shortest} to {longest} visible ASCII characters, such as those of a UUID."
    )


def new_key() -> str:
    """A fresh key of 192 random bits, for a form."""
    import secrets  # loaded here: the API's endpoints make none

    return secrets.token_urlsafe(24)


def possible_days(now: datetime) -> tuple[date, ...]:
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
    fields: list[Any] = [
        new.kind,
        new.payload,
        new.passphrase,
        new.name,
        new.note,
        new.lifetime.total_seconds(),
        new.expire_after_days,
        new.expire_after_views,
        new.deletable_by_viewer,
        new.retrieval_step,
        _files(new.files),
    ]
    if new.mailing:
        fields += [new.mailing.recipients, new.mailing.locale]
    if new.notify_when_viewed is not None:
        fields.append({"notify_when_viewed": new.notify_when_viewed})
    return json.dumps(fields).encode()


def _files(files: Sequence[NewFile]) -> list[list[str | int | None]]:
    return [[file.filename, file.content_type, file.size, _digest(file.content)] for file in files]


def _digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def _hmac(instance_key: InstanceKey, purpose: bytes, message: bytes) -> bytes:
    return hmac.digest(cipher.derive(instance_key.material, purpose), message, "sha256")
