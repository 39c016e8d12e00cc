"""Write units of creates and views, with the bounds of `tests/contract/test_write_units.py`."""

from collections.abc import Iterator

from shared.aws import tokens
from shared.domain import owners
from shared.identity import auth
from tests.bench.page import Row, Section
from tests.drivers.client import KEY, OTHER_KEY, START, Api
from tests.engines import moto_in_process, resources
from tests.meters import write_units
from tests.meters.write_units import Bill

OWNER = "account:12345678-1234-1234-1234-123456789012"
PAYLOAD = "x" * 1000


def sections() -> Iterator[Section]:
    """Return one section, exact."""
    bills = billed()
    bounds = {"create": 10, "view": 4, "last view": 11, "view with a lease": 6, "last view with a lease": 16}
    rows = [Row(what, bills[what].total, "units", None, _by_table(bills[what]), at_most=bound)
            for what, bound in bounds.items()]  # fmt: skip
    yield Section("Write units", _NOTE, rows)


def billed() -> dict[str, Bill]:
    """Return the cost of an owned push of 1 KB, from its create to its last view."""
    resources.set_environment()
    with moto_in_process.fresh():
        tokens.record_account_check(owners.locator(OWNER), now=START)  # the account was checked and is active
        owner = Api(token=auth.issue_api_token(OWNER, "bench", now=START))
        with write_units.billed() as create:
            plain = owner.push(PAYLOAD, expire_after_views=2)
        leased = owner.push(PAYLOAD, expire_after_views=2)
        return {
            "create": create,
            "view": _bill(owner, plain),
            "last view": _bill(owner, plain),
            "view with a lease": _bill(owner, leased, KEY),
            "last view with a lease": _bill(owner, leased, OTHER_KEY),
        }


def _bill(owner: Api, url_token: str, key: str | None = None) -> Bill:
    with write_units.billed() as bill:
        answer = owner.retrieve(url_token, key=key)
    assert answer.json["payload"] == PAYLOAD
    return bill


def _by_table(bill: Bill) -> str:
    return ", ".join(f"{table} {count}" for table, count in sorted(bill.units.items()))


_NOTE = """\
Of an owned push of 1 KB, computed from the items by AWS's rules (`write_units.py`), the owner's index included."""
