import hashlib
from types import SimpleNamespace
from unittest import mock

import pytest

from shared.domain import digests, seal, url_tokens
from shared.domain.cipher import CannotOpen
from shared.domain.file import File
from shared.domain.push import Label
from shared.domain.seal import InstanceKey, SealedSecret

KEY = InstanceKey("v1", b"k" * 64)
FILES = (File("Söhne.pdf", "application/pdf", 7), File("b", "text/plain", 0))
TOKEN, OTHER_TOKEN = url_tokens.new_url_token(), url_tokens.new_url_token()

Sealed = tuple[SealedSecret, bytes]


def sealed(payload: str = "s3cret", url_token: str = TOKEN, passphrase: str | None = None) -> Sealed:
    secret = seal.seal(payload, FILES, url_token, passphrase, KEY, cost="cheapest")
    return secret, secret.payload or b""


def opened(sealed: Sealed, url_token: str = TOKEN, passphrase: str | None = None, key: InstanceKey = KEY) -> str:
    secret, ciphertext = sealed
    return seal.open_payload(seal.unwrap(secret, url_token, passphrase, key).push_key, ciphertext, url_token)


@pytest.mark.parametrize("payload", ["a", " ü😀\r\n\u202e\x01 ", "a" * 1_048_576], ids=["short", "odd", "long"])
@pytest.mark.parametrize("passphrase", [None, "p", " ü\x01 "])
def test_encrypted_data_can_be_decrypted(payload: str, passphrase: str | None) -> None:
    assert opened(sealed(payload, passphrase=passphrase), passphrase=passphrase) == payload


# scrypt alone would treat the last one as the same, because it pads its input with NULs.
@pytest.mark.parametrize("wrong", ["", None, "P", "p ", "pp", "p\0"], ids=repr)
def test_a_wrong_passphrase_does_not_open(wrong: str | None) -> None:
    secret, _ = sealed(passphrase="p")

    with pytest.raises(CannotOpen):
        seal.unwrap(secret, TOKEN, wrong, KEY)


COMPOSED, DECOMPOSED = "caf\u00e9 \u1e9b\u0323", "cafe\u0301 \u017f\u0323\u0307"  # as typed on Windows and on a Mac


@pytest.mark.parametrize("ours", [COMPOSED, DECOMPOSED], ids=ascii)
@pytest.mark.parametrize("theirs", [COMPOSED, DECOMPOSED], ids=ascii)
def test_a_passphrase_opens_from_any_keyboard(ours: str, theirs: str) -> None:
    assert opened(sealed(passphrase=ours), passphrase=theirs) == "s3cret"


@pytest.mark.parametrize("other", ["cafe s", "CAFÉ ẛ̣", "café ẛ", "café ṩ", "\uff43afé ẛ̣"], ids=ascii)
def test_similar_looking_passphrases_do_not_open(other: str) -> None:
    with pytest.raises(CannotOpen):
        opened(sealed(passphrase=COMPOSED), passphrase=other)


def test_a_too_long_passphrase_is_not_normalised(monkeypatch: pytest.MonkeyPatch) -> None:
    composed: list[int] = []

    def normalize(_form: str, text: str) -> str:
        composed.append(len(text))
        return text

    monkeypatch.setattr(seal, "unicodedata", SimpleNamespace(normalize=normalize))

    for length in (1_000, 4_000, 4_001, 1_000_000):
        with pytest.raises(CannotOpen):
            opened(sealed(passphrase="p"), passphrase="\u0323\u0307" * (length // 2) + "x" * (length % 2))

    assert max(composed) == 4_000


def test_database_and_instance_key_open_nothing_without_the_passphrase() -> None:
    secret, _ = sealed(passphrase="p")

    with pytest.raises(CannotOpen):
        seal.unwrap(secret._replace(salt=None, cost=None), TOKEN, None, KEY)


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
    push_key = seal.unwrap(secret, TOKEN, None, KEY).push_key

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


def test_a_seal_s_repr_shows_no_content() -> None:
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
    push_key = seal.unwrap(secret, TOKEN, None, KEY).push_key

    assert seal.open_files(push_key, secret.files or b"", TOKEN) == FILES
    assert "Söhne".encode() not in (secret.files or b"")
    with pytest.raises(CannotOpen):
        seal.open_files(push_key, payload, TOKEN)


def test_a_push_without_files_has_no_list_of_them() -> None:
    assert seal.seal("s3cret", (), TOKEN, None, KEY, cost="cheapest").files is None


@pytest.mark.parametrize("filenames", [(), ("ü name.pdf", "a\n.zip")])
def test_a_label_opens_for_its_push_only(filenames: tuple[str, ...]) -> None:
    label = Label(TOKEN, "ü name", "a\nnote", filenames)

    sealed_label = seal.seal_label(label, KEY)

    assert seal.open_label(sealed_label, digests.digest(TOKEN), KEY) == label
    assert b"name" not in sealed_label
    assert TOKEN.encode() not in sealed_label
    with pytest.raises(CannotOpen):
        seal.open_label(sealed_label, digests.digest(OTHER_TOKEN), KEY)


def test_no_two_labels_are_alike() -> None:
    label = Label(TOKEN, "", "")

    assert seal.seal_label(label, KEY) != seal.seal_label(label, KEY)


# ---------------------------------------------------------------- old data can be decrypted for ever

OLD_TOKEN = "abcdefghijklmnopqrstuvwxyz"
OLD_SALT = bytes([2]) * 16
# A file list, which includes the payload, and its key: each wrapped another way (salt, cost).
OLD = {
    "no passphrase": (
        (
            "0c0c0c0c0c0c0c0c0c0c0c0c792446b1c3924ae1b70b3a79b4ae6f1766c167f452f23ccd61c644269d50e4542b45feddddabd3c6ff196a2a2f"
            "bb0062"
        ),
        "0d0d0d0d0d0d0d0d0d0d0d0d2b131f11b56421c48c8777ef9f7bcdd296c66a8893de",
        (
            "0e0e0e0e0e0e0e0e0e0e0e0e3765ca9ff450bc4a92c9229102d53a4cd7585ad451e5e0490bbc6f057e0712ca2c40aafce56b176400745f7737"
            "7441111dd18618"
        ),
        None,
        None,
    ),
    "standard": (
        (
            "030303030303030303030303eb97bfd9dab01589c6de5273caa4555e953bde32b439ed917917ebcad854c8e46ebe9289e5ec066f89e3e2e022"
            "d778d7"
        ),
        "0404040404040404040404049c923832fcccadfef91865514c4c723cab32c58fb1e7",
        (
            "0505050505050505050505055af9c366a1045be9103408f8a7b1d9a80189604108d6141f4ec10c3c767da6af93093ad4f693d561a3bc56a59c"
            "eb7f19a49c37ea"
        ),
        OLD_SALT,
        "standard",
    ),
    "strong": (
        (
            "0808080808080808080808085048870c3f990e99c3b6f910f68760eaf4291b9c2ca5866b1303996e029d7181172b939f0685aaf17cee6d3e96"
            "1032c1"
        ),
        "0909090909090909090909098a16eecacd6200d42d60a5acfa7284c939c735dad3a2",
        (
            "0a0a0a0a0a0a0a0a0a0a0a0a17ffff6d493fdb8762215524adda1224fc2910c2ec2f3eb355eebaf430431e829bac877e882c944c5fec907f89"
            "6bee28da3fa3ba"
        ),
        bytes([7]) * 16,
        "strong",
    ),
}
OLD_LABEL = (
    "0f0f0f0f0f0f0f0f0f0f0f0fe3c6bbdd099992a5df48378d8609bf51128786f990309636600c6bf210e3d11bc7f6a9f76482f47418fb1b0f267e75"
    "a568761ec952a2824fae5140e6"
)


@pytest.mark.parametrize(("key", "payload", "files", "salt", "cost"), OLD.values(), ids=OLD)
def test_data_of_an_earlier_release_can_be_decrypted(
    key: str, payload: str, files: str, salt: bytes | None, cost: str | None
) -> None:
    secret = SealedSecret("v1", bytes.fromhex(key), bytes.fromhex(payload), b"", bytes.fromhex(files), salt, cost)

    push_key = seal.unwrap(secret, OLD_TOKEN, "p" if salt else None, KEY).push_key

    assert seal.open_payload(push_key, bytes.fromhex(payload), OLD_TOKEN) == "s3cret"
    assert seal.open_files(push_key, bytes.fromhex(files), OLD_TOKEN) == FILES[:1]


def test_a_label_of_an_earlier_release_opens_still() -> None:
    label = seal.open_label(bytes.fromhex(OLD_LABEL), digests.digest(OLD_TOKEN), KEY)

    assert label == Label(OLD_TOKEN, "ü", "note")


def test_the_costs_of_a_guess_are_those_of_the_sheet() -> None:
    memory = {name: 128 * n * r for name, (n, r, _) in seal.PASSPHRASE_COSTS.items()}

    assert memory == {"standard": 16 * 2**20, "strong": 128 * 2**20, "cheapest": 16 * 2**10}
    assert [p for _, _, p in seal.PASSPHRASE_COSTS.values()] == [5, 1, 1]


def test_a_new_key_salt_and_nonce_are_as_long_as_they_should_be() -> None:
    secret, ciphertext = sealed("abc", passphrase="p")

    tag = 16
    assert len(ciphertext) == 12 + len("abc") + tag
    assert len(secret.wrapped_key or b"") == 12 + 32 + tag


def test_lone_surrogates_in_a_passphrase_are_a_passphrase_as_any() -> None:
    assert opened(sealed(passphrase="\ud800"), passphrase="\ud800") == "s3cret"
    with pytest.raises(CannotOpen):
        opened(sealed(passphrase="\ud800"), passphrase="\ud801")


def test_file_lists_and_labels_are_encrypted_without_overhead() -> None:
    secret, _ = sealed()
    label = seal.seal_label(Label(TOKEN, "ü", "n"), KEY)

    nonce_and_tag = 12 + 16
    assert len(secret.files or b"") == nonce_and_tag + len(
        '[["Söhne.pdf","application/pdf",7],["b","text/plain",0]]'.encode()
    )
    assert len(label) == nonce_and_tag + len(f'["{TOKEN}", "ü", "n"]'.encode())


def test_a_wrong_passphrase_is_hashed_only_once() -> None:
    secret, _ = sealed(passphrase="p")

    with mock.patch.object(hashlib, "scrypt", wraps=hashlib.scrypt) as derived, pytest.raises(CannotOpen):
        seal.unwrap(secret, TOKEN, "q", KEY)

    assert derived.call_count == 1
