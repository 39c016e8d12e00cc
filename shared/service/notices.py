"""Tell an owner by mail that a push was viewed, or ended by guesses: a function of its own does, by the audit entry.

Notices, and mails with links, have a link by which their reader stops more of them.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from shared.aws import keys, mail_progress, quotas, reads, tokens
from shared.domain import errors, mail, notice, owners
from shared.domain.audit import AuditKind
from shared.domain.limits import MAX_NOTICES
from shared.domain.mail import Mail, Status
from shared.domain.notice import Notice
from shared.domain.push import Push
from shared.runtime import metrics, settings
from shared.service import delivery, pushes

NOTICES = quotas.Quota("notices to an owner", MAX_NOTICES, timedelta(days=1), errors.QuotaSpent.sentence)

# Given what is told, the token that switches it off, and the language that the owner chose (empty for none).
Write = Callable[[Notice, str, str], Mail]


def send(push_id: str, entry: str, write: Write, *, now: datetime, is_last_try: bool) -> None:
    """Tell the owner of what an audit entry says, if they want to hear of it and have a confirmed address.

    One entry is told of once, but for the one mail after which this very function died.

    Raises: MailsLeft, BeingSent; whatever keeps it from beginning.
    """
    audit_entry, push = mail_progress.find_unsent_notice(push_id, entry), reads.find(push_id)
    if audit_entry is None or push is None or push.owner is None or not settings.current().mails_links:
        return
    if not push.notify_when_viewed or not notice.is_due(audit_entry.kind, push):
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
    content = Notice(push, is_end, audit_entry.created_at, browser, audit_entry.views_left)
    outcome = delivery.deliver(address, write(content, stop_token(push), _owner_locale(push.owner)))
    if outcome is delivery.Outcome.FAILED and not is_last_try:
        mail_progress.release(push_id, entry, now=now)
        raise delivery.MailsLeft
    mail_progress.finish(push_id, entry, Status.COMPLETED if outcome is delivery.Outcome.SENT else Status.FAILED, "")


class Stop(NamedTuple):
    """What the link in a mail stops: notices of this push, or with a digest all mails to that address."""

    push: Push
    address_digest: str
    is_done: bool


def find_stop(token: str, *, now: datetime) -> Stop:
    """What a token stops; whether mails to an address are stopped already is not looked up.

    Raises: NotFound, for a token that is forged, and for a push that is gone.
    """
    push_id, address_digest = notice.parse(token) or ("", "")
    push = reads.find(push_id) if push_id else None
    if push is None or push.is_purged(now) or push.key_version is None:
        raise errors.NotFound
    if not notice.is_token(token, push.id, keys.version(push.key_version), address_digest):
        raise errors.NotFound
    return Stop(push, address_digest, is_done=not address_digest and push.notify_when_viewed is False)


def stop(token: str, *, now: datetime) -> Stop:
    """Tell of no more views of the push that a token names, or send no more mails to its address. Idempotent.

    Raises: NotFound, as `find_stop` does.
    """
    found = find_stop(token, now=now)
    if found.address_digest:
        mail_progress.block_address(found.address_digest, now=now)
    else:
        pushes.set_notices(found.push, is_on=False)
    return found._replace(is_done=True)


def stop_token(push: Push, recipient: str = "") -> str:
    """What a link holds that stops notices of a push, or all mails to the recipient of a mail with a link."""
    assert push.key_version  # noqa: S101 (an owned push has a label, and so the version that sealed it)
    return notice.token(push.id, keys.version(push.key_version), mail.address_digest(recipient) if recipient else "")


def _spend_quota(owner: str, now: datetime) -> bool:
    """Whether the owner's quota of notices takes one more, which is counted."""
    try:
        quotas.spend(NOTICES, owner, now=now)
    except errors.QuotaSpent:
        metrics.count("MailUnsent", "TooMany")
        return False
    return True


def _owner_locale(owner: str) -> str:
    """The language in which an owner chose to hear of views, empty where they never did for all their pushes."""
    return tokens.account_status(owners.locator(owner)).locale or ""
