"""Monthly cost of sign-in by an OIDC provider, a section of docs/costs.md (costs.py)."""

from datetime import timedelta

from infra.figures import prices
from infra.figures.prices import Line
from shared.domain.limits import ACCOUNT_CHECK

PEOPLE = 1_000
CHECKS = prices.MONTH * timedelta(days=1) // ACCOUNT_CHECK  # of one account that is in use at every hour
UNITS = 1  # write units of the record of a check
# Above the table of the page.
ABOUT = """\
With `OidcIssuer`, for 1,000 people; the first 50 of an AWS account are free. A person counts once in each month with a
sign-in. AWS says that sign-up, sign-in, a refreshed token and a change of the account count; it does not name
`AdminGetUser`, by which functions check an account once an hour while it is in use. Checks cost the same for accounts
with a password. Everybody whom the provider signs in becomes an account."""


def provider_costs() -> list[Line]:
    """Return the costs of people who sign in at the provider."""
    checks = PEOPLE * CHECKS
    return [
        Line("Cognito", f"{PEOPLE:,} people", PEOPLE * prices.PROVIDER_USER_MONTH),
        Line("Hourly checks", f"{checks:,} write units; `AdminGetUser` is free", checks * UNITS * prices.WRITE_UNIT),
        Line("The provider's client secret", "1 secret", prices.SECRET_MONTH),
    ]
