"""docs/scale.md: written by the command, from units that are measured, and it says what breaks first."""

import pytest

from infra.build import template
from infra.figures import costs, scale
from shared.aws import tokens
from shared.domain import owners
from tests.conftest import Issue
from tests.contract.test_write_units import OWNER
from tests.drivers.client import START, Api
from tests.meters import write_units


def test_the_page_is_what_the_command_prints() -> None:
    assert (template.ROOT / "docs" / "scale.md").read_text() == scale.page()


def test_the_life_of_a_push_costs_the_units_that_the_page_counts_with(issue: Issue) -> None:
    tokens.record_account_check(owners.locator(OWNER), now=START)
    owner = Api(token=issue(OWNER))

    with write_units.billed() as bill:
        url_token = owner.push("x" * 1_024, expire_after_views=2)
        for _ in range(2):
            owner.retrieve(url_token)

    assert bill.units == scale.LIFE


@pytest.mark.parametrize(
    ("rate", "first"),
    [
        (10, []),
        (1_000, ["ViewRate", "CreateRate", "ThrottleRate", "MaxWriteRequestUnits"]),
        (100_000, ["ViewRate", "CreateRate", "ThrottleRate", "MaxWriteRequestUnits"]),
    ],
)
def test_what_breaks_first_are_the_templates_own_bounds(rate: float, first: list[str]) -> None:
    assert scale.breaks_first(rate)[: len(first)] == first
    assert bool(scale.breaks_first(rate)) == bool(first)


def test_at_a_hundred_thousand_the_accounts_own_quotas_are_in_the_way_too() -> None:
    assert {"gateway", "functions", "table", "new table"} <= set(scale.breaks_first(100_000))
    assert not {"gateway", "functions", "table", "new table"} & set(scale.breaks_first(1_000))


def test_a_hundred_times_the_requests_cost_a_hundred_times_as_much() -> None:
    less, more = scale.dollars(10), scale.dollars(1_000)

    assert {part: more[part] / less[part] for part in less} == {part: pytest.approx(100) for part in less}
    assert costs.QUICK == 0.1  # as the page says
