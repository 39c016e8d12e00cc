"""Retrieve a push: return the payload and count a view, or record the failure and raise.

The secret is opened before the view is claimed. One conditional write decides (`claims.py`); after a lost race, read
and decide again. `domain/admission.py` decides the response. A claim with an idempotency key stores a lease
(`domain/lease.py`), so that the response can be repeated.
"""

from datetime import datetime
from typing import NamedTuple

from shared.aws import backoff, claims, keys, reads
from shared.domain import access, admission, digests, errors, lease, seal
from shared.domain.admission import Attempt, Seen
from shared.domain.audit import AuditEntry, Caller
from shared.domain.cipher import CannotOpen
from shared.domain.file import Download
from shared.domain.lease import Lease
from shared.domain.limits import DOWNLOAD_LIFETIME
from shared.domain.push import Push, Retrieved
from shared.domain.safe_repr import hide_fields
from shared.runtime import deadline, metrics, settings
from shared.service import contents, failures


@hide_fields("url_token", "passphrase", "key")
class _Request(NamedTuple):
    """A request; `key` is its idempotency key, or None if the view gets no lease."""

    url_token: str
    passphrase: str
    caller: Caller
    now: datetime
    key: str | None


@hide_fields("keys", "payload")
class _Opened(NamedTuple):
    """An opened push: its keys for the lease, the payload, the links to its files, the instance key's version."""

    keys: seal.Keys
    payload: str
    downloads: tuple[Download, ...]
    key_version: str


def retrieve_push(
    url_token: str,
    passphrase: str,
    caller: Caller,
    *,
    now: datetime,
    key: str | None = None,
    once: bool = False,
    repeats_only: bool = False,
) -> Retrieved:
    """Return the payload and count a view; `passphrase` is empty if none was sent.

    `key` is the idempotency key. The view then has a lease (`domain/lease.py`): until it ends, a repeat with the same
    key returns the same response and counts no view. After the lease, a repeat counts another view, or with `once`
    raises SeenAlready. With `repeats_only`, a request without a living lease raises it too, and is not recorded.

    An expired push is no error: the result has no payload. Nothing is claimed without enough time to respond, because
    the view would be lost.

    Raises: NotFound, WrongNetwork, PassphraseRefused, TooManyAttempts, FilesMissing, FilesReplaced, SeenAlready,
    Contended.
    """
    request = _Request(url_token, passphrase, caller, now, key if settings.current().lease else None)
    attempt = Attempt(now, has_passphrase=bool(passphrase), ip=caller.ip, once=once, repeats_only=repeats_only)
    opened = None
    for _ in backoff.attempts():
        seen = _read(request)
        decision = admission.decide(seen, attempt)
        if isinstance(decision, admission.Spend):
            if not claims.spend_repeat(decision.lease.id, now=now):
                continue
            attempt = attempt._replace(has_spent=True)
            decision = admission.decide(seen, attempt)
        if isinstance(decision, admission.Open):
            opened = _open(request, decision)
            attempt = attempt._replace(is_right=opened is not None)
            decision = admission.decide(seen, attempt)
        if retrieved := _carry_out(request, decision, opened):
            return retrieved
    raise errors.Contended


def _read(request: _Request) -> Seen:
    lease_id = lease.lease_id(request.url_token, request.key) if request.key else None
    push, sealed, leased = reads.load(digests.digest(request.url_token), lease_id)
    if lease_id and leased is None and push and push.is_expired(request.now) and push.has_leases(request.now):
        # The last view may have been claimed with this key between the two reads.
        leased = reads.find_lease(lease_id)
    return Seen(push, sealed, leased)


def _open(request: _Request, found: admission.Open) -> _Opened | None:
    """Return the opened push; None if the passphrase is wrong. With a passphrase, this runs scrypt.

    Raises: FilesMissing, FilesReplaced; CannotOpen, if the push has no passphrase.
    """
    push, sealed, leased = found
    instance_key, links = keys.version(sealed.key_version), DOWNLOAD_LIFETIME
    try:
        if leased is None:
            push_keys = seal.unwrap(sealed, request.url_token, request.passphrase, instance_key)
        else:
            assert request.key  # noqa: S101 (a lease is found by its key)
            wrapping_key = seal.wrapping_key(sealed, request.url_token, request.passphrase, instance_key)
            push_key = lease.unwrap(leased, wrapping_key, sealed.lease_salt, request.url_token, request.key)
            push_keys, links = seal.Keys(push_key, wrapping_key), leased.claimed_at + DOWNLOAD_LIFETIME - request.now
    except CannotOpen:
        if not push.is_protected:
            raise
        return None
    opened = contents.open_contents(push, sealed, push_keys.push_key, request.url_token, links=links)
    return _Opened(push_keys, *opened, sealed.key_version)


def _carry_out(request: _Request, decision: admission.Decision, opened: _Opened | None) -> Retrieved | None:
    """Execute a decision with at most one write. Return None after a lost race: decide again.

    Raises: the errors of `retrieve_push`.
    """
    match decision:
        case admission.Unknown() | admission.SeenBefore() | admission.TooManyGuesses():
            raise _refusal(decision)
        case admission.Elsewhere(push):
            if failures.record_wrong_network(push, request.caller, now=request.now):
                raise errors.WrongNetwork
        case admission.Refused(push, is_repeat):
            _check_time()
            sent = bool(request.passphrase)
            if failures.record_refusal(push, request.caller, now=request.now, has_passphrase=sent):
                raise errors.PassphraseRefused(push, is_repeat=is_repeat)
        case admission.Expired(push, is_due):
            is_done = failures.record_failed_view(push, request.caller, now=request.now, destroy=is_due)
            return Retrieved(push, None, request.now) if is_done else None
        case admission.AnsweredAgain(push, leased) if opened:
            shown = leased.restore_push(push)
            return _retrieved(shown, opened, leased.claimed_at, leased)
        case admission.Admitted(push, sealed) if opened:
            _check_time()
            return _claim(request, push, sealed, opened)
    return None


def _refusal(decision: admission.Unknown | admission.SeenBefore | admission.TooManyGuesses) -> errors.Refusal:
    """Return the error for a decision that needs no write."""
    match decision:
        case admission.SeenBefore(push):
            return errors.SeenAlready(push)
        case admission.TooManyGuesses(push, wait, is_repeat):
            return (errors.TooManyRepeats if is_repeat else errors.TooManyAttempts)(wait, push)
    return errors.NotFound()


def _check_time() -> None:
    if deadline.seconds_left() < backoff.RESERVE:
        raise errors.Contended


def _claim(request: _Request, push: Push, sealed: seal.SealedSecret, opened: _Opened) -> Retrieved | None:
    kind = access.view_kind(push, request.caller)
    is_last = push.views_remaining == 1
    at = push.date_of_write(request.now + deadline.elapsed() if is_last else request.now)
    leased = _build_lease(request, push, sealed, opened.keys, at)
    if not claims.claim(push, AuditEntry.of(kind, request.caller, at), leased, now=request.now):
        return None
    metrics.count("Viewed")
    return _retrieved(push.after_view(at), opened, at, leased)


def _retrieved(push: Push, opened: _Opened, at: datetime, leased: Lease | None) -> Retrieved:
    until = leased.until if leased else None
    return Retrieved(push, opened.payload, at, opened.downloads, until, opened.key_version)


def _build_lease(
    request: _Request, push: Push, sealed: seal.SealedSecret, push_keys: seal.Keys, at: datetime
) -> Lease | None:
    """Return the lease for a view claimed at this time; None if the request has no idempotency key."""
    if request.key is None:
        return None
    lifetime = lease.lifetime(settings.current().lease, has_files=sealed.files is not None)
    return Lease(
        id=lease.lease_id(request.url_token, request.key),
        wrapped_key=lease.wrap(push_keys, sealed.lease_salt, request.url_token, request.key),
        claimed_at=at,
        until=min(at + lifetime, push.expires_at),
        views=push.views + 1,
        push_expires_at=push.expires_at,
    )
