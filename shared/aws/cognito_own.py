"""Changes to the caller's own account in Cognito, authorized by an access token from a sign-in.

These calls need no IAM permission, so the functions have no power over other accounts.
"""

from typing import Any

from shared.aws import clients
from shared.aws.cognito_errors import OWN_ACCOUNT_REFUSED, translate_errors
from shared.domain import errors


def change_password(token: str, old: str, new: str) -> None:
    """Change the password. Raises: PasswordRefused, SignInLapsed, TooManyTries."""
    with _translate_errors():
        _client().change_password(AccessToken=token, PreviousPassword=old, ProposedPassword=new)


def new_secret(token: str) -> str:
    """Return a new secret for an authenticator app, in base32; not active until confirmed. Raises: SignInLapsed."""
    with _translate_errors():
        return str(_client().associate_software_token(AccessToken=token)["SecretCode"])


def confirm_secret(token: str, code: str) -> None:
    """Confirm the secret with a code from the app. Raises: OneTimeCodeRefused, SignInLapsed, TooManyTries."""
    with _translate_errors():
        answer = _client().verify_software_token(AccessToken=token, UserCode=code)
    if answer.get("Status", "SUCCESS") != "SUCCESS":
        raise errors.OneTimeCodeRefused


def set_two_factor(token: str, *, is_on: bool) -> None:
    """Require a one-time code at sign-in, or stop requiring it. Raises: SignInLapsed."""
    with _translate_errors():
        how = {"Enabled": is_on, "PreferredMfa": is_on}
        _client().set_user_mfa_preference(AccessToken=token, SoftwareTokenMfaSettings=how)


def delete(token: str) -> None:
    """Delete the account permanently. Raises: SignInLapsed."""
    with _translate_errors():
        _client().delete_user(AccessToken=token)


def _translate_errors() -> Any:
    return translate_errors(OWN_ACCOUNT_REFUSED, blank=errors.SignInLapsed)


def _client() -> Any:
    return clients.client("cognito-idp")
