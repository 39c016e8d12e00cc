"""Accounts, in a Cognito user pool: no password is ever stored here."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from botocore.exceptions import ClientError, ParamValidationError

from shared import aws, errors, settings

MIN_PASSWORD = 12  # characters; the user pool of template.yaml asks for as many

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
    """Make an account, which waits for the code sent to its address. One that is there already stays as it is.

    PasswordRefused; whether there is such an account, nobody learns.
    """
    _check_length(password)
    refused = _client().exceptions
    with _refusals():
        try:
            _client().sign_up(
                ClientId=_client_id(),
                Username=email,
                Password=password,
                UserAttributes=[{"Name": "email", "Value": email}],
            )
        except refused.UsernameExistsException:
            # One that still waits needs a fresh code, since nobody can ask for the first one again.
            with suppress(refused.InvalidParameterException, refused.LimitExceededException):  # confirmed; asked often
                _client().resend_confirmation_code(ClientId=_client_id(), Username=email)


def confirm(email: str, code: str, password: str) -> None:
    """Confirm the address of an account: CredentialsRefused, CodeRefused.

    The password is asked for as well: a stranger may have signed up with this address, and its owner, who gets the
    code, must not confirm an account that opens to the stranger's password.
    """
    with suppress(errors.NotConfirmed):
        check_password(email, password)
    with _refusals(NotAuthorizedException=errors.CodeRefused):  # It is confirmed already.
        _client().confirm_sign_up(ClientId=_client_id(), Username=email, ConfirmationCode=code)


def check_password(email: str, password: str) -> None:
    """CredentialsRefused or NotConfirmed, unless the password is right."""
    with _refusals():
        answer = _client().initiate_auth(
            ClientId=_client_id(),
            AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": email, "PASSWORD": password},
        )
    if "AuthenticationResult" not in answer:  # A challenge: the password is an operator's, and to be changed first.
        raise errors.CredentialsRefused


def send_password_code(email: str) -> None:
    """Send a code with which the password can be set anew, if there is such an account."""
    try:
        with _refusals():
            _client().forgot_password(ClientId=_client_id(), Username=email)
    except (errors.CredentialsRefused, errors.NotConfirmed, errors.TooManyTries):
        return  # To say so would tell strangers who has an account.


def set_password(email: str, code: str, password: str) -> None:
    """Set the password anew: CodeRefused, PasswordRefused."""
    _check_length(password)
    with _refusals(UserNotFoundException=errors.CodeRefused, UserNotConfirmedException=errors.CodeRefused):
        _client().confirm_forgot_password(
            ClientId=_client_id(), Username=email, ConfirmationCode=code, Password=password
        )


def _check_length(password: str) -> None:
    # Cognito may look for the account first, and its answer would tell whether there is one.
    if len(password) < MIN_PASSWORD:
        raise errors.PasswordRefused


@contextmanager
def _refusals(**special: type[errors.Refusal]) -> Iterator[None]:
    try:
        yield
    except ParamValidationError:  # Something is blank, which is not even sent.
        raise errors.CredentialsRefused from None
    except ClientError as error:
        refusal = (_REFUSALS | special).get(error.response["Error"]["Code"])
        if refusal is None:
            raise
        raise refusal from None


def _client() -> Any:
    return aws.client("cognito-idp")


def _client_id() -> str:
    return settings.current().user_pool_client_id
