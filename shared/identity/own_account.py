"""Changes by owners to their own accounts; each needs the password and, if enabled, a one-time code.

So an unattended browser cannot change the account, and neither can these functions alone (`cognito_own.py`).
"""

from datetime import datetime

from shared.aws import cognito, cognito_own
from shared.domain import account_rules, errors, owners
from shared.domain.token import Session
from shared.domain.two_factor import check_code
from shared.identity import accounts, auth


def find(session: Session) -> cognito.Account:
    """Return the session's account.

    Raises: NotFound, if the owner has none.
    """
    account = _account(session)
    if account is None:
        raise errors.NotFound
    return account


def change_password(session: Session, password: str, code: str, new: str, *, now: datetime) -> None:
    """Change the password; the caller must then end the owner's sessions and API tokens.

    Raises: PasswordRefused, and the errors of `accounts.get_access_token`.
    """
    account_rules.check_password(new)
    token = _token(session, password, code, now=now)
    try:
        cognito_own.change_password(token, password, new)
    except errors.SignInLapsed:
        # A response may have been lost, so that the SDK retried with the old password.
        if not accounts.is_password(session.address, new):
            raise


def begin_two_factor(session: Session, password: str, *, now: datetime) -> tuple[str, str]:
    """Return a token for `confirm_two_factor`, and a new secret for an authenticator app.

    Nothing changes before it is confirmed. Raises: the errors of `accounts.get_access_token`.
    """
    token = _token(session, password, "", now=now)
    return token, cognito_own.new_secret(token)


def confirm_two_factor(session: Session, token: str, code: str, *, now: datetime) -> None:
    """Check a code from the app, end the owner's sessions, then require one-time codes at sign-in.

    In this order, no session opened with the password alone is left if a later step fails.

    Raises: OneTimeCodeRefused, SignInLapsed, TooManyTries.
    """
    cognito_own.confirm_secret(token, check_code(code))
    auth.end_sessions(session.owner, now=now)
    cognito_own.set_two_factor(token, is_on=True)


def end_two_factor(session: Session, password: str, code: str, *, now: datetime) -> None:
    """Turn off one-time codes; the caller must then end the owner's sessions and API tokens.

    Raises: the errors of `accounts.get_access_token`.
    """
    cognito_own.set_two_factor(_token(session, password, code, now=now), is_on=False)


def delete(session: Session, password: str, code: str, *, now: datetime) -> None:
    """Delete the account, not its pushes; the caller must then end the owner's sessions and API tokens.

    Raises: the errors of `accounts.get_access_token`.
    """
    token = _token(session, password, code, now=now)
    try:
        cognito_own.delete(token)
    except errors.SignInLapsed:
        if _account(session):  # otherwise a response was lost, and the SDK retried
            raise


def _account(session: Session) -> cognito.Account | None:
    sub = owners.account_sub(session.owner)
    return cognito.find_by_sub(sub, session.username) if sub else None


def _token(session: Session, password: str, code: str, *, now: datetime) -> str:
    return accounts.get_access_token(session.owner, session.address, password, code, now=now)
