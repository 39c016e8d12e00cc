"""API tokens, sessions and the steps of a sign-in: what proves who somebody is, and since when it counts. Pure."""

from datetime import datetime, timedelta
from typing import NamedTuple

from shared.domain.safe_repr import hide_fields

# How far two clocks may be apart. A credential that is dated later is not one that we issued.
_CLOCK_SKEW = timedelta(minutes=1)


class ApiToken(NamedTuple):
    """An API token, by its digest: never the token itself.

    `expires_at` is None when it has no end. `proven_at` is when the owner who made it on a page had signed in; None for
    one that an operator made. `notify_when_viewed` comes from the owner's record (AccountStatus), where that was read.
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
        """When whoever made the token last proved who they are: it is as old as the session that it was made in."""
        return self.proven_at or self.created_at

    def is_expired(self, now: datetime) -> bool:
        """Whether the token is expired, or dated in the future, by the clock alone."""
        return _is_future(self.created_at, now) or (self.expires_at is not None and self.expires_at <= now)


class Session(NamedTuple):
    """A session in a browser, by the digest of its cookie; `address` is the e-mail address that signed in.

    `notify_when_viewed` is as of an API token.
    """

    digest: str
    owner: str
    address: str
    created_at: datetime
    expires_at: datetime
    notify_when_viewed: bool = False

    @property
    def proof(self) -> datetime:
        """When the owner signed in."""
        return self.created_at

    def is_expired(self, now: datetime) -> bool:
        """Whether the session is expired, or dated in the future, by the clock alone."""
        return _is_future(self.created_at, now) or self.expires_at <= now


Credential = ApiToken | Session


class AccountStatus(NamedTuple):
    """An owner's record: credentials proven before `ended_at` are invalid, sessions also before `sessions_ended_at`.

    Cognito was last asked at `looked_at`. `notify_when_viewed` says whether they are to hear of the views of new pushes
    that say nothing of it, `locale` in which language.
    """

    ended_at: datetime | None = None
    looked_at: datetime | None = None
    notify_when_viewed: bool | None = None
    locale: str | None = None
    sessions_ended_at: datetime | None = None

    def accepts(self, credential: Credential, now: datetime) -> bool:
        """Whether an API token or a session was proven late enough to count, and not in the future."""
        ends = [self.ended_at, self.sessions_ended_at if isinstance(credential, Session) else None]
        return not _is_future(credential.proof, now) and all(credential.proof >= end for end in ends if end)


@hide_fields("token")
class Access(NamedTuple):
    """A finished sign-in: whose account it is, and a token that can change the account for an hour."""

    sub: str
    token: str


@hide_fields("session")
class Challenge(NamedTuple):
    """A sign-in that waits for its one-time code: Cognito takes these with the code within three minutes."""

    username: str
    session: str


def _is_future(moment: datetime, now: datetime) -> bool:
    return moment > now + _CLOCK_SKEW
