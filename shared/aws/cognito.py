"""Calls to Cognito's user pool, signed with the app client's secret. An `address` is an e-mail address."""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from shared.aws import clients
from shared.aws.cognito_errors import (
    CODE_REFUSED,
    ONE_TIME_CODE_REFUSED,
    PASSWORD_REFUSED,
    SIGN_IN_REFUSED,
    translate_errors,
)
from shared.domain import account_rules, errors, id_token, owners
from shared.domain.token import Access, Challenge
from shared.runtime import settings

_APP = "SOFTWARE_TOKEN_MFA"  # Cognito's name for the one-time codes of an authenticator app


class Account(NamedTuple):
    """An account in Cognito; `is_verified` is true if a code, an operator or the provider has confirmed its address.

    `username` is the `sub`, except for an account of the OIDC provider.
    """

    sub: str
    username: str
    address: str
    is_confirmed: bool
    is_verified: bool
    is_enabled: bool
    created_at: datetime
    has_two_factor: bool = False

    @property
    def owner(self) -> str:
        """Return the owner for this account."""
        return owners.of_account(self.sub)


def find(username: str, *, single_try: bool = False) -> Account | None:
    """Return the account with this e-mail address, `sub` or username; None if missing. `single_try`: do not retry.

    An account of the OIDC provider is found by its username alone (Cognito API Reference, AdminGetUser).
    """
    client = (clients.single_try_client if single_try else clients.client)("cognito-idp")
    try:
        user = client.admin_get_user(UserPoolId=_pool_id(), Username=username)
    except client.exceptions.UserNotFoundException:
        return None
    attributes = {attribute["Name"]: attribute["Value"] for attribute in user["UserAttributes"]}
    address = attributes.get("email", "").lower()
    return Account(
        sub=attributes["sub"],
        username=user["Username"],
        address=address,
        is_confirmed=user["UserStatus"] != "UNCONFIRMED",
        # A provider may confirm any text, such as two addresses.
        is_verified=attributes.get("email_verified") == "true" and account_rules.is_address(address),
        is_enabled=user["Enabled"],
        created_at=user["UserCreateDate"],
        has_two_factor=_APP in user.get("UserMFASettingList", []),
    )


def find_by_sub(sub: str, username: str | None, *, single_try: bool = False) -> Account | None:
    """Return the account with this `sub`; None if it is missing.

    `username` is Cognito's name for an account of the OIDC provider, which cannot be found by its `sub`; empty or None
    for other accounts. Such a name can belong to another account by now, after a deletion and another sign-in.
    """
    account = find(username or sub, single_try=single_try)
    return account if account and account.sub == sub else None


def create_account(address: str) -> bool:
    """Create an account and mail a code to its address; return False if it already exists.

    Raises: AddressRefused, if Cognito rejects the address.
    """
    try:
        _client().sign_up(
            **_by_name(address),
            Password=secrets.token_urlsafe(48),  # never used: the owner sets a password with the code
            UserAttributes=[{"Name": "email", "Value": address}],
        )
    except _client().exceptions.UsernameExistsException:
        return False
    except _client().exceptions.InvalidParameterException:
        raise errors.AddressRefused from None
    return True


def mail_confirmation_code(address: str) -> None:
    """Mail another code to confirm an account with."""
    _client().resend_confirmation_code(**_by_name(address))


def mail_password_code(address: str) -> None:
    """Mail a code to reset the password."""
    _client().forgot_password(**_by_name(address))


def confirm(address: str, code: str) -> bool:
    """Confirm an account with its code; return False if it was already confirmed.

    Raises: CodeRefused.
    """
    with translate_errors(CODE_REFUSED):
        try:
            _client().confirm_sign_up(**_by_name(address), ConfirmationCode=code)
        except _client().exceptions.NotAuthorizedException:
            return False
    return True


def set_initial_password(address: str, password: str) -> None:
    """Set an account's first password. Call `confirm` first: this call also confirms the account, without a code.

    Raises: PasswordRefused.
    """
    with translate_errors(PASSWORD_REFUSED):
        _client().admin_set_user_password(UserPoolId=_pool_id(), Username=address, Password=password, Permanent=True)


def reset_password(address: str, code: str, password: str) -> None:
    """Set a new password, with a mailed code.

    Raises: PasswordRefused, CodeRefused.
    """
    with translate_errors(CODE_REFUSED):
        _client().confirm_forgot_password(**_by_name(address), ConfirmationCode=code, Password=password)


def authenticate(address: str, password: str) -> Access:
    """Sign in with an address and a password.

    Raises: CredentialsRefused, TooManyTries; OneTimeCodeWanted, if a one-time code is needed, too.
    """
    proof = {"USERNAME": address, "PASSWORD": password, "SECRET_HASH": _secret_hash(address)}
    with translate_errors(SIGN_IN_REFUSED, blank=errors.CredentialsRefused):
        answer = _client().initiate_auth(ClientId=_client_id(), AuthFlow="USER_PASSWORD_AUTH", AuthParameters=proof)
    if answer.get("ChallengeName") == _APP:
        # The next call needs the username itself and its hash; the address is only an alias.
        username = answer.get("ChallengeParameters", {}).get("USER_ID_FOR_SRP", address)
        raise errors.OneTimeCodeWanted(Challenge(username, answer["Session"]))
    if "AuthenticationResult" not in answer:  # a challenge: an operator set the password, and it must be changed first
        raise errors.CredentialsRefused
    return _access(answer)


def answer_challenge(challenge: Challenge, code: str) -> Access:
    """Complete a sign-in with a one-time code.

    Raises: OneTimeCodeRefused (the challenge may accept another code); SignInLapsed (the challenge is no longer valid);
    TooManyTries.
    """
    responses = {
        "USERNAME": challenge.username,
        f"{_APP}_CODE": code,
        "SECRET_HASH": _secret_hash(challenge.username),
    }
    request = {"ChallengeName": _APP, "Session": challenge.session, "ChallengeResponses": responses}
    with translate_errors(ONE_TIME_CODE_REFUSED, blank=errors.SignInLapsed):
        answer = _client().respond_to_auth_challenge(ClientId=_client_id(), **request)
    if "AuthenticationResult" not in answer:
        raise errors.SignInLapsed
    return _access(answer)


def end_two_factor(sub: str) -> None:
    """Turn off one-time codes for an account; called by an operator."""
    off = {"Enabled": False, "PreferredMfa": False}
    _client().admin_set_user_mfa_preference(UserPoolId=_pool_id(), Username=sub, SoftwareTokenMfaSettings=off)


def _access(answer: dict[str, Any]) -> Access:
    result = answer["AuthenticationResult"]
    return Access(str(id_token.claims(result["IdToken"])["sub"]), result["AccessToken"])


def _by_name(address: str) -> dict[str, str]:
    return {"ClientId": _client_id(), "Username": address, "SecretHash": _secret_hash(address)}


def _secret_hash(address: str) -> str:
    message = (address + _client_id()).encode("utf-8", "surrogatepass")
    return base64.b64encode(hmac.digest(client_secret().encode(), message, hashlib.sha256)).decode()


@cache
def client_secret(client_id: str = "") -> str:
    """Return an app client's secret, kept in memory only; without an id, that of the client for passwords.

    Calls need it, so nobody can bypass our rate limits.
    """
    answer = _client().describe_user_pool_client(UserPoolId=_pool_id(), ClientId=client_id or _client_id())
    return str(answer["UserPoolClient"]["ClientSecret"])


def _client() -> Any:
    return clients.client("cognito-idp")


def _client_id() -> str:
    return settings.current().user_pool_client_id


def _pool_id() -> str:
    return settings.current().user_pool_id
