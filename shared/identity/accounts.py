"""Accounts, in a Cognito user pool: no password is ever stored here.

Only whoever holds the code that was mailed to an address can set its password: an account that waits for its code has
a random password that nobody knows. No answer tells a caller whether an address has an account.
"""

from datetime import datetime, timedelta

from shared.aws import cognito, cognito_errors, quotas
from shared.domain import account_rules, cipher, errors, owners
from shared.domain.limits import MAX_ONE_TIME_CODES
from shared.domain.sentence import Sentence
from shared.domain.token import Access, Challenge
from shared.domain.two_factor import check_code

# Cognito's documents name no limit of guesses at one-time codes, and three of a million are right at any moment. Only
# whoever has the password gets as far as to spend it.
ONE_TIME_CODES = quotas.Quota(
    "one-time codes of an account",
    MAX_ONE_TIME_CODES,
    timedelta(hours=1),
    Sentence("That is as many codes as may be tried in an hour. Please try again later."),
)
PASSWORD_WRONG = Sentence("That password is not right.")


def sign_up(address: str) -> None:
    """Make an account that waits for the code mailed to its address; where there is one already, mail a code again.

    The address is one that `account_rules.check_address` took.

    Raises: AddressRefused, when Cognito does not take it for an e-mail address.
    """
    with cognito_errors.hide_account_errors():
        is_new = cognito.create_account(address)
        account = cognito.find(address)
        # The same three calls for every address, or the time that they take would tell who has an account.
        if is_new or (account and account.is_confirmed):
            cognito.mail_password_code(address)  # no mail to a new account: its address is not verified
        elif account:
            cognito.mail_confirmation_code(address)


def send_password_code(address: str) -> None:
    """Mail a code that sets the password anew, if the address has an account."""
    with cognito_errors.hide_account_errors():
        cognito.mail_password_code(address)


def confirm(address: str, code: str, password: str) -> str | None:
    """Confirm the address of an account with the code, and give it its password.

    If the function is killed between the two, the account keeps its random password, and the next code sets it. For an
    account that is confirmed already, the code sets the password and this returns the owner, as `reset_password` does;
    otherwise it returns None.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    if not cognito.confirm(address, code):
        return reset_password(address, code, password)
    cognito.set_initial_password(address, password)
    return None


def reset_password(address: str, code: str, password: str) -> str:
    """Set the password anew; return the owner, whose sessions and API tokens the caller must end now.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    # Looked up first: once the code is spent, nothing may fail but the ending of sessions and API tokens.
    account = cognito.find(address)
    cognito.reset_password(address, code, password)
    if account is None:
        raise errors.CodeRefused  # It was made at this very moment: there is nothing to end, and the code is spent.
    return account.owner


def sign_in(address: str, password: str) -> str:
    """The owner whose address and password these are.

    Raises: CredentialsRefused, TooManyTries; OneTimeCodeWanted, where that is not enough: see `end_sign_in`.
    """
    return owners.of_account(cognito.authenticate(address, password).sub)


def end_sign_in(challenge: Challenge, code: str, *, now: datetime) -> str:
    """The owner, once the one-time code came as well.

    Raises: OneTimeCodeRefused, SignInLapsed, TooManyTries, QuotaSpent.
    """
    return owners.of_account(_answer_challenge(challenge, code, now=now).sub)


def get_access_token(owner: str, address: str, password: str, code: str, *, now: datetime) -> str:
    """A token to change the owner's own account with, for the password, and the code if one is due.

    Raises: CredentialsRefused, OneTimeCodeRefused, SignInLapsed, TooManyTries, QuotaSpent.
    """
    try:
        access = cognito.authenticate(address, password)
    except errors.OneTimeCodeWanted as wanted:
        access = _answer_challenge(wanted.challenge, code, now=now)
    except errors.CredentialsRefused:
        raise errors.CredentialsRefused(PASSWORD_WRONG) from None
    if owners.of_account(access.sub) != owner:  # The address has become another account's since this one signed in.
        raise errors.CredentialsRefused(PASSWORD_WRONG)
    return access.token


def is_password(address: str, password: str) -> bool:
    """Whether this is the password of the account with that address, whatever else signing in may take.

    Raises: TooManyTries.
    """
    try:
        cognito.authenticate(address, password)
    except errors.OneTimeCodeWanted:
        return True
    except errors.CredentialsRefused:
        return False
    return True


def field_key(cookie: str) -> bytes:
    """The key that encrypts hidden form fields for a visitor with this cookie.

    It derives from the app client's secret, which no visitor has and each function that signs people in does.
    """
    material = cipher.join_parts([cognito.client_secret().encode(), cookie.encode()])
    return cipher.derive(material, b"secret-sharing form v2")


def _answer_challenge(challenge: Challenge, code: str, *, now: datetime) -> Access:
    checked = check_code(code)
    quotas.spend(ONE_TIME_CODES, challenge.username, now=now)
    return cognito.answer_challenge(challenge, checked)
