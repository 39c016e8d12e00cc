"""Addresses that lead to the same mailbox."""

import pytest

from shared.domain import mail


@pytest.mark.parametrize("address", ["Ann@Example.com", "ann+x@example.com", "ann+x+y@example.com", "ann@example.com."])
def test_each_spelling_of_an_address_has_the_same_mailbox(address: str) -> None:
    assert mail.mailbox(address) == "ann@example.com"


def test_other_addresses_have_other_mailboxes() -> None:
    assert len({mail.mailbox(f"{name}@example.com") for name in ("ann", "a.nn", "an", "ben+ann")}) == 4
