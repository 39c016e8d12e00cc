"""Answer an ask: create a push of the asker's, for a caller without an account (contract, section 16)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from shared.aws import quotas, tokens
from shared.domain import errors, owners, rules, url_tokens
from shared.domain.ask import Answered, Ask, Opened, Terms
from shared.domain.audit import Caller
from shared.domain.idempotency import Name
from shared.domain.limits import DAYS, MAX_ANSWERS_FROM_SOURCE, VIEWS
from shared.domain.new_push import Created, NewPush
from shared.domain.sentence import Sentence
from shared.identity import account_status
from shared.runtime import settings
from shared.service import asks, byte_quotas, create

_FIELDS = ("payload", "files")  # all others are the asker's choice
TOO_LARGE = Sentence("This is larger than what was asked for.")
NO_ROOM = Sentence("There is not enough room left for this. Send less, or ask for a new link.")
_NONE_TODAY = Sentence("No more files can be sent here today (UTC). Please try again tomorrow.")
_FROM_SOURCE = quotas.Quota(
    "answers from a source",
    MAX_ANSWERS_FROM_SOURCE,
    timedelta(hours=1),
    Sentence("Too many secrets sent from here. Please try again in an hour."),
)


def find_open(ask_token: str, *, now: datetime) -> Opened:
    """Return an ask that accepts answers. Raises: NotFound, if it is unknown or over."""
    found = asks.find(ask_token, now=now)
    _require_open(found, now)
    _require_active(found.owner, now)
    return asks.open_terms(found)


def answer_ask(
    ask_token: str, parameters: Mapping[str, Any], caller: Caller, *, now: datetime, key: str | None = None
) -> Created:
    """Create the push that answers an ask; payload and files come from the caller, everything else from the ask.

    All repeats with the same idempotency key and body within a day return the same answer, even if the ask has ended.

    Raises: NotFound, if the ask is unknown or over; InvalidPush, TooLarge, QuotaSpent, without storing anything;
    Contended.
    """
    found, terms = asks.open_terms(asks.find(ask_token, now=now))
    new = _new_push(parameters, terms)
    names = _names(new, found, key, now=now)
    if twin := create.find_twin(new, names, found.owner, now=now):
        return twin
    answered = Answered(found, _size(new), terms.max_bytes)
    _require_open(found, now)
    _require_active(found.owner, now)
    _require_room(answered)
    refusal: errors.Refusal = errors.Contended(asks.FAILED)
    try:
        _spend(found, new, caller, now=now)
        if created := create.create_named(new, names, caller, now=now, answered=answered):
            return created
        byte_quotas.give_back(found.owner, new.files, now=now)
    except errors.QuotaSpent as spent:
        refusal = spent
    # After a double press, the other request may have used up the quota or the ask.
    if twin := create.find_twin(new, names, found.owner, now=now):
        return twin
    reloaded = asks.find(ask_token, now=now)
    _require_open(reloaded, now)
    _require_room(answered._replace(ask=reloaded))
    raise refusal


def _new_push(parameters: Mapping[str, Any], terms: Terms) -> NewPush:
    """Return the push to create, by the limits that the installation accepted when the ask was created."""
    current = settings.current()
    accepted = current._replace(
        days=DAYS,
        views=VIEWS,
        file_attachments=terms.files and current.file_attachments,
    )
    given = {name: parameters[name] for name in _FIELDS if name in parameters}
    return rules.new_push({**terms.push, **given}, accepted)._replace(name=terms.name)


def _names(new: NewPush, found: Ask, key: str | None, *, now: datetime) -> list[Name]:
    if key is None:
        return [Name(url_tokens.new_url_token())]
    # Not the asker's name: a stranger's key must never match one of the asker's. No owner's name has this prefix.
    return create.candidate_names(new, key, f"ask {found.id}", is_bound=True, now=now)


def _require_open(found: Ask, now: datetime) -> None:
    """Check that an ask accepts answers. Raises: NotFound."""
    if found.ended_on(now):
        raise errors.NotFound


def _require_active(owner: str, now: datetime) -> None:
    """Check that the asker's account is neither disabled nor deleted. Raises: NotFound."""
    status = tokens.account_status(owners.locator(owner))
    # Credentials may have ended because the account was disabled. If Cognito fails, do not assume that it is enabled.
    is_confirmed = status.looked_at is not None or status.ended_at is None
    if not account_status.is_active(owner, status, now=now, if_unknown=is_confirmed):
        raise errors.NotFound


def _require_room(answered: Answered) -> None:
    """Check that the ask has room for an answer's bytes. Raises: TooLarge."""
    if not answered.fits:
        raise errors.TooLarge(TOO_LARGE if answered.size > answered.max_bytes else NO_ROOM)


def _spend(found: Ask, new: NewPush, caller: Caller, *, now: datetime) -> None:
    """Count an answer of this source, and its files towards the asker's daily quota.

    Raises: QuotaSpent; earlier counts are kept.
    """
    quotas.spend(_FROM_SOURCE, quotas.source(caller.ip), now=now)
    try:
        byte_quotas.spend(Caller(owner=found.owner), new.files, None, now=now)
    except errors.QuotaSpent as refusal:
        raise errors.QuotaSpent(refusal.retry_after, _NONE_TODAY) from refusal


def _size(new: NewPush) -> int:
    return len(new.payload.encode()) + sum(file.size for file in new.files)
