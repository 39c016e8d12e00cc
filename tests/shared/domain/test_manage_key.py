"""The manage key of an anonymous push."""

import re

from shared.domain import manage_key
from tests.shared.domain.test_push import PUSH

MATERIAL = b"the instance key"
TOKEN = "k3v9x2m7q4w8z1n6b5c0d8f7g2"


def test_a_new_key_has_128_random_bits_in_26_characters() -> None:
    keys = {manage_key.new_key() for _ in range(50)}

    assert len(keys) == 50
    assert all(re.fullmatch("[a-z2-7]{26}", key) for key in keys)


def test_a_derived_key_depends_on_the_instance_key_and_the_url_token() -> None:
    """Written out: another derivation would break the links of creates that are repeated across a release."""
    assert manage_key.derive_key(TOKEN, MATERIAL) == "37uomb4g6tmf53dqomgpy5tqsa"
    assert manage_key.derive_key(TOKEN, b"another") != manage_key.derive_key(TOKEN, MATERIAL)
    assert manage_key.derive_key(TOKEN[:-1], MATERIAL) != manage_key.derive_key(TOKEN, MATERIAL)


def test_a_push_is_opened_by_its_own_key_alone() -> None:
    key = manage_key.new_key()
    push = PUSH._replace(manage_digest=manage_key.digest(key))

    assert len(manage_key.digest(key)) == 16
    assert manage_key.opens(key, push)
    assert not any(
        manage_key.opens(wrong, push) for wrong in ("", key.upper(), f"{key} ", key[:-1], manage_key.new_key())
    )


def test_nothing_opens_a_push_without_a_digest() -> None:
    assert not any(manage_key.opens(key, PUSH) for key in ("", "None", manage_key.new_key()))
