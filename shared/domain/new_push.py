"""A push to create, and one just created. Pure."""

from dataclasses import dataclass, field
from datetime import timedelta

from shared.domain.file import NewFile, Upload
from shared.domain.mailing import Mailing
from shared.domain.push import Push

NOTIFY_WHEN_VIEWED = "notify_when_viewed"  # the field that asks for notices


@dataclass(frozen=True)
class NewPush:
    """A push to create, checked by every rule; `lifetime` is exact, `expire_after_days` is what clients read."""

    kind: str
    payload: str = field(repr=False)
    passphrase: str | None = field(repr=False)
    name: str = field(repr=False)
    note: str = field(repr=False)
    lifetime: timedelta
    expire_after_days: int
    expire_after_views: int
    deletable_by_viewer: bool
    retrieval_step: bool
    files: tuple[NewFile, ...] = ()
    mailing: Mailing | None = None
    notify_when_viewed: bool | None = None


@dataclass(frozen=True)
class Created:
    """A push just created, with what is shown only this once: its url_token, and the passphrase in `new`."""

    push: Push
    url_token: str = field(repr=False)
    new: NewPush
    uploads: tuple[Upload, ...] = ()
