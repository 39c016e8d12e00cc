"""Rules for a new push as a whole (contract, section 3); `fields.py` checks each field. Pure.

All rules are checked, so that one response names every invalid field.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from shared.domain import errors, mail_rules, protections
from shared.domain.bounds import Bounds
from shared.domain.fields import Fields, is_blank
from shared.domain.jwe import SEALED_BY
from shared.domain.limits import FILE, MAX_IGNORED, MAX_IGNORED_NAME, MAX_NAME, MAX_NOTE
from shared.domain.mail import LOCALE, TO, Mailing
from shared.domain.new_push import NOTIFY_WHEN_VIEWED, NewPush
from shared.domain.sentence import Sentence

_FIELDS = {
    "payload",
    "kind",
    "files",
    "passphrase",
    "name",
    "note",
    "expire_after_days",
    "expire_after_views",
    "expire_after_duration",
    "deletable_by_viewer",
    "retrieval_step",
    TO,
    LOCALE,
    NOTIFY_WHEN_VIEWED,
    protections.ALLOWED_IPS,
    SEALED_BY,
    *protections.REFUSED,
}
# Rejected, not ignored: the sender would believe a mail had been sent.
_NOT_AVAILABLE = {TO: Sentence("are not available"), LOCALE: Sentence("is not available")}
_NOT_FOR_ANONYMOUS = "are not allowed for unknown users"  # the contract's words, for the API
# About notices, for the API only: forms offer them only where they are available.
_NO_NOTICES = "is not available"
_NO_ADDRESS = "is not allowed without an account, whose address is known"


class PushSettings(Protocol):
    """The settings used by these rules."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of push that may be created."""

    @property
    def file_attachments(self) -> bool:
        """Whether pushes may have files."""

    @property
    def max_file_size(self) -> int:
        """The maximum size of a file, in bytes."""

    @property
    def days(self) -> Bounds:
        """The bounds for the lifetime."""

    @property
    def views(self) -> Bounds:
        """The bounds for the number of views."""

    @property
    def deletable_by_viewer(self) -> bool:
        """The default for `deletable_by_viewer`."""

    @property
    def retrieval_step(self) -> bool:
        """The default for `retrieval_step`."""

    @property
    def mails_links(self) -> bool:
        """Whether links can be mailed."""


def ignored_names(parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of unknown parameters, sorted: short ones in printable ASCII, and only the first few."""
    names = [name for name in parameters.keys() - _FIELDS if len(name) <= MAX_IGNORED_NAME]
    return sorted(name for name in names if name.isascii() and name.isprintable())[:MAX_IGNORED]


def asks_for_files(parameters: Mapping[str, Any]) -> bool:
    """Return whether the parameters ask for files."""
    return parameters.get("files") is not None or parameters.get("kind") == FILE


def new_push(
    parameters: Mapping[str, Any], settings: PushSettings, *, is_owned: bool = True, has_account: bool = True
) -> NewPush:
    """Check the parameters of a new push and return it.

    `is_owned` is true if the caller is an owner, `has_account` if this owner has an account (not an operator's name).

    Raises: TooLarge; InvalidPush, with every invalid field.
    """
    fields = Fields(parameters)
    files = fields.files(settings.file_attachments, settings.max_file_size)
    kind = fields.kind(settings.kinds)
    payload = fields.payload(kind)
    sealed_key_id = protections.sealed_key_id(fields, parameters, kind, payload)
    lifetime, expire_after_days = fields.lifetime(settings.days)
    protections.refuse_unavailable(fields, parameters)
    new = NewPush(
        kind=kind,
        payload=payload,
        passphrase=fields.passphrase() or None,
        name=fields.text("name", MAX_NAME),
        note=fields.text("note", MAX_NOTE),
        lifetime=lifetime,
        expire_after_days=expire_after_days,
        expire_after_views=fields.number("expire_after_views", settings.views),
        deletable_by_viewer=fields.switch("deletable_by_viewer", settings.deletable_by_viewer),
        retrieval_step=fields.switch("retrieval_step", settings.retrieval_step),
        files=files,
        mailing=_mailing(fields, parameters, is_available=settings.mails_links, is_owned=is_owned),
        notify_when_viewed=_notice(fields, is_available=settings.mails_links, has_account=is_owned and has_account),
        networks=protections.allowed_networks(fields, parameters),
        sealed_key_id=sealed_key_id,
    )
    if sealed_key_id and new.mailing:
        fields.refuse(TO, mail_rules.SEALED)
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
    """Return whether the request turns notices on or off; None if it does not say, or the owner has no account."""
    is_on = fields.switch(NOTIFY_WHEN_VIEWED, None)
    if is_on and not (is_available and has_account):
        fields.refuse(NOTIFY_WHEN_VIEWED, _NO_ADDRESS if is_available else _NO_NOTICES)
    return is_on if has_account else None
