"""Compact JWE of exactly the contract's form; everything else is refused."""

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain import jwe
from tests.drivers.sender_key import KEY, decoded, encoded, key_id, seal

ALPHABET = string.ascii_letters + string.digits + "-_"
WHOLE = seal("s3cret").split(".")
HEADER = {"alg": "dir", "enc": "A256GCM", "kid": key_id()}


def with_header(raw: bytes) -> str:
    return ".".join([encoded(raw), *WHOLE[1:]])


def with_part(number: int, part: str) -> str:
    return ".".join([*WHOLE[:number], part, *WHOLE[number + 1 :]])


@pytest.mark.parametrize("text", ["s3cret", "", "é" * 1000])
@pytest.mark.parametrize("more", [{}, {"cty": "json"}])
def test_a_jwe_of_the_contract_s_form_has_its_key_s_id(text: str, more: Any) -> None:
    assert jwe.key_id(seal(text, **more)) == decoded(key_id())


def test_the_order_of_the_header_and_its_spaces_do_not_matter() -> None:
    assert jwe.key_id(with_header(json.dumps(dict(reversed(HEADER.items())), indent=1).encode())) == decoded(key_id())


@pytest.mark.parametrize(
    "change",
    [
        {"alg": "A256KW"},
        {"alg": None},
        {"enc": "A128GCM"},
        {"kid": None},
        {"kid": 1},
        {"kid": ""},
        {"kid": encoded(b"abc")},
        {"kid": encoded(b"abcde")},
        {"kid": "AAAAAB"},  # bits that no encoder sets
        {"kid": "AAAA+A"},
        {"cty": "text"},
        {"zip": "DEF"},
        {"crit": []},
    ],
)
def test_another_header_is_refused(change: Any) -> None:
    assert jwe.key_id(seal(**change)) is None


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b'"a"',
        b"1",
        b"null",
        b"[[1, 2]]",
        b'[["alg", "dir"]]',
        json.dumps(list(HEADER.items())).encode(),
        b"\xff",
        json.dumps(HEADER).encode("utf-16"),
        json.dumps(HEADER).encode()[:-1] + b', "alg": "dir"}',
        json.dumps(HEADER).encode() + b" " * 110,
        b"[" * 100,
    ],
)
def test_a_header_that_is_no_small_json_object_is_refused(raw: bytes) -> None:
    assert jwe.key_id(with_header(raw)) is None


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "s3cret",
        "....",
        "." * 1_048_576,
        ".".join(WHOLE[:4]),
        ".".join([*WHOLE, ""]),
        with_part(1, "AAAA"),
        with_part(2, encoded(bytes(11))),
        with_part(2, encoded(bytes(13))),
        with_part(4, encoded(bytes(15))),
        with_part(4, encoded(bytes(17))),
        with_part(3, "A"),
        with_part(3, "AB"),  # bits that no encoder sets
        with_part(3, "AA=="),
        with_part(3, "AA+A"),
        with_part(3, "AAA/"),
        with_part(3, "AA A"),
        with_part(3, "AAA\n"),
        with_part(3, "AAAé"),
        with_part(3, "AAA\ud800"),
        " " + ".".join(WHOLE),
        ".".join(WHOLE) + "\n",
    ],
)
def test_other_parts_are_refused(wrong: str) -> None:
    assert jwe.key_id(wrong) is None


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    for compact in (
        text,
        *(with_part(number, text) for number in range(5)),
        with_header(text.encode("utf-8", "replace")),
    ):
        assert jwe.key_id(compact) in (None, decoded(key_id(KEY)))
