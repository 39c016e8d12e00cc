"""Accounts, in a Cognito user pool: no password is ever stored here.

Only whoever holds the code that was mailed to an address can set its password: an account that waits for its code has
a random password that nobody knows. No answer tells a caller whether an address has an account.
"""

from shared.aws import cognito, cognito_errors
from shared.domain import account_rules, errors, owners


def sign_up(address: str) -> None:
    """Make an account that waits for the code mailed to its address; where there is one already, mail a code again.

    The address is one that `account_rules.check_address` took.

    Raises: AddressRefused, when Cognito does not take it for an e-mail address.
    """
    with cognito_errors.told_to_nobody():
        if not cognito.make_account(address):
            _mail_code_again(address)


def send_password_code(address: str) -> None:
    """Mail a code that sets the password anew, if the address has an account."""
    with cognito_errors.told_to_nobody():
        cognito.mail_password_code(address)


def confirm(address: str, code: str, password: str) -> str | None:
    """Confirm the address of an account with the code, and give it its password.

    If the function is killed between the two, the account keeps its random password, and the next code sets it. For an
    account that is confirmed already, the code sets the password and this returns the owner, as `set_password` does;
    otherwise it returns None.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    if not cognito.confirm(address, code):
        return set_password(address, code, password)
    cognito.give_password(address, password)
    return None


def set_password(address: str, code: str, password: str) -> str:
    """Set the password anew; return the owner, whose sessions and API tokens the caller must end now.

    Raises: AddressRefused, PasswordRefused, CodeRefused.
    """
    account_rules.check_address(address)
    account_rules.check_password(password)
    # Looked up first: once the code is spent, nothing may fail but the ending of sessions and API tokens.
    account = cognito.find(address)
    cognito.set_password(address, code, password)
    if account is None:
        raise errors.CodeRefused  # It was made at this very moment: there is nothing to end, and the code is spent.
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
