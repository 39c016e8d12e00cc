"""What Cognito's errors mean to a caller, and what of them nobody is told."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from botocore.exceptions import ClientError, ParamValidationError

from shared.domain import errors
from shared.runtime import metrics

# This happens only where somebody made the pool's rules stricter than the template.
PASSWORD_REFUSED: dict[str, type[errors.Refusal]] = {"InvalidPasswordException": errors.PasswordRefused}
CODE_REFUSED = PASSWORD_REFUSED | dict.fromkeys(
    # Cognito says that there were too many tries only where there is an account, so all of these must read the same.
    [
        "CodeMismatchException",
        "ExpiredCodeException",
        "InvalidParameterException",
        "NotAuthorizedException",
        "UserNotFoundException",
        "UserNotConfirmedException",
        "LimitExceededException",
        "TooManyFailedAttemptsException",
        "TooManyRequestsException",
    ],
    errors.CodeRefused,
)
SIGN_IN_REFUSED: dict[str, type[errors.Refusal]] = {
    "NotAuthorizedException": errors.CredentialsRefused,
    "UserNotFoundException": errors.CredentialsRefused,
    "PasswordResetRequiredException": errors.CredentialsRefused,
    "InvalidParameterException": errors.CredentialsRefused,
    # AWS answers this whatever the password was: to pass it on would tell who has signed up.
    "UserNotConfirmedException": errors.CredentialsRefused,
    "TooManyRequestsException": errors.TooManyTries,
}
ONE_TIME_CODE_REFUSED: dict[str, type[errors.Refusal]] = {
    "CodeMismatchException": errors.OneTimeCodeRefused,
    "EnableSoftwareTokenMFAException": errors.OneTimeCodeRefused,  # what VerifySoftwareToken calls a wrong code
    "ExpiredCodeException": errors.OneTimeCodeRefused,  # "Your software token has already been used once."
    # A challenge or an access token that is over, of another account, or of one that is disabled or gone.
    "NotAuthorizedException": errors.SignInLapsed,
    "UserNotFoundException": errors.SignInLapsed,
    "SoftwareTokenMFANotFoundException": errors.SignInLapsed,
    "MFAMethodNotFoundException": errors.SignInLapsed,
    "PasswordResetRequiredException": errors.SignInLapsed,  # an operator's doing, as the next
    "UserNotConfirmedException": errors.SignInLapsed,
    "InvalidParameterException": errors.SignInLapsed,
    "LimitExceededException": errors.TooManyTries,
    "TooManyFailedAttemptsException": errors.TooManyTries,
    "TooManyRequestsException": errors.TooManyTries,
}
OWN_ACCOUNT_REFUSED = PASSWORD_REFUSED | ONE_TIME_CODE_REFUSED
# A mail that should have gone and did not.
_MAIL_REFUSED = {
    "LimitExceededException",
    "TooManyRequestsException",
    "TooManyFailedAttemptsException",
    "CodeDeliveryFailureException",
    "InvalidEmailRoleAccessPolicyException",
    "NotAuthorizedException",
}
# No mail should go: the account was deleted, or confirmed, after we looked it up.
_NO_MAIL = {"UserNotFoundException", "InvalidParameterException"}


@contextmanager
def hide_account_errors() -> Iterator[None]:
    """Hide errors that would tell a stranger who has an account; MailRefused counts the mails that did not go.

    Raises: ClientError, when it is any other error.
    """
    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code in _MAIL_REFUSED:
            metrics.count("MailRefused", code)
        elif code not in _NO_MAIL:
            raise


@contextmanager
def translate_errors(
    by_code: Mapping[str, type[errors.Refusal]], *, blank: type[errors.Refusal] = errors.CodeRefused
) -> Iterator[None]:
    """Turn Cognito's errors into refusals by their codes, and a blank parameter into the refusal `blank`.

    Raises: the refusal; ClientError, when its code is not in `by_code`.
    """
    try:
        yield
    except ParamValidationError:  # A parameter is blank, so the SDK did not even send it.
        raise blank from None
    except ClientError as error:
        refusal = by_code.get(error.response["Error"]["Code"])
        if refusal is None:
            raise
        raise refusal from None
