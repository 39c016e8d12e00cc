"""Rules for mailing a link (contract, section 12). Pure."""

from collections.abc import Mapping
from typing import Any, Protocol

from shared.domain import account_rules
from shared.domain.fields import is_blank
from shared.domain.languages import match_tag
from shared.domain.limits import MAX_RECIPIENTS
from shared.domain.mail import LOCALE, TO, Mailing
from shared.domain.sentence import Sentence

TOO_MANY = Sentence("are too many (at most {limit} in all)", limit=MAX_RECIPIENTS)
EXPIRED = "are not available for expired pushes"  # for the API only: pages offer no mailing for an expired push
SEALED = Sentence("can't get this link by e-mail, because this service does not know its key")
UNVERIFIED = Sentence("can't get e-mails from you, because your own address is not verified")
SPENT = Sentence("You have sent too many e-mails for now. Please try again later.")
FULL = Sentence("One of these addresses has received too many e-mails from this service. Please try again later.")
_MAX_TEXT = MAX_RECIPIENTS * (account_rules.MAX_ADDRESS + 2)


class Refuse(Protocol):
    """A function to report an invalid field."""

    def __call__(self, name: str, message: str) -> None:
        """Add a message about an invalid field."""


def has_mailing_fields(parameters: Mapping[str, Any]) -> bool:
    """Return whether a body has any mailing field."""
    return any(not is_blank(parameters.get(name)) for name in (TO, LOCALE))


def parse_mailing(parameters: Mapping[str, Any], refuse: Refuse) -> Mailing:
    """Return the mailing from a body; invalid fields are reported to `refuse`."""
    return Mailing(_recipients(parameters.get(TO), refuse), _locale(parameters.get(LOCALE), refuse))


def _recipients(value: Any, refuse: Refuse) -> tuple[str, ...]:
    if is_blank(value):
        refuse(TO, Sentence("can't be blank"))
        return ()
    if not isinstance(value, str):
        refuse(TO, Sentence("must be a string"))
        return ()
    recipients = tuple(part.strip() for part in value.split(",")) if len(value) <= _MAX_TEXT else ()
    if not 1 <= len(recipients) <= MAX_RECIPIENTS:
        refuse(TO, TOO_MANY)
    elif not all(map(_is_address, recipients)):
        refuse(TO, Sentence("must be e-mail addresses, separated by commas"))
    elif len({recipient.lower() for recipient in recipients}) < len(recipients):
        refuse(TO, Sentence("must not contain an address twice"))
    return recipients


def _locale(value: Any, refuse: Refuse) -> str:
    if is_blank(value):
        return ""
    tag = match_tag(value) if isinstance(value, str) else None
    if tag is None:
        refuse(LOCALE, Sentence("is not an available language"))
    return tag or ""


def _is_address(text: str) -> bool:
    # ASCII only, and no characters with a meaning in mail headers: not every mail server accepts more.
    if not text.isascii() or any(character in text for character in '<>()[]:;\\",'):
        return False
    return account_rules.is_address(text) and "." in text.rpartition("@")[2]
