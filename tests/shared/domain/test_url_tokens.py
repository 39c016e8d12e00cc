from math import log2

from shared.domain import url_tokens


def test_a_url_token_has_at_least_128_bits_of_small_letters_and_digits() -> None:
    made = {url_tokens.new_url_token() for _ in range(1_000)}

    assert len(made) == 1_000
    assert {len(url_token) for url_token in made} == {26}
    assert set("".join(made)) == set("abcdefghijklmnopqrstuvwxyz0123456789")
    assert 26 * log2(36) >= 128
