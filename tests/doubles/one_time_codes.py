"""Cognito's one-time codes as on AWS, and an authenticator app; moto takes any code, many times."""

import base64
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Any

STEP = 30  # seconds
OPERATIONS = {"AssociateSoftwareToken", "VerifySoftwareToken", "RespondToAuthChallenge"}


def totp(secret: str, step: int) -> str:
    """Return the code of an authenticator app in this step (RFC 6238, with the usual SHA-1 and six digits)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.digest(key, step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset : offset + 4], 'big') & 0x7FFFFFFF) % 10**6:06}"


@dataclass
class OneTimeCodes:
    """The authenticator apps of a user pool's accounts; `step` is its clock.

    `status` is the response of VerifySoftwareToken to the right code, unless it is the name of an error.
    """

    step: int = 1_000_000
    status: str = "SUCCESS"
    _secrets: dict[str, str] = field(default_factory=dict)
    _confirmed: dict[str, str] = field(default_factory=dict)
    _used: set[tuple[str, str]] = field(default_factory=set)
    _sessions: dict[str, str] = field(default_factory=dict)

    def next(self, secret: str) -> str:
        """Return the app's next code."""
        self.step += 1
        return totp(secret, self.step)

    def lapse(self) -> None:
        """Let three minutes pass, so that every challenge expires."""
        self._sessions.clear()

    def challenged(self, user: Any, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the challenge of a sign-in; its session takes one right code."""
        self._sessions[answer["Session"]] = user.id
        return answer | {"ChallengeParameters": {"USER_ID_FOR_SRP": user.username}}

    def associate_software_token(self, user: Any, _call: Any, _parameters: Any, _refuse: Any) -> Any:
        """Create a secret for the account; it replaces an unconfirmed one."""
        self._secrets[user.id] = base64.b32encode(secrets.token_bytes(32)).decode().rstrip("=")
        return {"SecretCode": self._secrets[user.id]}

    def verify_software_token(self, user: Any, call: Any, parameters: Any, refuse: Any) -> Any:
        """Confirm the secret with a code."""
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
        """Complete a sign-in; after a wrong code the challenge stays open."""
        sent = parameters["ChallengeResponses"]
        is_open = user and user.enabled and self._sessions.get(parameters["Session"]) == user.id
        if not is_open or sent["USERNAME"] != user.username:  # an alias is rejected here
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
