"""Accounts in a Cognito user pool; passwords are never stored here. An `address` is an e-mail address.

Setting a password takes a code mailed to the address. Until then, an account has an unknown random password. No
response reveals whether an address has an account.
"""

from datetime import datetime, timedelta

from shared.aws import cognito, cognito_errors, quotas
from shared.domain import account_rules, cipher, errors, owners
from shared.domain.limits import MAX_ONE_TIME_CODES
from shared.domain.sentence import Sentence
from shared.domain.token import Access, Challenge
from shared.domain.two_factor import check_code
from shared.runtime.settings import current

# Cognito documents no guess limit for one-time codes, and at any time three of a million are right. Only a caller with
# the right password can use up this quota.
ONE_TIME_CODES = quotas.Quota(
    "one-time codes of an account",
    MAX_ONE_TIME_CODES,
    timedelta(hours=1),
    Sentence("Too many codes tried. Please try again in an hour."),
)
PASSWORD_WRONG = Sentence("Wrong password.")


def sign_up(address: str) -> None:
    """Create an account and mail a code to its address; for an existing account, mail a code again.

    Does nothing for a domain that may not sign up. `address` must have passed `account_rules.check_address`.

    Raises: AddressRefused, if Cognito rejects the address.
    """
    if not account_rules.may_sign_up(address, current().sign_up_domains):
        return
    with cognito_errors.hide_account_errors():
        is_new = cognito.create_account(address)
        account = cognito.find(address)
        # The same three calls for every address; otherwise the response time would reveal existing accounts.
        if is_new or (account and account.is_confirmed):
            cognito.mail_password_code(address)  # sends nothing to a new, unverified address
        elif account:
            cognito.mail_confirmation_code(address)


def send_password_code(address: str) -> None:
    """Mail a code to reset the password, if the address has an account."""
    with cognito_errors.hide_account_errors():
        cognito.mail_password_code(address)


def confirm(address: str, code: str, password: str) -> str | None:
    """Confirm an account with a code, and set its first password.

    For an account that was confirmed before, reset the password and return the owner, like `reset_password`. Otherwise
    return None. If the function is killed between the two steps, the account keeps its random password, and the next
    code can set one.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    if not account_rules.may_sign_up(address, current().sign_up_domains):
        raise errors.CodeRefused  # an account from before the setting, which was never confirmed
    if not cognito.confirm(address, code):
        return reset_password(address, code, password)
    cognito.set_initial_password(address, password)
    return None


def reset_password(address: str, code: str, password: str) -> str:
    """Set a new password; return the owner. The caller must then end all sessions and API tokens.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    # Look it up first: after the code is used, only ending sessions and API tokens may fail.
    account = cognito.find(address)
    cognito.reset_password(address, code, password)
    if account is None:
        raise errors.CodeRefused  # created just now: there is nothing to end, and the code is used
    return account.owner


def sign_in(address: str, password: str) -> str:
    """Return the owner of the account with this e-mail address and password.

    Raises: CredentialsRefused, TooManyTries; OneTimeCodeWanted, then call `end_sign_in`.
    """
    return owners.of_account(cognito.authenticate(address, password).sub)


def end_sign_in(challenge: Challenge, code: str, *, now: datetime) -> str:
    """Return the owner who began this sign-in, after checking the one-time code.

    Raises: OneTimeCodeRefused, SignInLapsed, TooManyTries, QuotaSpent.
    """
    return owners.of_account(_answer_challenge(challenge, code, now=now).sub)


def get_access_token(owner: str, address: str, password: str, code: str, *, now: datetime) -> str:
    """Return a token to change the owner's account, for the password and, if enabled, a one-time code.

    Raises: CredentialsRefused, OneTimeCodeRefused, SignInLapsed, TooManyTries, QuotaSpent.
    """
    try:
        access = cognito.authenticate(address, password)
    except errors.OneTimeCodeWanted as wanted:
        access = _answer_challenge(wanted.challenge, code, now=now)
    except errors.CredentialsRefused:
        raise errors.CredentialsRefused(PASSWORD_WRONG) from None
    if owners.of_account(access.sub) != owner:  # the address belongs to another account by now
        raise errors.CredentialsRefused(PASSWORD_WRONG)
    return access.token


def is_password(address: str, password: str) -> bool:
    """Return whether the password is right for this address, even if a one-time code is also needed.

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
    """Return the key to encrypt hidden form fields for the browser with this cookie.

    It is derived from the app client's secret. Every function for sign-in has that secret, visitors do not.
    """
    material = cipher.join_parts([cognito.client_secret().encode(), cookie.encode()])
    return cipher.derive(material, b"secret-sharing form v2")


def _answer_challenge(challenge: Challenge, code: str, *, now: datetime) -> Access:
    checked = check_code(code)
    quotas.spend(ONE_TIME_CODES, challenge.username, now=now)
    return cognito.answer_challenge(challenge, checked)
