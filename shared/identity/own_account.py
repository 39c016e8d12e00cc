"""What owners do to their own accounts: each time the password is asked for, and the one-time code if one is due.

Whoever finds a browser signed in can change nothing here, nor can these functions by themselves (`cognito_own.py`).
"""

from datetime import datetime

from shared.aws import cognito, cognito_own
from shared.domain import account_rules, errors, owners
from shared.domain.token import Session
from shared.domain.two_factor import check_code
from shared.identity import accounts


def has_two_factor(owner: str) -> bool:
    """Whether signing in asks for a one-time code.

    Raises: NotFound, when the owner is no account, or one that is gone.
    """
    account = _account(owner)
    if account is None:
        raise errors.NotFound
    return account.has_two_factor


def change_password(session: Session, password: str, code: str, new: str, *, now: datetime) -> None:
    """Set another password; the caller must end the sessions and API tokens of the owner now.

    Raises: PasswordRefused, and what `accounts.get_access_token` raises.
    """
    account_rules.check_password(new)
    token = _token(session, password, code, now=now)
    try:
        cognito_own.change_password(token, password, new)
    except errors.SignInLapsed:
        # Perhaps the answer was lost, and the SDK tried again, with a password that is not right any more.
        if not accounts.is_password(session.address, new):
            raise


def begin_two_factor(session: Session, password: str, *, now: datetime) -> tuple[str, str]:
    """A fresh secret for an authenticator app, and before it the token that `confirm_two_factor` wants.

    Nothing changes until it is confirmed. Raises: what `accounts.get_access_token` raises.
    """
    token = _token(session, password, "", now=now)
    return token, cognito_own.new_secret(token)


def confirm_two_factor(token: str, code: str) -> None:
    """Have sign-in ask for one-time codes from now on, since the app shows the right one.

    Raises: OneTimeCodeRefused, SignInLapsed, TooManyTries.
    """
    cognito_own.confirm_secret(token, check_code(code))
    cognito_own.set_two_factor(token, is_on=True)


def end_two_factor(session: Session, password: str, code: str, *, now: datetime) -> None:
    """Have sign-in ask for the password alone; the caller must end the sessions and API tokens of the owner now.

    Raises: what `accounts.get_access_token` raises.
    """
    cognito_own.set_two_factor(_token(session, password, code, now=now), is_on=False)


def delete(session: Session, password: str, code: str, *, now: datetime) -> None:
    """Delete the account; the caller must end the sessions and API tokens of the owner now. Its pushes stay.

    Raises: what `accounts.get_access_token` raises.
    """
    token = _token(session, password, code, now=now)
    try:
        cognito_own.delete(token)
    except errors.SignInLapsed:
        if _account(session.owner):  # else the answer was lost, and the SDK tried again
            raise


def _account(owner: str) -> cognito.Account | None:
    sub = owners.account_sub(owner)
    return cognito.find(sub) if sub else None


def _token(session: Session, password: str, code: str, *, now: datetime) -> str:
    return accounts.get_access_token(session.owner, session.address, password, code, now=now)
