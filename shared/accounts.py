"""Accounts, in a Cognito user pool: no password is ever stored here.

Whoever holds the code that was mailed to an address decides on its password, and nobody before them: an account that
waits for its code has a random one that nobody knows. Of an address, nobody learns whether it has an account.
"""

from shared.aws import cognito, cognito_errors
from shared.domain import account_rules, errors, owners


def sign_up(address: str) -> None:
    """Make an account, which waits for the code that is mailed to its address; one that is there gets a code again.

    The address is one (account_rules.py); whether there is such an account, nobody learns.

    Raises: AddressRefused, if Cognito finds it is none.
    """
    with cognito_errors.told_to_nobody():
        if not cognito.make_account(address):
            _mail_code_again(address)


def send_password_code(address: str) -> None:
    """Mail a code with which the password can be set anew, if there is such an account."""
    with cognito_errors.told_to_nobody():
        cognito.mail_password_code(address)


def confirm(address: str, code: str, password: str) -> str | None:
    """Confirm the address of an account with the code, and give it its password.

    Killed between the two, nobody gets in, and a code can be asked for again: that one sets the password. Then this
    gives the owner, as `set_password` does, otherwise None.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    if not cognito.confirm(address, code):
        return set_password(address, code, password)
    cognito.give_password(address, password)
    return None


def set_password(address: str, code: str, password: str) -> str:
    """Set the password anew; give the owner, whose sessions and API tokens are to end now.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    # Before, so that nothing but ending what is to end can fail once the code is spent.
    account = cognito.find(address)
    cognito.set_password(address, code, password)
    if account is None:
        raise errors.CodeRefused  # It was made in the same moment: there is nothing to end, and the code is spent.
    return account.owner


def sign_in(address: str, password: str) -> str:
    """The owner whose address and password these are.

    Raises: CredentialsRefused, TooManyTries.
    """
    return owners.of_account(cognito.authenticate(address, password))


def _mail_code_again(address: str) -> None:
    account = cognito.find(address)
    if account and account.is_confirmed:
        cognito.mail_password_code(address)
    elif account:
        cognito.mail_confirmation_code(address)
