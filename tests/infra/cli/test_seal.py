import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from secret_cli import seal

KEY = seal.Key.new()
OTHER = seal.Key.new()


def sealed(content: bytes, number: int = 1) -> bytes:
    return b"".join(seal.seal_file(KEY, number, io.BytesIO(content)))


def opened(content: bytes, number: int = 1, piece: int = 1000) -> bytes:
    pieces = [content[at : at + piece] for at in range(0, len(content), piece)]
    return b"".join(seal.open_file(KEY, number, pieces))


@pytest.mark.parametrize("size", [0, 1, seal.CHUNK - 1, seal.CHUNK, seal.CHUNK + 1, 3 * seal.CHUNK])
def test_a_file_comes_back_whole_and_has_the_declared_size(size: int) -> None:
    content = bytes(index % 251 for index in range(size))
    assert len(sealed(content)) == seal.sealed_size(size)
    assert opened(sealed(content)) == content


def test_a_cut_swapped_or_changed_file_is_not_opened() -> None:
    whole = sealed(b"a" * seal.CHUNK + b"b" * seal.CHUNK + b"c")
    salt, chunk = whole[:16], seal.CHUNK + 16
    first, second, last = whole[16 : 16 + chunk], whole[16 + chunk : 16 + 2 * chunk], whole[16 + 2 * chunk :]
    wrong = [
        salt + first,
        salt + first + second,
        salt + second + first + last,
        salt + first + last,
        salt,
        b"",
        whole + b"x",
    ]
    for content in (*wrong, whole[:-1] + bytes([whole[-1] ^ 1])):
        with pytest.raises(seal.Unopenable):
            opened(content)


def test_a_file_is_not_opened_as_another_one_or_with_another_key() -> None:
    with pytest.raises(seal.Unopenable):
        opened(sealed(b"content"), number=2)
    with pytest.raises(seal.Unopenable):
        list(seal.open_file(OTHER, 1, [sealed(b"content")]))


def test_each_sealing_of_a_file_has_a_salt_of_its_own() -> None:
    assert sealed(b"content")[:16] != sealed(b"content")[:16]


def test_the_first_chunk_is_sealed_as_the_contract_says() -> None:
    """By the primitives alone, so that a change on both sides is seen."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    content = sealed(b"x", number=7)
    key = HKDF(SHA256(), 32, content[:16], b"sealed file v1 7").derive(KEY.raw)
    assert AESGCM(key).decrypt(bytes(11) + b"\x01", content[16:], None) == b"x"


def test_a_text_comes_back_exactly() -> None:
    text = "zwei Zeilen\r\n\tund \u200b\U0001f512"
    assert seal.open_payload(KEY, seal.seal_text(KEY, text)) == (text, [])


def test_a_list_of_files_comes_back_with_its_text() -> None:
    files = [{"name": "über.pdf", "type": "application/pdf", "size": 3}]
    assert seal.open_payload(KEY, seal.seal_list(KEY, "see these", files)) == ("see these", ["über.pdf"])


def test_the_protected_header_is_exact() -> None:
    header = json.loads(seal._decoded(seal.seal_text(KEY, "x").split(".")[0]))
    assert header == {"alg": "dir", "enc": "A256GCM", "kid": KEY.id}
    assert len(KEY.id) == 6


@pytest.mark.parametrize(
    "jwe", ["", "a.b.c", "....", seal.seal_text(OTHER, "x"), seal.seal_text(KEY, "x")[:-3] + "AAA"]
)
def test_what_this_key_did_not_seal_is_not_opened(jwe: str) -> None:
    with pytest.raises(seal.Unopenable):
        seal.open_payload(KEY, jwe)


def test_a_fragment_gives_the_key_whatever_a_mail_program_appended() -> None:
    assert seal.Key.from_fragment(KEY.fragment + ">.") == KEY
    assert seal.Key.from_fragment(KEY.fragment[:-1]) is None
    assert seal.Key.from_fragment("") is None


def test_a_key_is_in_no_repr() -> None:
    assert KEY.fragment[2:] not in repr(KEY)
    assert str(KEY.raw) not in repr(KEY)


@pytest.mark.long
def test_a_gibibyte_is_sealed_and_opened_in_constant_memory() -> None:
    script = """
import pathlib, re
from secret_cli import seal
class Zeros:
    left = 2**30
    def read(self, count):
        taken = min(count, self.left); self.left -= taken
        return bytes(taken)
key = seal.Key.new()
size = sum(map(len, seal.open_file(key, 1, seal.seal_file(key, 1, Zeros()))))
print(size, re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
"""
    cli = Path(__file__).parents[3] / "infra" / "cli"
    size, kibibytes = map(int, subprocess.check_output([sys.executable, "-c", script], cwd=cli).split())
    assert size == 2**30
    assert kibibytes < 100_000
