"""Cognito as on AWS, on top of moto, which is more lenient: README.md in this directory has the sources.

An unconfirmed account is rejected whatever the password. Codes are mailed, and only the right one counts. Responses
reveal nothing about unknown addresses. Calls of an app client with a secret need its hash. A provider's users are found
by their names alone, and have no password.
"""

import base64
import hmac
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, NoReturn
from unittest import mock

from botocore import xform_name
from moto.cognitoidp.exceptions import InvalidPasswordException
from moto.cognitoidp.models import CognitoIdpBackend, CognitoIdpUserPool, cognitoidp_backends
from moto.core.models import DEFAULT_ACCOUNT_ID

from tests.doubles import federated_users
from tests.doubles.one_time_codes import OPERATIONS, STEP, OneTimeCodes, totp
from tests.engines import resources
from tests.meters import wire_tap

SIGN_UP, RESET = "sign-up", "reset"
_PUBLIC = {
    *("SignUp", "ResendConfirmationCode", "ConfirmSignUp", "ForgotPassword", "ConfirmForgotPassword"),
    "InitiateAuth",
}
_OWN = {"DeleteUser"}  # missing in moto
_SIMULATED = {"CodeDeliveryDetails": {"Destination": "s***@e***", "DeliveryMedium": "EMAIL", "AttributeName": "email"}}


class Mail(NamedTuple):
    """A mail with a code."""

    address: str
    purpose: str
    code: str


@dataclass
class Cognito:
    """One user pool; `mails` are the mails sent, oldest first."""

    pool_id: str
    mails: list[Mail] = field(default_factory=list)
    app_made_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    apps: OneTimeCodes = field(default_factory=OneTimeCodes)
    _codes: dict[tuple[str, str], str] = field(default_factory=dict)

    def next_code(self, secret: str) -> str:
        """Return the next one-time code of an authenticator app with this secret."""
        return self.apps.next(secret)

    def code(self, address: str) -> str:
        """Return the last code mailed to an address."""
        return next(mail.code for mail in reversed(self.mails) if mail.address == address)

    def act(self, client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        """Answer a call instead of moto, or pass it on to moto."""
        if operation == "DescribeUserPoolClient":
            return {"UserPoolClient": call()["UserPoolClient"] | {"CreationDate": self.app_made_at}}
        if operation == "AdminCreateUser" and federated_users.is_federated(parameters):
            return federated_users.create(self._pool, parameters)
        if operation == "AdminUpdateUserAttributes" and (user := self._federated(parameters["Username"])):
            return federated_users.update(user, parameters)
        if operation not in _PUBLIC | _OWN | OPERATIONS:
            return call()
        sent = parameters.get("AuthParameters") or parameters.get("ChallengeResponses") or parameters

        def refuse(code: str) -> NoReturn:
            raise client.exceptions.from_code(code)({"Error": {"Code": code, "Message": "as AWS says"}}, operation)

        if token := parameters.get("AccessToken"):
            _, username = self._pool.access_tokens.get(token) or refuse("NotAuthorizedException")
            owner = self.apps if operation in OPERATIONS else self
            user = self._pool._get_user(username) or refuse("UserNotFoundException")
            return getattr(owner, xform_name(operation))(user, call, parameters, refuse)
        username = sent.get("USERNAME") or sent.get("Username", "")
        app = self._pool.clients[parameters["ClientId"]]
        given = sent.get("SECRET_HASH") or sent.get("SecretHash")
        if app.generate_secret and given != _secret_hash(app.secret, username + app.id):
            refuse("NotAuthorizedException")
        answer = getattr(self.apps if operation in OPERATIONS else self, xform_name(operation))
        return answer(self._pool._get_user(username), call, parameters, refuse)

    @property
    def _pool(self) -> Any:
        return cognitoidp_backends[DEFAULT_ACCOUNT_ID][resources.REGION].user_pools[self.pool_id]

    def _federated(self, username: str) -> Any:
        user = self._pool.users.get(username)
        return user if user and user.status == federated_users.STATUS else None

    def sign_up(self, _user: Any, call: Any, parameters: Any, _refuse: Any) -> Any:
        """Create an account and mail its code."""
        answer = call()
        self._send(self._pool._get_user(parameters["Username"]), SIGN_UP)
        return answer

    def resend_confirmation_code(self, user: Any, _call: Any, _parameters: Any, refuse: Any) -> Any:
        """Mail the code of an unconfirmed account again."""
        if user and user.status != "UNCONFIRMED":
            refuse("InvalidParameterException")
        if user:
            self._send(user, SIGN_UP)
        return _SIMULATED

    def confirm_sign_up(self, user: Any, call: Any, parameters: Any, refuse: Any) -> Any:
        """Confirm an account with its code."""
        if user and user.status != "UNCONFIRMED":
            refuse("NotAuthorizedException")
        self._check(user, SIGN_UP, parameters, refuse)
        call()
        user.update_attributes([{"Name": "email_verified", "Value": "true"}])
        return {}

    def initiate_auth(self, user: Any, call: Any, _parameters: Any, refuse: Any) -> Any:
        """Sign in with a password."""
        if not user or not user.enabled:
            refuse("NotAuthorizedException")
        if user.status == "UNCONFIRMED":
            refuse("UserNotConfirmedException")
        answer = call()
        return self.apps.challenged(user, answer) if answer.get("ChallengeName") == "SOFTWARE_TOKEN_MFA" else answer

    def forgot_password(self, user: Any, _call: Any, _parameters: Any, refuse: Any) -> Any:
        """Mail a code for setting the password."""
        if user and user.status == federated_users.STATUS:
            refuse("NotAuthorizedException")
        if user and user.enabled and user.attribute_lookup.get("email_verified") == "true":
            self._send(user, RESET)
        return _SIMULATED

    def confirm_forgot_password(self, user: Any, call: Any, parameters: Any, refuse: Any) -> Any:
        """Set the password with the code."""
        self._check(user, RESET, parameters, refuse)
        call()
        user.status = "CONFIRMED"
        return {}

    def delete_user(self, user: Any, _call: Any, _parameters: Any, _refuse: Any) -> Any:
        """Delete the account of the access token."""
        del self._pool.users[user.username]
        return {}

    def _send(self, user: Any, purpose: str) -> None:
        code = f"{len(self.mails) + 100_001}"
        self._codes[user.id, purpose] = code
        self.mails.append(Mail(user.attribute_lookup["email"], purpose, code))

    def _check(self, user: Any, purpose: str, parameters: Any, refuse: Any) -> None:
        if user and (user.id, purpose) not in self._codes:
            refuse("ExpiredCodeException")
        if not user or self._codes[user.id, purpose] != parameters["ConfirmationCode"]:
            refuse("CodeMismatchException")
        del self._codes[user.id, purpose]


@dataclass
class Emulated:
    """MiniStack's user pool, which behaves like AWS's; it mails nothing and has one fixed code for each purpose."""

    pool_id: str

    def next_code(self, secret: str) -> str:
        """Return the one-time code of an authenticator app with this secret."""
        return totp(secret, int(time.time()) // STEP)

    def code(self, address: str) -> str:
        """Return the last code mailed to an address."""
        user = resources.client("cognito-idp").admin_get_user(UserPoolId=self.pool_id, Username=address)
        return "123456" if user["UserStatus"] == "UNCONFIRMED" else "654321"


@contextmanager
def as_aws(pool_id: str) -> Iterator[Cognito]:
    """Make moto's Cognito answer like AWS's."""
    double = Cognito(pool_id)
    rules = mock.patch.object(CognitoIdpBackend, "_validate_password", _check_password)
    finding = mock.patch.object(CognitoIdpUserPool, "_get_user", federated_users.find)
    with wire_tap.around(double.act), rules, finding:
        yield double


def _secret_hash(secret: str, message: str) -> str:
    # moto's pattern allows Latin-1 only.
    return base64.b64encode(hmac.digest(secret.encode(), message.encode(), "sha256")).decode()


def _check_password(_backend: Any, user_pool_id: str, password: str) -> None:
    del user_pool_id
    # moto takes at most 99 characters, AWS 256, by this pattern.
    if not re.fullmatch(r"[\S]+.*[\S]+", password) or not 12 <= len(password.encode("utf-16-le")) // 2 <= 256:
        raise InvalidPasswordException
