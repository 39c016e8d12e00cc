"""A push to create, and one just created. Pure."""

from datetime import timedelta
from typing import NamedTuple

from shared.domain.file import NewFile, Upload
from shared.domain.mail import Mailing
from shared.domain.push import Push
from shared.domain.safe_repr import hide_fields

NOTIFY_WHEN_VIEWED = "notify_when_viewed"  # the field to request notices


@hide_fields("payload", "passphrase", "name", "note")
class NewPush(NamedTuple):
    """A push to create, fully checked; `lifetime` is exact, `expire_after_days` is the number for clients.

    `networks` are packed (networks.py); None for any. `sealed_key_id` names the sender's key (jwe.py), if there is one.
    """

    kind: str
    payload: str
    passphrase: str | None
    name: str
    note: str
    lifetime: timedelta
    expire_after_days: int
    expire_after_views: int
    deletable_by_viewer: bool
    retrieval_step: bool
    files: tuple[NewFile, ...] = ()
    mailing: Mailing | None = None
    notify_when_viewed: bool | None = None
    networks: bytes | None = None
    sealed_key_id: bytes | None = None


@hide_fields("url_token", "manage_key")
class Created(NamedTuple):
    """A push just created; its url_token, the passphrase in `new` and the manage key are shown only once.

    `manage_key` is for the sender's own link (manage_key.py); None if the push has an owner.
    """

    push: Push
    url_token: str
    new: NewPush
    uploads: tuple[Upload, ...] = ()
    manage_key: str | None = None
