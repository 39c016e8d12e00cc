"""Map Cognito's errors to ours, and hide errors that reveal whether an account exists."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from botocore.exceptions import ClientError, ParamValidationError

from shared.domain import errors
from shared.runtime import metrics

# Only if the pool's rules were made stricter than the template's.
PASSWORD_REFUSED: dict[str, type[errors.Refusal]] = {"InvalidPasswordException": errors.PasswordRefused}
CODE_REFUSED = PASSWORD_REFUSED | dict.fromkeys(
    # Cognito reports too many tries only for existing accounts, so all of these give the same error.
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
    # Cognito sends this for any password; passing it on would reveal that the account exists.
    "UserNotConfirmedException": errors.CredentialsRefused,
    "TooManyRequestsException": errors.TooManyTries,
}
ONE_TIME_CODE_REFUSED: dict[str, type[errors.Refusal]] = {
    "CodeMismatchException": errors.OneTimeCodeRefused,
    "EnableSoftwareTokenMFAException": errors.OneTimeCodeRefused,  # VerifySoftwareToken's error for a wrong code
    "ExpiredCodeException": errors.OneTimeCodeRefused,  # "Your software token has already been used once."
    # The challenge or the access token has expired, or its account is another one, disabled or deleted.
    "NotAuthorizedException": errors.SignInLapsed,
    "UserNotFoundException": errors.SignInLapsed,
    "SoftwareTokenMFANotFoundException": errors.SignInLapsed,
    "MFAMethodNotFoundException": errors.SignInLapsed,
    "PasswordResetRequiredException": errors.SignInLapsed,  # set by an operator, like the next
    "UserNotConfirmedException": errors.SignInLapsed,
    "InvalidParameterException": errors.SignInLapsed,
    "LimitExceededException": errors.TooManyTries,
    "TooManyFailedAttemptsException": errors.TooManyTries,
    "TooManyRequestsException": errors.TooManyTries,
}
OWN_ACCOUNT_REFUSED = PASSWORD_REFUSED | ONE_TIME_CODE_REFUSED
# A mail was not sent, but should have been.
_MAIL_REFUSED = {
    "LimitExceededException",
    "TooManyRequestsException",
    "TooManyFailedAttemptsException",
    "CodeDeliveryFailureException",
    "InvalidEmailRoleAccessPolicyException",
    "NotAuthorizedException",
}
# No mail was needed: the account was deleted or confirmed after the lookup.
_NO_MAIL = {"UserNotFoundException", "InvalidParameterException"}


@contextmanager
def hide_account_errors() -> Iterator[None]:
    """Suppress errors that would reveal whether an account exists; mails not sent are counted in MailRefused.

    Raises: ClientError, for any other error.
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
    """Map Cognito's errors to ours: by code, as in `by_code`, or to `blank` if the SDK refuses an empty parameter.

    Raises: the mapped error; ClientError, if the code is not in `by_code`.
    """
    try:
        yield
    except ParamValidationError:  # a blank parameter; the SDK sent no request
        raise blank from None
    except ClientError as error:
        refusal = by_code.get(error.response["Error"]["Code"])
        if refusal is None:
            raise
        raise refusal from None
