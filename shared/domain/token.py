"""Credentials: API tokens, sessions and steps of a sign-in, and when they are valid. Pure."""

from datetime import datetime, timedelta
from typing import NamedTuple

from shared.domain.safe_repr import hide_fields

# The maximum difference between two clocks. A credential with a later date is not ours.
_CLOCK_SKEW = timedelta(minutes=1)


class ApiToken(NamedTuple):
    """An API token, stored as its digest.

    `expires_at` is None if it never expires. `proven_at` is when the owner signed in before creating it; None if an
    operator created it. `notify_when_viewed` comes from the owner's record (AccountStatus), if that was read.
    """

    digest: str
    owner: str
    name: str
    last_four: str
    created_at: datetime
    expires_at: datetime | None = None
    proven_at: datetime | None = None
    notify_when_viewed: bool = False

    @property
    def proof(self) -> datetime:
        """Return when the creator of the token signed in; for an operator's token, when it was created."""
        return self.proven_at or self.created_at

    def is_expired(self, now: datetime) -> bool:
        """Return whether the token has expired, or is dated in the future, by the clock alone."""
        return _is_future(self.created_at, now) or (self.expires_at is not None and self.expires_at <= now)


class Session(NamedTuple):
    """A browser session, stored as its cookie's digest; `address` is the e-mail address at sign-in.

    `notify_when_viewed` and `username` come from the owner's record, as for an API token. `username` is Cognito's name
    for an account of the OIDC provider; empty for other accounts. `second_factor` is true if the sign-in asked for a
    one-time code.
    """

    digest: str
    owner: str
    address: str
    created_at: datetime
    expires_at: datetime
    notify_when_viewed: bool = False
    second_factor: bool = False
    username: str = ""

    @property
    def proof(self) -> datetime:
        """Return when the owner signed in."""
        return self.created_at

    def is_expired(self, now: datetime) -> bool:
        """Return whether the session has expired, or is dated in the future, by the clock alone."""
        return _is_future(self.created_at, now) or self.expires_at <= now


Credential = ApiToken | Session


class AccountStatus(NamedTuple):
    """An owner's record: credentials from before `ended_at` are invalid, and sessions from before `sessions_ended_at`.

    A credential is from the time that its `proof` returns. `looked_at` is when Cognito last confirmed the account.
    `notify_when_viewed` says whether new pushes send notices by default; `locale` is the language of notices.
    `username` is as in `Session`. A field is None if it was never set.
    """

    ended_at: datetime | None = None
    looked_at: datetime | None = None
    notify_when_viewed: bool | None = None
    locale: str | None = None
    sessions_ended_at: datetime | None = None
    username: str | None = None

    def accepts(self, credential: Credential, now: datetime) -> bool:
        """Return whether the credential is still valid: not from before these times, and not dated in the future."""
        ends = [self.ended_at, self.sessions_ended_at if isinstance(credential, Session) else None]
        return not _is_future(credential.proof, now) and all(credential.proof >= end for end in ends if end)


@hide_fields("token")
class Access(NamedTuple):
    """A completed sign-in: the account's `sub`, and an access token to change the account, valid for an hour."""

    sub: str
    token: str


@hide_fields("session")
class Challenge(NamedTuple):
    """A sign-in that still needs its one-time code.

    Cognito's `session` must be sent back with the code within three minutes; after that, the person begins again.
    """

    username: str
    session: str


def _is_future(moment: datetime, now: datetime) -> bool:
    return moment > now + _CLOCK_SKEW
