"""The calls to Cognito's user pool, each signed with the app client's secret."""

import base64
import hashlib
import hmac
import json
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
from shared.domain import errors, owners
from shared.domain.token import Access, Challenge
from shared.runtime import settings

_APP = "SOFTWARE_TOKEN_MFA"  # Cognito's name for one-time codes of an authenticator app


class Account(NamedTuple):
    """An account as Cognito has it; verified means that a code, or an operator, has vouched for its present address."""

    sub: str
    address: str
    is_confirmed: bool
    is_verified: bool
    is_enabled: bool
    created_at: datetime
    has_two_factor: bool = False

    @property
    def owner(self) -> str:
        """The owner that this account is."""
        return owners.of_account(self.sub)


def find(username: str, *, single_try: bool = False) -> Account | None:
    """The account with this e-mail address or `sub`, None when there is none; `single_try` gives it one short try."""
    client = (clients.single_try_client if single_try else clients.client)("cognito-idp")
    try:
        user = client.admin_get_user(UserPoolId=_pool_id(), Username=username)
    except client.exceptions.UserNotFoundException:
        return None
    attributes = {attribute["Name"]: attribute["Value"] for attribute in user["UserAttributes"]}
    return Account(
        sub=attributes["sub"],
        address=attributes.get("email", "").lower(),
        is_confirmed=user["UserStatus"] != "UNCONFIRMED",
        is_verified=attributes.get("email_verified") == "true",
        is_enabled=user["Enabled"],
        created_at=user["UserCreateDate"],
        has_two_factor=_APP in user.get("UserMFASettingList", []),
    )


def create_account(address: str) -> bool:
    """Make an account that waits for the code mailed to its address; False when there is one already.

    Raises: AddressRefused, when Cognito does not take it for an e-mail address.
    """
    try:
        _client().sign_up(
            **_by_name(address),
            Password=secrets.token_urlsafe(48),  # nobody keeps it: the code decides
            UserAttributes=[{"Name": "email", "Value": address}],
        )
    except _client().exceptions.UsernameExistsException:
        return False
    except _client().exceptions.InvalidParameterException:
        raise errors.AddressRefused from None
    return True


def mail_confirmation_code(address: str) -> None:
    """Mail again the code that confirms an account."""
    _client().resend_confirmation_code(**_by_name(address))


def mail_password_code(address: str) -> None:
    """Mail a code that sets the password anew."""
    _client().forgot_password(**_by_name(address))


def confirm(address: str, code: str) -> bool:
    """Confirm an account that waits for its code; False when it was confirmed already.

    Raises: CodeRefused.
    """
    with translate_errors(CODE_REFUSED):
        try:
            _client().confirm_sign_up(**_by_name(address), ConfirmationCode=code)
        except _client().exceptions.NotAuthorizedException:
            return False
    return True


def set_initial_password(address: str, password: str) -> None:
    """Give an account its password, without a code. Never before `confirm`: this call confirms the account by itself.

    Raises: PasswordRefused.
    """
    with translate_errors(PASSWORD_REFUSED):
        _client().admin_set_user_password(UserPoolId=_pool_id(), Username=address, Password=password, Permanent=True)


def reset_password(address: str, code: str, password: str) -> None:
    """Set the password anew, with the code.

    Raises: PasswordRefused, CodeRefused.
    """
    with translate_errors(CODE_REFUSED):
        _client().confirm_forgot_password(**_by_name(address), ConfirmationCode=code, Password=password)


def authenticate(address: str, password: str) -> Access:
    """Sign in with an address and a password.

    Raises: CredentialsRefused, TooManyTries; OneTimeCodeWanted, where that is not enough.
    """
    proof = {"USERNAME": address, "PASSWORD": password, "SECRET_HASH": _secret_hash(address)}
    with translate_errors(SIGN_IN_REFUSED, blank=errors.CredentialsRefused):
        answer = _client().initiate_auth(ClientId=_client_id(), AuthFlow="USER_PASSWORD_AUTH", AuthParameters=proof)
    if answer.get("ChallengeName") == _APP:
        # From here on Cognito wants the username itself, of which the address is an alias, and its hash.
        username = answer.get("ChallengeParameters", {}).get("USER_ID_FOR_SRP", address)
        raise errors.OneTimeCodeWanted(Challenge(username, answer["Session"]))
    if "AuthenticationResult" not in answer:  # A challenge: an operator set the password, and it must be changed first.
        raise errors.CredentialsRefused
    return _access(answer)


def answer_challenge(challenge: Challenge, code: str) -> Access:
    """End a sign-in with the one-time code.

    Raises: OneTimeCodeRefused, after which Cognito may take another code with the same challenge; SignInLapsed, when it
    takes none any more; TooManyTries.
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
    """Have an account sign in without one-time codes, for an operator."""
    off = {"Enabled": False, "PreferredMfa": False}
    _client().admin_set_user_mfa_preference(UserPoolId=_pool_id(), Username=sub, SoftwareTokenMfaSettings=off)


def _access(answer: dict[str, Any]) -> Access:
    result = answer["AuthenticationResult"]
    return Access(str(_claims(result["IdToken"])["sub"]), result["AccessToken"])


def _claims(id_token: str) -> dict[str, Any]:
    # It comes straight from Cognito, over TLS, so its signature need not be checked.
    payload = id_token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims


def _by_name(address: str) -> dict[str, str]:
    return {"ClientId": _client_id(), "Username": address, "SecretHash": _secret_hash(address)}


def _secret_hash(address: str) -> str:
    message = (address + _client_id()).encode("utf-8", "surrogatepass")
    return base64.b64encode(hmac.digest(client_secret().encode(), message, hashlib.sha256)).decode()


@cache
def client_secret() -> str:
    """The app client's secret, without which nobody can call Cognito past our rate limits; kept in memory only."""
    answer = _client().describe_user_pool_client(UserPoolId=_pool_id(), ClientId=_client_id())
    return str(answer["UserPoolClient"]["ClientSecret"])


def _client() -> Any:
    return clients.client("cognito-idp")


def _client_id() -> str:
    return settings.current().user_pool_client_id


def _pool_id() -> str:
    return settings.current().user_pool_id
