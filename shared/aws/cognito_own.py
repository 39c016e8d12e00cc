"""What an account does to itself in Cognito, with the access token that its password, and its one-time code, gave.

None of these calls needs a permission: a function that makes them has no power over accounts of its own.
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
    """A fresh secret for an authenticator app, in base32, which counts once a code of it came. Raises: SignInLapsed."""
    with _translate_errors():
        return str(_client().associate_software_token(AccessToken=token)["SecretCode"])


def confirm_secret(token: str, code: str) -> None:
    """Confirm the secret by a code that the app made of it. Raises: OneTimeCodeRefused, SignInLapsed, TooManyTries."""
    with _translate_errors():
        answer = _client().verify_software_token(AccessToken=token, UserCode=code)
    if answer.get("Status", "SUCCESS") != "SUCCESS":
        raise errors.OneTimeCodeRefused


def set_two_factor(token: str, *, is_on: bool) -> None:
    """Have sign-in ask for a one-time code, or no longer. Raises: SignInLapsed."""
    with _translate_errors():
        how = {"Enabled": is_on, "PreferredMfa": is_on}
        _client().set_user_mfa_preference(AccessToken=token, SoftwareTokenMfaSettings=how)


def delete(token: str) -> None:
    """Delete the account for good. Raises: SignInLapsed."""
    with _translate_errors():
        _client().delete_user(AccessToken=token)


def _translate_errors() -> Any:
    return translate_errors(OWN_ACCOUNT_REFUSED, blank=errors.SignInLapsed)


def _client() -> Any:
    return clients.client("cognito-idp")
