"""Accounts, in a Cognito user pool: no password is ever stored here."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from shared import aws, errors, settings

_REFUSALS: dict[str, type[errors.Refusal]] = {
    "NotAuthorizedException": errors.CredentialsRefused,
    "UserNotFoundException": errors.CredentialsRefused,
    "PasswordResetRequiredException": errors.CredentialsRefused,
    "UserNotConfirmedException": errors.NotConfirmed,
    "InvalidPasswordException": errors.PasswordRefused,
    "InvalidParameterException": errors.CredentialsRefused,
    "CodeMismatchException": errors.CodeRefused,
    "ExpiredCodeException": errors.CodeRefused,
    "LimitExceededException": errors.TooManyTries,
    "TooManyRequestsException": errors.TooManyTries,
    "TooManyFailedAttemptsException": errors.TooManyTries,
}


def sign_up(email: str, password: str) -> None:
    """Make an account, which waits for the code sent to its address. One that is there already stays as it is."""
    with _refusals():
        try:
            _client().sign_up(
                ClientId=_client_id(),
                Username=email,
                Password=password,
                UserAttributes=[{"Name": "email", "Value": email}],
            )
        except _client().exceptions.UsernameExistsException:
            return  # To say so would tell strangers who has an account.


def confirm(email: str, code: str) -> None:
    """Confirm the address of an account: CodeRefused."""
    with _refusals():
        _client().confirm_sign_up(ClientId=_client_id(), Username=email, ConfirmationCode=code)


def check_password(email: str, password: str) -> None:
    """CredentialsRefused or NotConfirmed, unless the password is right."""
    with _refusals():
        _client().initiate_auth(
            ClientId=_client_id(),
            AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": email, "PASSWORD": password},
        )


def send_password_code(email: str) -> None:
    """Send a code with which the password can be set anew, if there is such an account."""
    try:
        with _refusals():
            _client().forgot_password(ClientId=_client_id(), Username=email)
    except (errors.CredentialsRefused, errors.NotConfirmed):
        return  # To say so would tell strangers who has an account.


def set_password(email: str, code: str, password: str) -> None:
    """Set the password anew: CodeRefused, PasswordRefused."""
    with _refusals():
        _client().confirm_forgot_password(
            ClientId=_client_id(), Username=email, ConfirmationCode=code, Password=password
        )


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        refusal = _REFUSALS.get(error.response["Error"]["Code"])
        if refusal is None:
            raise
        raise refusal from None


def _client() -> Any:
    return aws.client("cognito-idp")


def _client_id() -> str:
    return settings.current().user_pool_client_id
