"""Mail the link of a push: a request records a mailing in the audit log, and a separate function sends it."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from shared.aws import backoff, keys, mail_progress, quotas, reads, store
from shared.domain import errors, mail, mail_rules, seal
from shared.domain.audit import AuditEntry, Caller
from shared.domain.limits import (
    MAX_DAILY_MAILS_TO_ADDRESS,
    MAX_HOURLY_MAILS_TO_ADDRESS,
    MAX_MAILINGS,
    MAX_MAILS,
    MAX_RECIPIENTS,
)
from shared.domain.push import Push
from shared.identity import auth
from shared.runtime import settings
from shared.service import delivery, notices, pushes

_DAY = timedelta(days=1)
REQUESTS = quotas.Quota("mailings of an owner", MAX_MAILINGS, timedelta(minutes=1), mail_rules.SPENT)
MAILS = quotas.Quota("mails of an owner", MAX_MAILS, _DAY, mail_rules.SPENT)
TO_ADDRESS = (
    quotas.Quota("links to an address by hour", MAX_HOURLY_MAILS_TO_ADDRESS, timedelta(hours=1), mail_rules.FULL),
    quotas.Quota("links to an address by day", MAX_DAILY_MAILS_TO_ADDRESS, _DAY, mail_rules.FULL),
)

# Returns the mail for: the push, its url_token, its owner's address (empty if none), the token to stop mails to the
# recipient, the language (empty for the default).
Write = Callable[[Push, str, str, str, str], mail.Mail]


def spend(caller: Caller, mailing: mail.Mailing, *, now: datetime) -> None:
    """Count a mailing towards the quotas of its owner, and of each recipient's address, from all senders together.

    Raises: InvalidPush, if the owner's own address is not verified; QuotaSpent. Earlier counts are kept.
    """
    owner, count = auth.require_owner(caller), len(mailing.recipients)
    quotas.spend(REQUESTS, owner, now=now)
    _check_sender(owner, count, now)
    quotas.spend(MAILS, owner, count, now=now)
    for recipient in mailing.recipients:
        for quota in TO_ADDRESS:
            quotas.spend(quota, mail.mailbox(recipient), now=now)


def mail_link(url_token: str, parameters: Mapping[str, Any], caller: Caller, *, now: datetime) -> mail.Mailing:
    """Record a mailing of the caller's push, and return it; it is sent later.

    Raises, in this order: NotFound, if mailing is disabled; Unauthenticated, NotFound, Forbidden; InvalidPush,
    QuotaSpent; Contended.
    """
    if not settings.current().mails_links:
        raise errors.NotFound
    push = pushes.find_owned(url_token, caller, now=now)
    mailing = _parse_request(parameters)
    count, entry = len(mailing.recipients), AuditEntry.of_mailing(mailing, caller, now)
    _check_takes(push, count, now)
    spend(caller, mailing, now=now)
    for _ in backoff.attempts():
        if store.record_mailing(push, entry, count, now=now):
            return mailing
        push = pushes.find_owned(url_token, caller, now=now)
        _check_takes(push, count, now)
    raise errors.Contended


def send(push_id: str, entry: str, write: Write, *, now: datetime, is_last_try: bool) -> None:
    """Send the mails of a mailing that were not sent yet; `entry` is the key of its audit entry.

    `write` returns the mail to one recipient. If some mails fail, the mailing stays unfinished for the next try; with
    `is_last_try`, it is finished anyway, and its status says so.

    Each mail is sent once; twice only if the function is killed after sending it.

    Raises: MailsLeft, if some mails failed; BeingSent; SDK errors from before the first mail.
    """
    turn = mail_progress.begin_mailing(push_id, entry, now=now)
    if turn is None:
        return
    push = reads.find(push_id)
    if push is None or push.is_expired(now):
        mail_progress.finish(
            push_id, entry, mail.final_status(len(turn.sent_to), len(turn.recipients)), "The push was over."
        )
        return
    sent, refused = _send_remaining(push, entry, turn, write)
    if sent + refused < len(turn.recipients) and not is_last_try:
        mail_progress.release(push_id, entry, now=now)
        raise delivery.MailsLeft
    reason = "" if sent == len(turn.recipients) else "Not every address took the mail."
    mail_progress.finish(push_id, entry, mail.final_status(sent, len(turn.recipients)), reason)


def _send_remaining(push: Push, entry: str, turn: mail_progress.MailingTurn, write: Write) -> tuple[int, int]:
    """Mail the recipients not served yet; return how many have the mail by now, and how many refused it."""
    sent, refused = list(turn.sent_to), 0
    url_token, sender = _url_token(push), delivery.owner_address(push.owner)
    for recipient in turn.recipients:
        if recipient in sent:
            continue
        message = write(push, url_token, sender, notices.stop_token(push, recipient), turn.locale)
        outcome = delivery.deliver(recipient, message)
        if outcome is delivery.Outcome.SENT:
            sent.append(recipient)
            mail_progress.record_sent(push.id, entry, sent)
        refused += outcome is delivery.Outcome.REFUSED
    return len(sent), refused


def _check_sender(owner: str, count: int, now: datetime) -> None:
    """Check an account's address, and count mails towards the limit of its first day. An operator's name has neither.

    Raises: InvalidPush, QuotaSpent.
    """
    account = delivery.owner_account(owner)
    if account and not account.is_verified:
        raise errors.InvalidPush({mail.TO: [mail_rules.UNVERIFIED]})
    if account and now < account.created_at + _DAY:
        quota = quotas.Quota("mails of a new owner", settings.current().first_day_mails, _DAY, mail_rules.SPENT)
        quotas.spend(quota, owner, count, now=max(now, account.created_at), since=account.created_at)


def _check_takes(push: Push, count: int, now: datetime) -> None:
    """Check that the push can be mailed to so many more recipients.

    Raises: InvalidPush.
    """
    if push.is_expired(now):
        raise errors.InvalidPush({mail.TO: [mail_rules.EXPIRED]})
    if push.sealed_key_id:
        raise errors.InvalidPush({mail.TO: [mail_rules.SEALED]})
    if (push.mailed or 0) + count > MAX_RECIPIENTS:
        raise errors.InvalidPush({mail.TO: [mail_rules.TOO_MANY]})


def _parse_request(parameters: Mapping[str, Any]) -> mail.Mailing:
    refused: dict[str, list[str]] = {}
    mailing = mail_rules.parse_mailing(parameters, lambda name, message: refused.setdefault(name, []).append(message))
    if refused:
        raise errors.InvalidPush(refused)
    return mailing


def _url_token(push: Push) -> str:
    label = push.label or reads.long_labels([push.id])[push.id]
    assert push.key_version  # noqa: S101 (an owned push has a label, and so the version that sealed it)
    return seal.open_label(label, push.id, keys.version(push.key_version)).url_token
