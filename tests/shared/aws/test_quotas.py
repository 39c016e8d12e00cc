from datetime import timedelta

import pytest

from shared.aws.quotas import Quota, spend
from shared.domain import errors
from tests.drivers.client import START
from tests.engines import resources

HOURLY = Quota("mails", limit=3, window=timedelta(hours=1), refusal="No more mails.")

pytestmark = pytest.mark.usefixtures("aws")


def test_amounts_within_the_limit_are_spent_and_others_rejected() -> None:
    for _ in range(3):
        spend(HOURLY, "ann", now=START)

    with pytest.raises(errors.QuotaSpent, match=r"No more mails\."):
        spend(HOURLY, "ann", now=START)


def test_everybody_has_a_quota_of_their_own() -> None:
    spend(HOURLY, "ann", 3, now=START)

    spend(HOURLY, "bob", 3, now=START)


def test_the_next_window_resets_the_count_and_the_error_names_its_start() -> None:
    now = START + timedelta(minutes=59, milliseconds=1)
    spend(HOURLY, "ann", 3, now=now)

    with pytest.raises(errors.QuotaSpent) as refused:
        spend(HOURLY, "ann", now=now)
    spend(HOURLY, "ann", now=now + timedelta(seconds=refused.value.retry_after))

    assert refused.value.retry_after == 60


def test_a_rejected_amount_is_not_counted() -> None:
    spend(HOURLY, "ann", 2, now=START)
    for _ in range(2):
        with pytest.raises(errors.QuotaSpent):
            spend(HOURLY, "ann", 2, now=START)

    spend(HOURLY, "ann", 1, now=START)


def test_more_than_the_limit_at_once_is_refused_in_a_fresh_window_too() -> None:
    with pytest.raises(errors.QuotaSpent):
        spend(HOURLY, "ann", 4, now=START)


def test_the_table_stores_no_address_in_clear() -> None:
    spend(HOURLY, "ann@example.com", now=START)

    assert "ann" not in repr(resources.items("Quotas"))


def test_every_counter_has_an_end() -> None:
    spend(HOURLY, "ann", now=START)

    [item] = resources.items("Quotas")
    assert int(item["expires_at"]["N"]) == (START + timedelta(hours=1)).timestamp()
