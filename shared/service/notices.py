"""Notices: a separate function mails an owner after a view of a push, its end by guesses, or an answer to an ask.

Notices and mails with links have a link to stop further mails.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from shared.aws import asks, keys, mail_blocks, mail_progress, quotas, reads, tokens
from shared.domain import digests, errors, mail, notice, owners
from shared.domain.ask import Ask, Opened, open_ask
from shared.domain.audit import AuditKind
from shared.domain.limits import MAX_NOTICES
from shared.domain.mail import Mail, Status
from shared.domain.notice import Notice
from shared.domain.push import Push
from shared.runtime import metrics, settings
from shared.service import delivery, pushes

NOTICES = quotas.Quota("notices to an owner", MAX_NOTICES, timedelta(days=1), errors.QuotaSpent.sentence)

# Returns the mail for: the notice, the token to switch notices off, the owner's language (empty for the default).
Write = Callable[[Notice, str, str], Mail]
_Found = TypeVar("_Found", Push, Ask)


def send(push_id: str, entry: str, write: Write, *, now: datetime, is_last_try: bool) -> None:
    """Send a notice about an audit entry, if the owner wants notices and has a confirmed address.

    Each notice is sent once; twice only if the function is killed after sending it.

    Raises: MailsLeft, if the mail failed and this is not the last try; BeingSent; SDK errors from before the mail.
    """
    audit_entry, push = mail_progress.find_unsent_notice(push_id, entry), reads.find(push_id)
    if audit_entry is None or push is None or push.owner is None or not settings.current().mails_links:
        return
    answered = _answered(audit_entry.ask_id)
    if not notice.is_due(audit_entry.kind, push, answered):
        return
    address = delivery.owner_address(push.owner)
    if not address:
        metrics.count("MailUnsent", "NoAddress")
        return
    mail_progress.begin_notice(push_id, entry, now=now)
    if audit_entry.status is None and not _spend_quota(push.owner, now):
        mail_progress.finish(push_id, entry, Status.FAILED, "")
        return
    is_end, browser = audit_entry.kind == AuditKind.EXPIRE, notice.browser_family(audit_entry.user_agent)
    content = Notice(push, is_end, audit_entry.created_at, browser, audit_entry.views_left, answered)
    locale = _owner_locale(push.owner) or (answered.terms.locale if answered else "")
    outcome = delivery.deliver(address, write(content, stop_token(content.subject), locale))
    if outcome is delivery.Outcome.FAILED and not is_last_try:
        mail_progress.release(push_id, entry, now=now)
        raise delivery.MailsLeft
    mail_progress.finish(push_id, entry, Status.COMPLETED if outcome is delivery.Outcome.SENT else Status.FAILED, "")


class Stop(NamedTuple):
    """The effect of the link in a mail that stops further mails.

    If `address_digest` is empty, it stops notices about `push` or about answers to `ask`, of which one is None;
    otherwise all mails to the address with this digest, also after the push is gone and both are None. `is_done` is
    true if the mails are stopped already.
    """

    push: Push | None
    ask: Ask | None
    address_digest: str
    is_done: bool


def find_stop(token: str, *, now: datetime) -> Stop:
    """Return the effect of a link with this token, without stopping anything.

    `is_done` is always false for an address: whether it is blocked is not looked up.

    Raises: NotFound, if the token is forged; or if the push or ask is gone, unless the token is for an address and the
    instance key was not rotated since.
    """
    subject_id, address_digest = notice.parse(token) or ("", "")
    push = _unpurged(reads.find(subject_id) if subject_id else None, now)
    ask = _unpurged(asks.find(subject_id) if subject_id and not push else None, now)
    version = push.key_version if push else ask and ask.key_version
    if not (version or address_digest):
        raise errors.NotFound
    key = keys.version(version) if version else keys.current()
    if not notice.is_token(token, subject_id, key, address_digest):
        raise errors.NotFound
    is_quiet = (push is not None and push.notify_when_viewed is False) or (ask is not None and bool(ask.is_quiet))
    return Stop(push, ask, address_digest, is_quiet and not address_digest)


def stop(token: str, *, now: datetime) -> Stop:
    """Switch off notices for the token's push or ask, or block all mails to its address. Idempotent.

    Raises: NotFound, like `find_stop`.
    """
    found = find_stop(token, now=now)
    if found.address_digest:
        mail_blocks.block_address(found.address_digest, now=now)
    elif found.push:
        pushes.set_notices(found.push, is_on=False)
    elif found.ask and not asks.stop_notices(found.ask.id):
        raise errors.NotFound
    return found._replace(is_done=True)


def stop_token(subject: Push | Ask, recipient: str = "") -> str:
    """Return the token to stop notices about a push or an ask.

    With a recipient, return the token to stop all mails to that mailbox.
    """
    assert subject.key_version  # noqa: S101 (an owned push has a label, and so the version that sealed it)
    address_digest = digests.address_digest(mail.mailbox(recipient)) if recipient else ""
    return notice.token(subject.id, keys.version(subject.key_version), address_digest)


def _answered(ask_id: str | None) -> Opened | None:
    """Return the ask with this id, if there is one, with its name."""
    found = asks.find(ask_id) if ask_id else None
    return open_ask(found, keys.version(found.key_version)) if found else None


def _unpurged(found: _Found | None, now: datetime) -> _Found | None:
    return found if found and not found.is_purged(now) else None


def _spend_quota(owner: str, now: datetime) -> bool:
    """Count a notice towards the owner's quota; return False if it is used up."""
    try:
        quotas.spend(NOTICES, owner, now=now)
    except errors.QuotaSpent:
        metrics.count("MailUnsent", "TooMany")
        return False
    return True


def _owner_locale(owner: str) -> str:
    """Return the language of notices to the owner; empty if the owner never chose one."""
    return tokens.account_status(owners.locator(owner)).locale or ""
