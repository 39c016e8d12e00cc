"""The one-time codes of Cognito as AWS has them, and an authenticator app; moto takes any code, again and again."""

import base64
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Any

STEP = 30  # seconds
OPERATIONS = {"AssociateSoftwareToken", "VerifySoftwareToken", "RespondToAuthChallenge"}


def totp(secret: str, step: int) -> str:
    """What an authenticator app shows in this step (RFC 6238, with the usual SHA-1 and six digits)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.digest(key, step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset : offset + 4], 'big') & 0x7FFFFFFF) % 10**6:06}"


@dataclass
class OneTimeCodes:
    """What a user pool knows of its accounts' authenticator apps; `step` is its clock.

    `status` is what VerifySoftwareToken answers to the right code, where it is not an error by name.
    """

    step: int = 1_000_000
    status: str = "SUCCESS"
    _secrets: dict[str, str] = field(default_factory=dict)
    _confirmed: dict[str, str] = field(default_factory=dict)
    _used: set[tuple[str, str]] = field(default_factory=set)
    _sessions: dict[str, str] = field(default_factory=dict)

    def next(self, secret: str) -> str:
        """The code that an app shows next."""
        self.step += 1
        return totp(secret, self.step)

    def lapse(self) -> None:
        """Let three minutes pass, after which no challenge can be answered any more."""
        self._sessions.clear()

    def challenged(self, user: Any, answer: dict[str, Any]) -> dict[str, Any]:
        """The challenge of a sign-in; its session is good for one answer that is right."""
        self._sessions[answer["Session"]] = user.id
        return answer | {"ChallengeParameters": {"USER_ID_FOR_SRP": user.username}}

    def associate_software_token(self, user: Any, _call: Any, _parameters: Any, _refuse: Any) -> Any:
        """A secret of the account's own, which replaces one that waits for its confirmation."""
        self._secrets[user.id] = base64.b32encode(secrets.token_bytes(32)).decode().rstrip("=")
        return {"SecretCode": self._secrets[user.id]}

    def verify_software_token(self, user: Any, call: Any, parameters: Any, refuse: Any) -> Any:
        """Confirm the secret by a code."""
        if user.id not in self._secrets:
            refuse("SoftwareTokenMFANotFoundException")
        if not self._is_right(self._secrets[user.id], parameters["UserCode"]):
            refuse("EnableSoftwareTokenMFAException")
        self._use(user, parameters["UserCode"], refuse)
        if self.status != "SUCCESS":
            return {"Status": self.status}
        self._confirmed[user.id] = self._secrets.pop(user.id)
        return {"Status": call()["Status"]}

    def respond_to_auth_challenge(self, user: Any, call: Any, parameters: Any, refuse: Any) -> Any:
        """End a sign-in; a wrong code leaves the challenge standing."""
        sent = parameters["ChallengeResponses"]
        is_open = user and user.enabled and self._sessions.get(parameters["Session"]) == user.id
        if not is_open or sent["USERNAME"] != user.username:  # an alias is refused here
            refuse("NotAuthorizedException")
        if not self._is_right(self._confirmed[user.id], sent["SOFTWARE_TOKEN_MFA_CODE"]):
            refuse("CodeMismatchException")
        self._use(user, sent["SOFTWARE_TOKEN_MFA_CODE"], refuse)
        del self._sessions[parameters["Session"]]
        return call()

    def _is_right(self, secret: str, code: str) -> bool:
        return code in {totp(secret, self.step + drift) for drift in (-1, 0, 1)}

    def _use(self, user: Any, code: str, refuse: Any) -> None:
        if (user.id, code) in self._used:
            refuse("ExpiredCodeException")
        self._used.add((user.id, code))
