"""Idempotency keys (contract, section 11): a client repeats a request with the same key after a lost response.

The url_token of a create is derived from the key, so the response can be repeated without being stored. A MAC detects a
different body. Pure, except for `new_key`.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from shared.domain import cipher, digests, errors, url_tokens
from shared.domain.ask import Ask, NewAsk
from shared.domain.file import NewFile
from shared.domain.limits import IDEMPOTENCY_KEY, REPEAT_WINDOW
from shared.domain.new_push import NewPush
from shared.domain.push import Push
from shared.domain.safe_repr import hide_fields
from shared.domain.seal import InstanceKey
from shared.domain.sentence import Sentence

_T = TypeVar("_T", Push, Ask)
_MAC_BYTES = 16
# The maximum clock difference between two gateways, plus the delay until a function runs. Just before midnight, a
# repeated request may already belong to the next day.
_SKEW = timedelta(minutes=1)
_VISIBLE = re.compile(r"[!-~]+")


@hide_fields("token", "manage_key")
class Name(NamedTuple):
    """The url_token or ask_token of a create, the MAC to detect a different body, and an anonymous push's manage key.

    `body_mac` is None without an idempotency key, or if the token depends on the body: then a different body creates
    another push.
    """

    token: str
    body_mac: bytes | None = None
    manage_key: str | None = None

    @property
    def id(self) -> str:
        """Return the id of the push or ask with this name."""
        return digests.digest(self.token)


def is_key(text: str) -> bool:
    """Return whether the text is a valid idempotency key."""
    shortest, longest = IDEMPOTENCY_KEY
    return shortest <= len(text) <= longest and _VISIBLE.fullmatch(text) is not None


def key_or_none(text: str) -> str | None:
    """Return the key from a form's field, or None if invalid; users cannot correct a hidden field."""
    return text if is_key(text) else None


def check_key(key: str) -> str:
    """Return the key, if valid: 16 to 255 visible ASCII characters.

    Raises: MalformedRequest.
    """
    if is_key(key):
        return key
    shortest, longest = IDEMPOTENCY_KEY
    raise errors.MalformedRequest(
        f"An Idempotency-Key has {shortest} to {longest} visible ASCII characters, such as those of a UUID."
    )


def new_key() -> str:
    """Return a new random key of 192 bits, for a form."""
    import secrets  # loaded here: the API's endpoints create no keys

    return secrets.token_urlsafe(24)


def possible_days(now: datetime) -> tuple[date, ...]:
    """Return the days (UTC) on which this request, or an earlier one with its key, may have come; its own day first."""
    others = ((now - REPEAT_WINDOW).date(), (now + _SKEW).date())
    return tuple(dict.fromkeys([now.date(), *others]))


def find_twin(
    names: Sequence[Name], stored: Iterable[_T], *, now: datetime, if_different: Sentence
) -> tuple[Name, _T] | None:
    """Return the push or ask of an earlier request with the same idempotency key, and its name; None if there was none.

    `names` are those under which it may be stored, `stored` are the pushes or asks with these names.

    Raises: InvalidPush, with `if_different`, if the request had a different body.
    """
    by_id = {one.id: one for one in stored}
    for name in names:
        twin = by_id.get(name.id)
        if twin is None or twin.created_at <= now - REPEAT_WINDOW:
            continue
        if name.body_mac and not hmac.compare_digest(name.body_mac, twin.body_mac or b""):
            raise errors.InvalidPush({"idempotency_key": [if_different]})
        return name, twin
    return None


def url_token(key: str, owner: str | None, body_mac: bytes, day: date, instance_key: InstanceKey) -> str:
    """Return the url_token of a create: the same for the same caller, key and day, and not guessable.

    `owner` is None for an anonymous caller. `body_mac` is empty if the result must not depend on the body.
    """
    caller = b"anonymous" if owner is None else b"owner " + owner.encode()
    parts = cipher.join_parts([caller, day.isoformat().encode(), key.encode(), body_mac])
    return url_tokens.url_token_of(int.from_bytes(_hmac(instance_key, b"secret-sharing url_token v1", parts), "big"))


def ask_token(key: str, owner: str, day: date, instance_key: InstanceKey) -> str:
    """Return the ask_token of a create: the same for the same owner, key and day, and not guessable."""
    parts = cipher.join_parts([owner.encode(), day.isoformat().encode(), key.encode()])
    return url_tokens.url_token_of(int.from_bytes(_hmac(instance_key, b"secret-sharing ask_token v1", parts), "big"))


def ask_mac(new: NewAsk, key: str, instance_key: InstanceKey) -> bytes:
    """Return a MAC of the body of an ask, as `body_mac` does for a push."""
    parts = cipher.join_parts([key.encode(), json.dumps(new, sort_keys=True).encode()])
    return _hmac(instance_key, b"secret-sharing ask body v1", parts)[:_MAC_BYTES]


def body_mac(new: NewPush, key: str, instance_key: InstanceKey) -> bytes:
    """Return a MAC of the body, 16 bytes, to detect a different body under the same idempotency key.

    The MAC is stored with the push and outlives the secret. It includes the idempotency key, which is not stored.
    Otherwise the tables and the instance key would suffice to guess short payloads and passphrases, or to find pushes
    with the same content.
    """
    parts = cipher.join_parts([key.encode(), _canonical(new)])
    return _hmac(instance_key, b"secret-sharing body v1", parts)[:_MAC_BYTES]


def _canonical(new: NewPush) -> bytes:
    """Return all fields of the push in one canonical form."""
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
    if new.networks is not None:
        fields.append({"networks": new.networks.hex()})
    if new.sealed_key_id is not None:
        fields.append({"sealed_key_id": new.sealed_key_id.hex()})
    return json.dumps(fields).encode()


def _files(files: Sequence[NewFile]) -> list[list[str | int | None]]:
    return [[file.filename, file.content_type, file.size, _digest(file.content)] for file in files]


def _digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def _hmac(instance_key: InstanceKey, purpose: bytes, message: bytes) -> bytes:
    return hmac.digest(cipher.derive(instance_key.material, purpose), message, "sha256")
