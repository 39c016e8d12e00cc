"""The rules for a new push as a whole (contract, section 3); `fields.py` has those of each field. Pure.

Every rule is tried, so that a caller learns of all failing fields at once.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from shared.domain import errors, mail_rules
from shared.domain.fields import Fields, is_blank
from shared.domain.limits import FILE, MAX_NAME, MAX_NOTE, VIEWS
from shared.domain.mail import LOCALE, TO, Mailing
from shared.domain.new_push import NOTIFY_WHEN_VIEWED, NewPush
from shared.domain.sentence import Sentence

# To accept these and then ignore them would let the sender believe that a mail had been sent.
_NOT_AVAILABLE = {TO: Sentence("are not available"), LOCALE: Sentence("is not available")}
_NOT_FOR_ANONYMOUS = "are not allowed for unknown users"  # the contract's words, for programs
# Of a notice, to programs as well: no form offers it to those who cannot have one.
_NO_NOTICES = "is not available"
_NO_ADDRESS = "is not allowed without an account, whose address is known"


class PushSettings(Protocol):
    """The settings that these rules depend on."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of push that may be created."""

    @property
    def file_attachments(self) -> bool:
        """Whether pushes may carry files."""

    @property
    def max_file_size(self) -> int:
        """Bytes that a file may have."""

    @property
    def deletable_by_viewer(self) -> bool:
        """Whether a recipient may expire a push, when its sender does not say."""

    @property
    def retrieval_step(self) -> bool:
        """Whether a link has a retrieval step, when its sender does not say."""

    @property
    def mails_links(self) -> bool:
        """Whether links can be mailed."""


def asks_for_files(parameters: Mapping[str, Any]) -> bool:
    """Whether a push would carry files, if its fields were right."""
    return parameters.get("files") is not None or parameters.get("kind") == FILE


def new_push(
    parameters: Mapping[str, Any], settings: PushSettings, *, is_owned: bool = True, has_account: bool = True
) -> NewPush:
    """Check what a request says of a push.

    `is_owned` says whether an owner sends it, `has_account` whether that is one with an account.

    Raises: TooLarge; InvalidPush, with every field that breaks its rule.
    """
    fields = Fields(parameters)
    files = fields.files(settings.file_attachments, settings.max_file_size)
    kind = fields.kind(settings.kinds)
    payload = fields.payload(kind)
    lifetime, expire_after_days = fields.lifetime()
    new = NewPush(
        kind=kind,
        payload=payload,
        passphrase=fields.passphrase() or None,
        name=fields.text("name", MAX_NAME),
        note=fields.text("note", MAX_NOTE),
        lifetime=lifetime,
        expire_after_days=expire_after_days,
        expire_after_views=fields.number("expire_after_views", *VIEWS),
        deletable_by_viewer=fields.switch("deletable_by_viewer", settings.deletable_by_viewer),
        retrieval_step=fields.switch("retrieval_step", settings.retrieval_step),
        files=files,
        mailing=_mailing(fields, parameters, is_available=settings.mails_links, is_owned=is_owned),
        notify_when_viewed=_notice(fields, is_available=settings.mails_links, has_account=is_owned and has_account),
    )
    if fields.refused:
        raise errors.InvalidPush(fields.refused)
    return new


def _mailing(fields: Fields, parameters: Mapping[str, Any], *, is_available: bool, is_owned: bool) -> Mailing | None:
    if not mail_rules.has_mailing_fields(parameters):
        return None
    if not is_available:
        for name, message in _NOT_AVAILABLE.items():
            if not is_blank(parameters.get(name)):
                fields.refuse(name, message)
    elif not is_owned:
        fields.refuse(TO, _NOT_FOR_ANONYMOUS)
    else:
        return mail_rules.parse_mailing(parameters, fields.refuse)
    return None


def _notice(fields: Fields, *, is_available: bool, has_account: bool) -> bool | None:
    """Whether the owner hears of views, None where nothing is said of it."""
    is_on = fields.switch(NOTIFY_WHEN_VIEWED, None)
    if is_on and not (is_available and has_account):
        fields.refuse(NOTIFY_WHEN_VIEWED, _NO_ADDRESS if is_available else _NO_NOTICES)
    return is_on if has_account else None
