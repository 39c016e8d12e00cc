"""Errors shown to the caller, each with its message.

`shared/web` maps them to status codes. A message never quotes the request.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shared.domain.sentence import Sentence

if TYPE_CHECKING:
    from shared.domain.push import Push
    from shared.domain.token import Challenge


class Refusal(Exception):
    """Base class of all errors shown to the caller; `str()` returns the message."""

    sentence: str = Sentence("The request was refused.")

    def __init__(self, sentence: str | None = None) -> None:
        super().__init__(sentence or self.sentence)


class MalformedRequest(Refusal):
    """The request is malformed, regardless of its fields."""

    sentence = Sentence("The request is malformed.")


class InvalidPush(Refusal):
    """Fields of the push are invalid; `fields` maps each name to its messages."""

    sentence = Sentence("Some fields are not valid.")

    def __init__(self, fields: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self.fields = {name: list(messages) for name, messages in fields.items()}


class Unauthenticated(Refusal):
    """The credential is missing, unknown, revoked or expired."""

    sentence = Sentence("A valid API token is required.")


ONLY_ITS_SENDER = Sentence("Only the sender may delete this.")


class Forbidden(Refusal):
    """The caller is authenticated, but not allowed to do this."""

    sentence = Sentence("You are not allowed to do that.")


class WrongNetwork(Refusal):
    """The push can be opened only from networks that its sender chose, and the caller is in none of them."""

    sentence = Sentence("This can be opened only from networks that its sender chose, and yours is none of them.")


class NotFound(Refusal):
    """The push or the path does not exist."""

    sentence = "not-found"


class PassphraseRefused(Refusal):
    """The passphrase is missing or wrong; `push` is the stored push.

    `is_repeat` is true if the request repeats a view whose lease is active: a further repeat with the same idempotency
    key may succeed, even after the push has expired.
    """

    sentence = Sentence("This is protected by a passphrase. It is missing or wrong.")

    def __init__(self, push: "Push", *, is_repeat: bool = False) -> None:
        super().__init__()
        self.push = push
        self.is_repeat = is_repeat


class TooLarge(Refusal):
    """The request is too large; the message says what to do instead."""

    sentence = Sentence("The request is too large.")


class FilesMissing(Refusal):
    """Declared files have not been uploaded yet."""

    sentence = Sentence("The files are still being uploaded. Please try again in a few minutes.")


class FilesReplaced(Refusal):
    """A file was uploaded again after the first view, so the push is blocked for everyone."""

    sentence = Sentence(
        "A file was changed after this was first opened, so for your safety it can no longer be opened. Ask the sender "
        "to send it again."
    )


class SeenAlready(Refusal):
    """The form's or the cookie's idempotency key was used for a view before, and the lease of that view has ended.

    `push` is the stored push.
    """

    sentence = Sentence("You have opened this already. Opening it again uses one more view.")

    def __init__(self, push: "Push") -> None:
        super().__init__()
        self.push = push


class TooManyAttempts(Refusal):
    """Too many wrong passphrases for one push; `push` is the stored push, `retry_after` is in seconds."""

    is_repeat = False
    sentence = Sentence("Too many wrong passphrases. Please wait a minute before you try again.")

    def __init__(self, retry_after: int, push: "Push") -> None:
        super().__init__()
        self.retry_after = retry_after
        self.push = push


class TooManyRepeats(TooManyAttempts):
    """Too many repeats of one view of a protected push; wait until its lease ends."""

    is_repeat = True
    sentence = Sentence("This was opened again too often. Please wait a few minutes before you try again.")


class QuotaSpent(Refusal):
    """A quota of the caller or of the installation is used up; `retry_after` is in whole seconds."""

    sentence = Sentence("Too many requests. Please try again later.")

    def __init__(self, retry_after: int, sentence: str | None = None) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class Contended(Refusal):
    """Too many writes to one push at the same time, or too little time left for a claim. No view was counted."""

    sentence = Sentence("That did not work just now, and no view was used. Please try again.")


class Prefetched(Refusal):
    """The request is a browser's prefetch, which must not count a view."""

    sentence = Sentence("Your browser tried to load this page in advance. Please open it yourself.")


class CredentialsRefused(Refusal):
    """Sign-in failed; the message does not reveal whether the account exists."""

    sentence = Sentence("Wrong e-mail address or password.")


class AddressRefused(Refusal):
    """The text is not an e-mail address."""

    sentence = Sentence("This is not an e-mail address.")


class AddressTooLong(AddressRefused):
    """The text is longer than an account's e-mail address may be."""

    sentence = Sentence("This is too long for an e-mail address.")


class PasswordRefused(Refusal):
    """The password breaks the user pool's rules."""

    sentence = Sentence(
        "The password must have at least 12 characters and at most 256, and no space at the start or the end."
    )


class CodeRefused(Refusal):
    """The mailed code is wrong or expired, or had too many guesses."""

    sentence = Sentence("The code is wrong or has expired, or there were too many tries. Please request a new one.")


class TooManyTries(Refusal):
    """The rate limit for sign-ins is reached."""

    sentence = Sentence("Too many tries. Please wait a few minutes.")


class OneTimeCodeWanted(Refusal):
    """The password is right; the sign-in continues with a one-time code for `challenge`."""

    sentence = Sentence("Please enter the code of your authenticator app as well.")

    def __init__(self, challenge: "Challenge") -> None:
        super().__init__()
        self.challenge = challenge


class SecondFactorRequired(Refusal):
    """The session's sign-in asked for no one-time code, but the installation requires one."""

    sentence = Sentence("This service requires two-factor sign-in. Turn it on to go on.")


class OneTimeCodeRefused(Refusal):
    """The code of the authenticator app is missing, wrong or already used. A code works once."""

    sentence = Sentence(
        "The code from your authenticator app is wrong, or was used already. Please wait for the next code."
    )


class SignInLapsed(Refusal):
    """A step of the sign-in came too late or twice."""

    sentence = Sentence("That took too long, or the form was sent twice. Please begin again.")


class ProviderRefused(Refusal):
    """The OIDC provider or Cognito refused the sign-in, or its result is not for us."""

    sentence = Sentence("That sign-in did not work. Please try again, or ask whoever runs this service.")


class ProviderUnavailable(ProviderRefused):
    """Cognito did not say whether the sign-in worked, or rejected this installation's settings."""


class ForgedForm(Refusal):
    """The form came from another site, or was manipulated; its fields are not shown again."""

    sentence = Sentence("This form was not sent from this site: please go back, reload the page and try again.")


class StaleForm(Refusal):
    """The form is ours, but its CSRF token belongs to another session: the user signed in or out since."""

    sentence = Sentence("You have signed in or out since this form was shown. Please check it and send it again.")
