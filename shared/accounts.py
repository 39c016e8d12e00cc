"""Accounts, in a Cognito user pool: no password is ever stored here.

Whoever holds the code that was mailed to an address decides on its password, and nobody before them: an account that
waits for its code has a random one that nobody knows. Of an address, nobody learns whether it has an account.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from botocore.exceptions import ClientError, ParamValidationError

from shared import account_rules, aws, errors, metrics, owners, settings

# Only where somebody made the pool's rules stricter than the template has them.
_PASSWORD_REFUSED: dict[str, type[errors.Refusal]] = {"InvalidPasswordException": errors.PasswordRefused}
_CODE_REFUSED = _PASSWORD_REFUSED | dict.fromkeys(
    # Of tries without end Cognito tells only where there is an account, so all of these read the same.
    [
        *("CodeMismatchException", "ExpiredCodeException", "InvalidParameterException", "NotAuthorizedException"),
        *("UserNotFoundException", "UserNotConfirmedException"),
        *("LimitExceededException", "TooManyFailedAttemptsException", "TooManyRequestsException"),
    ],
    errors.CodeRefused,
)
_SIGN_IN_REFUSED: dict[str, type[errors.Refusal]] = {
    "NotAuthorizedException": errors.CredentialsRefused,
    "UserNotFoundException": errors.CredentialsRefused,
    "PasswordResetRequiredException": errors.CredentialsRefused,
    "InvalidParameterException": errors.CredentialsRefused,
    # AWS says so whatever the password was: to pass it on would tell who has signed up.
    "UserNotConfirmedException": errors.CredentialsRefused,
    "TooManyRequestsException": errors.TooManyTries,
}
# A mail that should have gone and did not.
_MAIL_REFUSED = {
    *("LimitExceededException", "TooManyRequestsException", "TooManyFailedAttemptsException"),
    *("CodeDeliveryFailureException", "InvalidEmailRoleAccessPolicyException", "NotAuthorizedException"),
}
# No mail goes, and that is right: the account is gone, or was confirmed, since we looked.
_NO_MAIL = {"UserNotFoundException", "InvalidParameterException"}


@dataclass(frozen=True)
class Account:
    """An account as Cognito has it; `is_confirmed` says that a code, or an operator, has vouched for its address."""

    sub: str
    address: str
    is_confirmed: bool
    is_enabled: bool

    @property
    def owner(self) -> str:
        """The owner that this account is."""
        return owners.of_account(self.sub)


def sign_up(address: str) -> None:
    """Make an account, which waits for the code that is mailed to its address; one that is there gets a code again.

    The address is one (account_rules.py); whether there is such an account, nobody learns.

    Raises: AddressRefused, if Cognito finds it is none.
    """
    with _told_to_nobody():
        try:
            _client().sign_up(
                **_named(address),
                Password=secrets.token_urlsafe(48),  # nobody keeps it: the code decides
                UserAttributes=[{"Name": "email", "Value": address}],
            )
        except _client().exceptions.UsernameExistsException:
            _send_code_again(address)
        except _client().exceptions.InvalidParameterException:
            raise errors.AddressRefused from None


def send_password_code(address: str) -> None:
    """Mail a code with which the password can be set anew, if there is such an account."""
    with _told_to_nobody():
        _client().forgot_password(**_named(address))


def confirm(address: str, code: str, password: str) -> str | None:
    """Confirm the address of an account with the code, and give it its password.

    Killed between the two, nobody gets in, and a code can be asked for again: that one sets the password. Then this
    gives the owner, as `set_password` does, otherwise None.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    with _refusals(_CODE_REFUSED):
        was_waiting = _confirm_sign_up(address, code)
    if not was_waiting:
        return set_password(address, code, password)
    # Never before: it would confirm an account by itself, whoever asks.
    with _refusals(_PASSWORD_REFUSED):
        _client().admin_set_user_password(UserPoolId=_pool_id(), Username=address, Password=password, Permanent=True)
    return None


def set_password(address: str, code: str, password: str) -> str:
    """Set the password anew; give the owner, whose sessions and API tokens are to end now.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    account = find(address)  # Before, so that nothing but ending what is to end can fail once the code is spent.
    with _refusals(_CODE_REFUSED):
        _client().confirm_forgot_password(**_named(address), ConfirmationCode=code, Password=password)
    if account is None:
        raise errors.CodeRefused  # It was made in the same moment: there is nothing to end, and the code is spent.
    return account.owner


def sign_in(address: str, password: str) -> str:
    """The owner whose address and password these are.

    Raises: CredentialsRefused, TooManyTries.
    """
    proof = {"USERNAME": address, "PASSWORD": password, "SECRET_HASH": _secret_hash(address)}
    with _refusals(_SIGN_IN_REFUSED, blank=errors.CredentialsRefused):
        answer = _client().initiate_auth(ClientId=_client_id(), AuthFlow="USER_PASSWORD_AUTH", AuthParameters=proof)
    if "AuthenticationResult" not in answer:  # A challenge: the password is an operator's, and to be changed first.
        raise errors.CredentialsRefused
    return owners.of_account(_claims(answer["AuthenticationResult"]["IdToken"])["sub"])


def find(username: str, *, is_impatient: bool = False) -> Account | None:
    """The account with this e-mail address or `sub`, None when there is none. An impatient look is one short try."""
    client = aws.client("cognito-idp", is_impatient=is_impatient)
    try:
        found = client.admin_get_user(UserPoolId=_pool_id(), Username=username)
    except client.exceptions.UserNotFoundException:
        return None
    attributes = {one["Name"]: one["Value"] for one in found["UserAttributes"]}
    is_confirmed = found["UserStatus"] != "UNCONFIRMED"
    return Account(attributes["sub"], attributes.get("email", "").lower(), is_confirmed, found["Enabled"])


def _confirm_sign_up(address: str, code: str) -> bool:
    """Confirm an account that waits for its code; say whether it did."""
    try:
        _client().confirm_sign_up(**_named(address), ConfirmationCode=code)
    except _client().exceptions.NotAuthorizedException:  # It is confirmed already.
        return False
    return True


def _send_code_again(address: str) -> None:
    account = find(address)
    if account and account.is_confirmed:
        _client().forgot_password(**_named(address))
    elif account:
        _client().resend_confirmation_code(**_named(address))


@contextmanager
def _told_to_nobody() -> Iterator[None]:
    """Swallow what would tell a stranger who has an account; a mail that did not go is counted."""
    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code in _MAIL_REFUSED:
            metrics.count("MailRefused", code)
        elif code not in _NO_MAIL:
            raise


@contextmanager
def _refusals(
    known: dict[str, type[errors.Refusal]], *, blank: type[errors.Refusal] = errors.CodeRefused
) -> Iterator[None]:
    try:
        yield
    except ParamValidationError:  # Something is blank, which is not even sent.
        raise blank from None
    except ClientError as error:
        refusal = known.get(error.response["Error"]["Code"])
        if refusal is None:
            raise
        raise refusal from None


def _claims(id_token: str) -> dict[str, Any]:
    # Straight from Cognito over TLS, so there is no signature to check.
    payload = id_token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims


def _named(address: str) -> dict[str, str]:
    return {"ClientId": _client_id(), "Username": address, "SecretHash": _secret_hash(address)}


def _secret_hash(address: str) -> str:
    message = (address + _client_id()).encode("utf-8", "surrogatepass")
    return base64.b64encode(hmac.digest(client_secret().encode(), message, hashlib.sha256)).decode()


@cache
def client_secret() -> str:
    """The app client's secret, without which nobody can call Cognito past our limits; in memory alone."""
    found = _client().describe_user_pool_client(UserPoolId=_pool_id(), ClientId=_client_id())
    return str(found["UserPoolClient"]["ClientSecret"])


def _client() -> Any:
    return aws.client("cognito-idp")


def _client_id() -> str:
    return settings.current().user_pool_client_id


def _pool_id() -> str:
    return settings.current().user_pool_id
