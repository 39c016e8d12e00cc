"""Every reason to refuse a caller, each with the sentence that they read.

The table from these to status codes is the HTTP edge's (`shared/web`). A sentence never quotes what the caller sent.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shared.domain.sentence import Sentence

if TYPE_CHECKING:
    from shared.domain.push import Push
    from shared.domain.token import Challenge


class Refusal(Exception):
    """The family of all of them; `str()` is the sentence that the caller reads."""

    sentence: str = Sentence("The request was refused.")

    def __init__(self, sentence: str | None = None) -> None:
        super().__init__(sentence or self.sentence)


class MalformedRequest(Refusal):
    """The request cannot be understood, whatever its fields say."""

    sentence = Sentence("The request is malformed.")


class InvalidPush(Refusal):
    """Fields of a push break their rules; `fields` has the messages of each, by its name."""

    sentence = Sentence("The push has invalid fields.")

    def __init__(self, fields: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self.fields = {name: list(messages) for name, messages in fields.items()}


class Unauthenticated(Refusal):
    """A credential is needed and there is none, or the one sent is unknown, revoked or expired."""

    sentence = Sentence("An API token is required, and the one sent, if any, is not valid.")


ONLY_ITS_SENDER = Sentence("Only its sender may end this push.")


class Forbidden(Refusal):
    """The caller is known and may not do this."""

    sentence = Sentence("You may not do that to this push.")


class NotFound(Refusal):
    """There is no such push, or no such path."""

    sentence = "not-found"


class PassphraseRefused(Refusal):
    """The push is protected and the passphrase is missing or wrong; `push` is as it was read.

    `is_repeat` says that the same key may ask once more, also when the push is over.
    """

    sentence = Sentence("This push is protected by a passphrase, and the one sent, if any, is not right.")

    def __init__(self, push: "Push", *, is_repeat: bool = False) -> None:
        super().__init__()
        self.push = push
        self.is_repeat = is_repeat


class TooLarge(Refusal):
    """The request holds more than a request may; the sentence says what to do instead."""

    sentence = Sentence("The request is too large.")


class FilesMissing(Refusal):
    """Files that the sender declared have not arrived yet."""

    sentence = Sentence("The files of this push are still on their way: please try again in a while.")


class FilesReplaced(Refusal):
    """A file was uploaded again after the first view; it may be another one, so nobody gets the push."""

    sentence = Sentence(
        "A file of this push was replaced after it was first retrieved, so it is not handed out any more."
    )


class SeenAlready(Refusal):
    """The same form has shown the push before, and its lease is over; `push` is as it was read."""

    sentence = Sentence("You have opened this already. Opening it again counts once more.")

    def __init__(self, push: "Push") -> None:
        super().__init__()
        self.push = push


class TooManyAttempts(Refusal):
    """The rate limit of wrong passphrases on one push; `push` is as it was read, `retry_after` in whole seconds."""

    is_repeat = False
    sentence = Sentence("Too many wrong passphrases: please wait a minute before you try again.")

    def __init__(self, retry_after: int, push: "Push") -> None:
        super().__init__()
        self.retry_after = retry_after
        self.push = push


class TooManyRepeats(TooManyAttempts):
    """The answer to one view of a protected push was asked for again too often; wait until its lease ends."""

    is_repeat = True
    sentence = Sentence("The same answer was asked for too often: please wait a while before you try again.")


class QuotaSpent(Refusal):
    """A quota of a caller or of the installation is used up; `retry_after` is in whole seconds."""

    sentence = Sentence("That is as much as may be asked for now: please try again later.")

    def __init__(self, retry_after: int, sentence: str | None = None) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class Contended(Refusal):
    """Too many callers wrote to one push at once, or AWS was too slow to begin a claim; nothing was counted."""

    sentence = Sentence("The push is in heavy use at this moment: please try again.")


class Prefetched(Refusal):
    """The request is a prefetch: a browser's guess that somebody might go there, which must not cost a view."""

    sentence = Sentence("This was asked for as a prefetch, which is not answered: please ask again without.")


class CredentialsRefused(Refusal):
    """Signing in failed; the sentence does not tell whether there is such an account."""

    sentence = Sentence("The e-mail address or the password is not right.")


class AddressRefused(Refusal):
    """The text cannot be an e-mail address."""

    sentence = Sentence("That is not an e-mail address.")


class AddressTooLong(AddressRefused):
    """What is longer than any e-mail address that an account can have."""

    sentence = Sentence("That is too long for an e-mail address.")


class PasswordRefused(Refusal):
    """The password of an account breaks the pool's rules."""

    sentence = Sentence("The password must have at least 12 characters and at most 256, and no spaces around them.")


class CodeRefused(Refusal):
    """The mailed code is wrong, too old, or was guessed at too often."""

    sentence = Sentence("The code is not right, or too old, or there were too many tries: please ask for another.")


class TooManyTries(Refusal):
    """The rate limit of sign-ins."""

    sentence = Sentence("Too many tries: please wait a while.")


class OneTimeCodeWanted(Refusal):
    """The password is right, and a one-time code is asked for: nobody is signed in before `challenge` is answered."""

    sentence = Sentence("Please give the code of your authenticator app as well.")

    def __init__(self, challenge: "Challenge") -> None:
        super().__init__()
        self.challenge = challenge


class OneTimeCodeRefused(Refusal):
    """The code of the authenticator app is missing, wrong, or was used before: each counts once."""

    sentence = Sentence(
        "The code of the authenticator app is not right, or was used already. Please wait for its next code."
    )


class SignInLapsed(Refusal):
    """What was begun with a password was not ended in time, or twice."""

    sentence = Sentence("That took too long, or was sent twice. Please begin again.")


class ForgedForm(Refusal):
    """The form was sent from another site, or asks for what no page of ours does; nothing of it is shown again."""

    sentence = Sentence("This form did not come from here: please go back, reload the page and try again.")


class StaleForm(Refusal):
    """The form came from here, but its CSRF token is none of this session: signed in or out since it was shown."""

    sentence = Sentence(
        "You have signed in or out since this form was shown: please look at it once more and send it again."
    )
