"""Create, list and end asks (contract, section 16)."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from shared.aws import asks, backoff, keys
from shared.domain import ask, digests, errors, idempotency, url_tokens
from shared.domain.ask import Ask, NewAsk, Opened, Terms
from shared.domain.audit import Caller
from shared.domain.idempotency import Name
from shared.domain.sentence import Sentence
from shared.identity import auth
from shared.runtime import deadline, settings

FAILED = Sentence("That did not work just now. Please try again.")
_NO_ADDRESS = Sentence("Asking for a secret needs an account with a verified e-mail address.")
_OTHER_BODY = Sentence("was already used for another request: use a new key")


def create_ask(
    parameters: Mapping[str, Any], caller: Caller, *, now: datetime, key: str | None = None, locale: str = ""
) -> Opened:
    """Store a new ask of the caller; with an idempotency key, all repeats within a day return the same one.

    `locale` is the language of mails about answers, unless the owner has chosen another one.

    Raises, in this order: Unauthenticated; Forbidden, without a confirmed address; InvalidPush; Contended.
    """
    from shared.domain import new_ask  # loaded here: lists have no body to check

    owner, address = auth.require_owner(caller), require_address(caller)
    new = new_ask.new_ask(parameters, settings.current())
    names = [Name(url_tokens.new_url_token())] if key is None else _candidate_names(new, key, owner, now=now)
    if twin := _find_twin(names, now=now):
        return twin
    name, *twins = names
    opened = _build_ask(new, owner, address, name, now=now, locale=locale)
    if asks.create(opened.ask, [twin.id for twin in twins]):
        return opened
    if twin := _find_twin(names, now=now):
        return twin
    raise errors.Contended(FAILED)


def list_asks(caller: Caller, page: int, *, now: datetime) -> tuple[list[Opened], bool]:
    """Return a page (from 1) of the caller's asks, newest first, and whether there is a next page.

    Raises: Unauthenticated.
    """
    found, more = asks.of_owner(auth.require_owner(caller), page, now=now)
    return [open_terms(one) for one in found], more


def end_ask(ask_token: str, caller: Caller, *, now: datetime) -> Opened:
    """End an ask of the caller. Idempotent: one that has ended stays as it is. Its answers stay.

    Raises, in this order: NotFound, Forbidden; Contended.
    """
    for _ in backoff.attempts():
        found = find(ask_token, now=now)
        if not found.is_owned_by(caller):
            raise errors.Forbidden
        at = now + deadline.elapsed()  # the write compares it with the time limit, too
        if found.ended_on(at):
            return open_terms(found)
        if asks.end(found, at):
            return open_terms(found._replace(ended_at=at))
    raise errors.Contended(FAILED)


def find(ask_token: str, *, now: datetime) -> Ask:
    """Return the ask with this token, even if it has ended. Raises: NotFound."""
    return _require_existing(asks.find(digests.digest(ask_token)), now)


def find_own(ask_id: str, caller: Caller, *, now: datetime) -> Opened:
    """Return the caller's ask with this id, even if it has ended. Raises: NotFound, also for another owner's ask."""
    found = _require_existing(asks.find(ask_id) if digests.is_digest(ask_id) else None, now)
    if not found.is_owned_by(caller):
        raise errors.NotFound
    return open_terms(found)


def remove_all(owner: str) -> None:
    """Remove the asks of a deleted account. Idempotent.

    The index lags, so a very recent ask may remain. It accepts no answer, because its owner is gone.
    """
    for ask_id in asks.ids_of_owner(owner):
        asks.remove(ask_id)


def open_terms(stored: Ask) -> Opened:
    """Return an ask with its terms, decrypted."""
    return ask.open_ask(stored, keys.version(stored.key_version))


def require_address(caller: Caller) -> str:
    """Return the confirmed address of the caller's account. Raises: Forbidden, if there is none."""
    from shared.service import delivery  # loaded here: only a create asks Cognito

    address = delivery.owner_address(caller.owner)
    if not address:
        raise errors.Forbidden(_NO_ADDRESS)
    return address


def _require_existing(found: Ask | None, now: datetime) -> Ask:
    if found is None or found.is_purged(now):
        raise errors.NotFound
    return found


def _candidate_names(new: NewAsk, key: str, owner: str, *, now: datetime) -> list[Name]:
    """Return the names under which a create with this idempotency key may be stored: today's first."""
    days = idempotency.possible_days(now)
    return [
        Name(idempotency.ask_token(key, owner, day, instance_key), idempotency.ask_mac(new, key, instance_key))
        for day, instance_key in zip(days, keys.of_days(days), strict=True)
    ]


def _find_twin(names: Sequence[Name], *, now: datetime) -> Opened | None:
    """Return the ask of an earlier request with the same idempotency key; None if there was none.

    Raises: InvalidPush, if it had a different body.
    """
    if names[0].body_mac is None:
        return None
    stored = asks.find_all([name.id for name in names])
    found = idempotency.find_twin(names, stored, now=now, if_different=_OTHER_BODY)
    if found is None:
        return None
    return open_terms(found[1]._replace(answers=0, answered_at=None, ended_at=None))  # as the first response showed it


def _build_ask(new: NewAsk, owner: str, address: str, name: Name, *, now: datetime, locale: str = "") -> Opened:
    instance_key, expires_at = keys.current(), now + timedelta(days=new.expire_after_days)
    terms = Terms(
        ask_token=name.token,
        name=new.name,
        message=new.message,
        address=address,
        files=new.files,
        max_bytes=new.max_bytes,
        notify_when_answered=new.notify_when_answered,
        push=new.push,
        locale=locale,
    )
    stored = Ask(
        id=name.id,
        owner=owner,
        created_at=now,
        expires_at=expires_at,
        purge_at=expires_at + settings.current().retention(owner),
        limit=new.answers,
        label=ask.seal_terms(terms, instance_key),
        key_version=instance_key.version,
        body_mac=name.body_mac,
    )
    return Opened(stored, terms)
