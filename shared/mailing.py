"""Mail the link of a push: its owner asks for it, and a function of its own sends it, by the entry in the audit log."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from shared import auth, deadline, metrics, service, settings
from shared.aws import keys, mail, mailings, quotas, reads, retry, store
from shared.domain import errors, mailing, mailing_rules, owners, seal
from shared.domain.audit import AuditEntry, Caller
from shared.domain.limits import MAX_MAILINGS, MAX_MAILS, MAX_RECIPIENTS
from shared.domain.push import Push

REQUESTS = quotas.Quota("mailings of an owner", MAX_MAILINGS, timedelta(minutes=1), errors.QuotaSpent.sentence)
MAILS = quotas.Quota("mails of an owner", MAX_MAILS, timedelta(days=1), errors.QuotaSpent.sentence)

# Given the push, its url_token, the address of its owner (empty where there is none) and the language, if one was asked
# for: what the mail says.
Write = Callable[[Push, str, str, str], mailing.Mail]


class Unsent(Exception):
    """Some of a mailing is left to send at another try."""


def spend(caller: Caller, wanted: mailing.Mailing, *, now: datetime) -> None:
    """Count a mailing towards the quotas of its owner.

    Raises: QuotaSpent.
    """
    owner = auth.require_owner(caller)
    quotas.spend(REQUESTS, owner, now=now)
    quotas.spend(MAILS, owner, len(wanted.recipients), now=now)


def mail_link(url_token: str, parameters: Mapping[str, Any], caller: Caller, *, now: datetime) -> mailing.Mailing:
    """Have the link of an own push mailed; what was asked for.

    Raises, checked in this order: NotFound, where no links are mailed; Unauthenticated, NotFound, Forbidden;
    InvalidPush, QuotaSpent; Contended.
    """
    if not settings.current().mails_links:
        raise errors.NotFound
    push = service.owned_push(url_token, caller, now=now)
    wanted = _wanted(parameters)
    if push.is_expired(now):
        raise errors.InvalidPush({mailing.TO: [mailing_rules.EXPIRED]})
    spend(caller, wanted, now=now)
    count, entry = len(wanted.recipients), AuditEntry.of_mailing(wanted, caller, now)
    for _ in retry.attempts():
        if (push.mailed or 0) + count > MAX_RECIPIENTS:
            raise errors.InvalidPush({mailing.TO: [mailing_rules.TOO_MANY]})
        if store.record_mailing(push, entry, count, now=now):
            return wanted
        push = service.owned_push(url_token, caller, now=now)
        if push.is_expired(now):
            raise errors.InvalidPush({mailing.TO: [mailing_rules.EXPIRED]})
    raise errors.Contended


def send(push_id: str, entry: str, write: Write, *, now: datetime, is_last_try: bool) -> None:
    """Send what is left of a mailing, which the key of its audit entry names; at the last try it ends in any case.

    What was sent is not sent again, but for the one mail after which this very function died.

    Raises: Unsent, SentByAnother; whatever keeps it from beginning.
    """
    turn = mailings.begin(push_id, entry, now=now)
    if turn is None:
        return
    push = reads.find(push_id)
    if push is None or push.is_expired(now):
        mailings.finish(push_id, entry, mailing.outcome(len(turn.sent_to), len(turn.recipients)), "The push was over.")
        return
    sent, refused = list(turn.sent_to), 0
    said = write(push, _url_token(push), _address(push), turn.locale)
    for recipient in turn.recipients:
        if recipient in sent:
            continue
        taken = _sent(recipient, said)
        if taken:
            sent.append(recipient)
            mailings.note_sent(push_id, entry, sent)
        refused += taken is False
    if len(sent) + refused < len(turn.recipients) and not is_last_try:
        mailings.give_back(push_id, entry, now=now)
        raise Unsent
    reason = "" if len(sent) == len(turn.recipients) else "Not every address took the mail."
    mailings.finish(push_id, entry, mailing.outcome(len(sent), len(turn.recipients)), reason)


def note_return(addresses: list[str], kind: str, *, is_final: bool, now: datetime) -> None:
    """Count mails that came back, or that their readers complained of; after one that is final, no more go there."""
    for address in addresses:
        metrics.count("MailReturned", kind)
        if is_final:
            mailings.stop(address, now=now)


def _wanted(parameters: Mapping[str, Any]) -> mailing.Mailing:
    refused: dict[str, list[str]] = {}
    wanted = mailing_rules.mailing(parameters, lambda name, message: refused.setdefault(name, []).append(message))
    if refused:
        raise errors.InvalidPush(refused)
    return wanted


def _sent(recipient: str, said: mailing.Mail) -> bool | None:
    """Whether SES has taken the mail; None where another try may do."""
    try:
        if mailings.is_stopped(recipient):
            metrics.count("MailUnsent", "Stopped")
            return False
        mail.send(recipient, said)
    except mail.NotTaken:
        metrics.count("MailUnsent", "NotTaken")
        return False
    except (ClientError, BotoCoreError, deadline.OutOfTime) as error:
        metrics.count("MailUnsent", metrics.named(error))
        return None
    metrics.count("MailSent")
    return True


def _url_token(push: Push) -> str:
    label = push.label or reads.long_labels([push.id])[push.id]
    assert push.key_version  # noqa: S101 (an owned push has a label, and so the version that sealed it)
    return seal.open_label(label, push.id, keys.version(push.key_version)).url_token


def _address(push: Push) -> str:
    """The confirmed address of the push's owner, empty for a name of the operator's."""
    from shared.aws import cognito  # loaded here, as in standing.py

    sub = owners.sub(push.owner or "")
    account = cognito.find(sub) if sub else None
    return account.address if account and account.is_confirmed else ""
