"""Mail the link of a push: its owner asks for it, and a function of its own sends it, by the entry in the audit log."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from shared.aws import backoff, keys, mail_progress, quotas, reads, store
from shared.domain import errors, mail, mail_rules, seal
from shared.domain.audit import AuditEntry, Caller
from shared.domain.limits import MAX_MAILINGS, MAX_MAILS, MAX_RECIPIENTS
from shared.domain.push import Push
from shared.identity import auth
from shared.runtime import metrics, settings
from shared.service import delivery, pushes

REQUESTS = quotas.Quota("mailings of an owner", MAX_MAILINGS, timedelta(minutes=1), mail_rules.SPENT)
MAILS = quotas.Quota("mails of an owner", MAX_MAILS, timedelta(days=1), mail_rules.SPENT)

# Given the push, its url_token, the address of its owner (empty where there is none) and the language, if one was asked
# for: what the mail says.
Write = Callable[[Push, str, str, str], mail.Mail]


def spend(caller: Caller, mailing: mail.Mailing, *, now: datetime) -> None:
    """Count a mailing towards the quotas of its owner.

    Raises: QuotaSpent.
    """
    owner = auth.require_owner(caller)
    quotas.spend(REQUESTS, owner, now=now)
    quotas.spend(MAILS, owner, len(mailing.recipients), now=now)


def mail_link(url_token: str, parameters: Mapping[str, Any], caller: Caller, *, now: datetime) -> mail.Mailing:
    """Have the link of an own push mailed; what was asked for.

    Raises, checked in this order: NotFound, where no links are mailed; Unauthenticated, NotFound, Forbidden;
    InvalidPush, QuotaSpent; Contended.
    """
    if not settings.current().mails_links:
        raise errors.NotFound
    push = pushes.find_owned(url_token, caller, now=now)
    mailing = _parse_request(parameters)
    if push.is_expired(now):
        raise errors.InvalidPush({mail.TO: [mail_rules.EXPIRED]})
    spend(caller, mailing, now=now)
    count, entry = len(mailing.recipients), AuditEntry.of_mailing(mailing, caller, now)
    for _ in backoff.attempts():
        if (push.mailed or 0) + count > MAX_RECIPIENTS:
            raise errors.InvalidPush({mail.TO: [mail_rules.TOO_MANY]})
        if store.record_mailing(push, entry, count, now=now):
            return mailing
        push = pushes.find_owned(url_token, caller, now=now)
        if push.is_expired(now):
            raise errors.InvalidPush({mail.TO: [mail_rules.EXPIRED]})
    raise errors.Contended


def send(push_id: str, entry: str, write: Write, *, now: datetime, is_last_try: bool) -> None:
    """Send what is left of a mailing, which the key of its audit entry names; at the last try it ends in any case.

    What was sent is not sent again, but for the one mail after which this very function died.

    Raises: MailsLeft, BeingSent; whatever keeps it from beginning.
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
    sent, refused = list(turn.sent_to), 0
    message = write(push, _url_token(push), delivery.owner_address(push.owner), turn.locale)
    for recipient in turn.recipients:
        if recipient in sent:
            continue
        outcome = delivery.deliver(recipient, message)
        if outcome is delivery.Outcome.SENT:
            sent.append(recipient)
            mail_progress.record_sent(push_id, entry, sent)
        refused += outcome is delivery.Outcome.REFUSED
    if len(sent) + refused < len(turn.recipients) and not is_last_try:
        mail_progress.release(push_id, entry, now=now)
        raise delivery.MailsLeft
    reason = "" if len(sent) == len(turn.recipients) else "Not every address took the mail."
    mail_progress.finish(push_id, entry, mail.final_status(len(sent), len(turn.recipients)), reason)


def record_bounce(addresses: list[str], kind: str, *, is_final: bool, now: datetime) -> None:
    """Count mails that came back, or that their readers complained of; after one that is final, no more go there."""
    for address in addresses:
        metrics.count("MailReturned", kind)
        if is_final:
            mail_progress.block_address(address, now=now)


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
