from dataclasses import replace
from math import log2
from types import SimpleNamespace

import pytest

from shared.domain import seal
from shared.domain.file import File
from shared.domain.push import Label
from shared.domain.seal import CannotOpen, InstanceKey, SealedSecret

KEY = InstanceKey("v1", b"k" * 64)
FILES = (File("Söhne.pdf", "application/pdf", 7), File("b", "text/plain", 0))
TOKEN, OTHER_TOKEN = seal.new_url_token(), seal.new_url_token()

Sealed = tuple[SealedSecret, bytes]


def sealed(payload: str = "s3cret", url_token: str = TOKEN, passphrase: str | None = None) -> Sealed:
    secret = seal.seal(payload, FILES, url_token, passphrase, KEY, cost="cheapest")
    return secret, secret.payload or b""


def opened(sealed: Sealed, url_token: str = TOKEN, passphrase: str | None = None, key: InstanceKey = KEY) -> str:
    secret, ciphertext = sealed
    return seal.open_payload(seal.unwrap(secret, url_token, passphrase, key), ciphertext, url_token)


@pytest.mark.parametrize("payload", ["a", " ü😀\r\n\u202e\x01 ", "a" * 1_048_576], ids=["short", "odd", "long"])
@pytest.mark.parametrize("passphrase", [None, "p", " ü\x01 "])
def test_what_was_sealed_opens(payload: str, passphrase: str | None) -> None:
    assert opened(sealed(payload, passphrase=passphrase), passphrase=passphrase) == payload


# The last would be the same to scrypt alone, which pads what it is given with NULs.
@pytest.mark.parametrize("wrong", ["", None, "P", "p ", "pp", "p\0"], ids=repr)
def test_a_wrong_passphrase_does_not_open(wrong: str | None) -> None:
    secret, _ = sealed(passphrase="p")

    with pytest.raises(CannotOpen):
        seal.unwrap(secret, TOKEN, wrong, KEY)


COMPOSED, DECOMPOSED = "caf\u00e9 \u1e9b\u0323", "cafe\u0301 \u017f\u0323\u0307"  # what Windows and a Mac type


@pytest.mark.parametrize("ours", [COMPOSED, DECOMPOSED], ids=ascii)
@pytest.mark.parametrize("theirs", [COMPOSED, DECOMPOSED], ids=ascii)
def test_a_passphrase_opens_from_whatever_keyboard_it_comes(ours: str, theirs: str) -> None:
    assert opened(sealed(passphrase=ours), passphrase=theirs) == "s3cret"


@pytest.mark.parametrize("other", ["cafe s", "CAFÉ ẛ̣", "café ẛ", "café ṩ", "\uff43afé ẛ̣"], ids=ascii)
def test_what_only_looks_alike_does_not_open(other: str) -> None:
    with pytest.raises(CannotOpen):
        opened(sealed(passphrase=COMPOSED), passphrase=other)


def test_what_is_too_long_for_a_passphrase_is_not_composed(monkeypatch: pytest.MonkeyPatch) -> None:
    composed: list[int] = []

    def normalize(_form: str, text: str) -> str:
        composed.append(len(text))
        return text

    monkeypatch.setattr(seal, "unicodedata", SimpleNamespace(normalize=normalize))

    for length in (1_000, 4_000, 4_001, 1_000_000):
        with pytest.raises(CannotOpen):
            opened(sealed(passphrase="p"), passphrase="\u0323\u0307" * (length // 2) + "x" * (length % 2))

    assert max(composed) == 4_000


def test_a_passphrase_from_before_opens_as_it_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seal, "_normal", lambda passphrase: passphrase)  # as until 0.4.0
    before = sealed(passphrase=DECOMPOSED)
    monkeypatch.undo()

    assert opened(before, passphrase=DECOMPOSED) == "s3cret"
    with pytest.raises(CannotOpen):
        opened(before, passphrase=COMPOSED)


def test_without_the_passphrase_the_database_and_the_instance_key_open_nothing() -> None:
    secret, _ = sealed(passphrase="p")

    with pytest.raises(CannotOpen):
        seal.unwrap(replace(secret, salt=None, cost=None), TOKEN, None, KEY)


def test_another_url_token_does_not_open() -> None:
    with pytest.raises(CannotOpen):
        opened(sealed(), OTHER_TOKEN)


def test_another_instance_key_does_not_open() -> None:
    with pytest.raises(CannotOpen):
        opened(sealed(), key=InstanceKey("v1", b"l" * 64))


def test_a_key_and_a_ciphertext_of_two_pushes_do_not_open() -> None:
    ours, our_ciphertext = sealed()
    theirs, their_ciphertext = sealed(url_token=OTHER_TOKEN)

    with pytest.raises(CannotOpen):
        opened((ours, their_ciphertext))
    with pytest.raises(CannotOpen):
        opened((theirs, our_ciphertext), OTHER_TOKEN)
    with pytest.raises(CannotOpen):
        opened((theirs, their_ciphertext))


def test_a_ciphertext_opens_only_for_the_push_it_was_sealed_for() -> None:
    secret, ciphertext = sealed()
    push_key = seal.unwrap(secret, TOKEN, None, KEY)

    with pytest.raises(CannotOpen):
        seal.open_payload(push_key, ciphertext, OTHER_TOKEN)


@pytest.mark.parametrize("place", [0, 11, 12, -1])
def test_a_changed_ciphertext_does_not_open(place: int) -> None:
    secret, ciphertext = sealed()
    changed = bytearray(ciphertext)
    changed[place] ^= 1

    for damaged in (bytes(changed), ciphertext[:-1], ciphertext + b"\0"):
        with pytest.raises(CannotOpen):
            opened((secret, damaged))


def test_no_two_seals_are_alike() -> None:
    seals = [sealed(passphrase="p") for _ in range(20)]

    assert len({ciphertext for _, ciphertext in seals}) == 20
    assert len({secret.wrapped_key for secret, _ in seals}) == 20
    assert len({secret.salt for secret, _ in seals}) == 20


def test_a_seal_shows_nothing_of_what_is_in_it() -> None:
    secret, ciphertext = sealed("the payload", passphrase="the passphrase")

    kept = repr((secret, ciphertext))

    assert all(word not in kept for word in ("the payload", "the passphrase", TOKEN))


def test_a_key_has_no_repr() -> None:
    assert repr(KEY) == "InstanceKey(version='v1')"


def test_only_a_protected_push_has_a_salt_and_a_cost() -> None:
    bare, protected = sealed()[0], sealed(passphrase="p")[0]

    assert (bare.salt, bare.cost) == (None, None)
    assert (len(protected.salt or b""), protected.cost) == (16, "cheapest")
    assert bare.key_version == protected.key_version == "v1"


@pytest.mark.parametrize("cost", seal.PASSPHRASE_COSTS)
def test_a_push_opens_at_the_cost_it_was_sealed_with(cost: str) -> None:
    secret = seal.seal("s3cret", (), TOKEN, "p", KEY, cost=cost)

    assert secret.cost == cost
    assert opened((secret, secret.payload or b""), passphrase="p") == "s3cret"


def test_the_list_of_files_opens_as_the_payload_does() -> None:
    secret, payload = sealed()
    push_key = seal.unwrap(secret, TOKEN, None, KEY)

    assert seal.open_files(push_key, secret.files or b"", TOKEN) == FILES
    assert "Söhne".encode() not in (secret.files or b"")
    with pytest.raises(CannotOpen):
        seal.open_files(push_key, payload, TOKEN)


def test_a_push_without_files_has_no_list_of_them() -> None:
    assert seal.seal("s3cret", (), TOKEN, None, KEY, cost="cheapest").files is None


def test_a_label_opens_for_its_push_only() -> None:
    label = Label(TOKEN, "ü name", "a\nnote")

    sealed_label = seal.seal_label(label, KEY)

    assert seal.open_label(sealed_label, seal.digest(TOKEN), KEY) == label
    assert b"name" not in sealed_label
    assert TOKEN.encode() not in sealed_label
    with pytest.raises(CannotOpen):
        seal.open_label(sealed_label, seal.digest(OTHER_TOKEN), KEY)


def test_no_two_labels_are_alike() -> None:
    label = Label(TOKEN, "", "")

    assert seal.seal_label(label, KEY) != seal.seal_label(label, KEY)


def test_a_url_token_has_at_least_128_bits_of_small_letters_and_digits() -> None:
    url_tokens = {seal.new_url_token() for _ in range(1_000)}

    assert len(url_tokens) == 1_000
    assert {len(url_token) for url_token in url_tokens} == {26}
    assert set("".join(url_tokens)) == set("abcdefghijklmnopqrstuvwxyz0123456789")
    assert 26 * log2(36) >= 128


def test_a_digest_is_sha_256_in_hex() -> None:
    assert seal.digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert seal.digest("\ud800") != seal.digest("\ud801")
