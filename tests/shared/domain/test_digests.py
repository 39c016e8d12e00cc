import pytest

from shared.domain import digests


def test_a_digest_is_sha_256_in_hex() -> None:
    assert digests.digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digests.digest("\ud800") != digests.digest("\ud801")


@pytest.mark.parametrize("text", ["", "a" * 63, "a" * 65, "A" * 64, "g" * 64, "a" * 64 + "\n", "é" * 64])
def test_only_64_small_hex_digits_can_be_a_digest(text: str) -> None:
    assert not digests.is_digest(text)
    assert digests.is_digest(digests.digest("abc"))
