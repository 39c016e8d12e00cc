"""Single fields: the parsed value, and the error for an invalid one."""

from datetime import timedelta
from typing import Any

import pytest

from shared.domain.bounds import Bounds
from shared.domain.fields import Fields, is_blank
from shared.domain.limits import DAYS, DURATIONS, FILE, KINDS, QR, TEXT, URL

GIVEN = [{"filename": "a", "data": "eA=="}]


@pytest.mark.parametrize(
    ("value", "read", "refused"),
    [
        (None, 7, []),
        (1, 1, []),
        ("90", 90, []),
        (2.0, 2, []),
        ("-0", 7, ["must be between 1 and 90"]),
        ("-5", 7, ["must be between 1 and 90"]),
        (0, 7, ["must be between 1 and 90"]),
        (91, 7, ["must be between 1 and 90"]),
        (1.5, 7, ["must be a whole number"]),
        (True, 7, ["must be a whole number"]),
        ("", 7, ["must be a whole number"]),
        ([1], 7, ["must be a whole number"]),
    ],
    ids=repr,
)
def test_a_number_out_of_its_bounds_reads_as_its_default(value: Any, read: int, refused: list[str]) -> None:
    fields = Fields({"n": value})

    assert fields.number("n", Bounds(1, 7, 90)) == read
    assert fields.refused.get("n", []) == refused


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("999999999", 999_999_999),
        ("1234567890", 1_234_567_890),
        ("12345678901", 10**10),
        ("0001", 1),
        ("000", 0),
        ("0" * 5_000 + "7", 7),
        ("9" * 5_000, 10**10),
        ("-12345678901", -(10**10)),
        (" 12 ", 12),
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_number_of_more_than_ten_digits_is_taken_for_the_least_of_eleven(written: str, number: int) -> None:
    assert Fields({"n": written}).number("n", Bounds(-(10**10), 7, 10**10)) == number


@pytest.mark.parametrize(
    ("value", "read", "refused"),
    [
        (None, "", []),
        ("ab", "ab", []),
        ("abc", "abc", ["is too long (at most 2 characters)"]),
        (b"a", "", ["must be valid UTF-8"]),
        (1, "", ["must be a string"]),
        ("\0", "\0", ["must not contain NUL characters"]),
        ("\ud800", "\ud800", ["must not contain unpaired surrogates"]),
    ],
    ids=repr,
)
def test_a_text_is_read_unchanged_or_as_none(value: Any, read: str, refused: list[str]) -> None:
    fields = Fields({"t": value})

    assert fields.text("t", 2) == read
    assert fields.refused.get("t", []) == refused


@pytest.mark.parametrize("default", [True, False])
@pytest.mark.parametrize(
    ("value", "read"), [(True, True), ("On", True), (1, True), (1.0, True), (False, False), ("", False), (0, False)]
)
def test_a_switch_is_read_with_any_default(value: Any, read: bool, default: bool) -> None:
    assert Fields({"s": value}).switch("s", default) is read


@pytest.mark.parametrize("default", [True, False])
@pytest.mark.parametrize("value", ["maybe", 2, 1.5, [], None])
def test_a_switch_that_is_none_reads_as_its_default(value: Any, default: bool) -> None:
    fields = Fields({"s": value})

    assert fields.switch("s", default) is default
    assert fields.refused.get("s", []) == ([] if value is None else ["must be true or false"])


@pytest.mark.parametrize(
    ("parameters", "kind", "refused"),
    [
        ({}, TEXT, {}),
        ({"kind": ""}, TEXT, {}),
        ({"kind": "", "files": GIVEN}, FILE, {}),
        ({"kind": QR}, QR, {}),
        ({"kind": QR, "files": GIVEN}, QR, {}),
        ({"kind": FILE, "files": GIVEN}, FILE, {}),
        ({"kind": FILE}, FILE, {"files": ["choose at least one file"]}),
        ({"kind": "x"}, TEXT, {"kind": ["must be one of text, file, url, qr"]}),
        ({"kind": 1}, TEXT, {"kind": ["must be one of text, file, url, qr"]}),
        ({"kind": URL}, URL, {"kind": ["is not available here"]}),
    ],
    ids=str,
)
def test_a_kind_must_be_available(parameters: dict[str, Any], kind: str, refused: dict[str, list[str]]) -> None:
    fields = Fields(parameters)

    assert fields.kind(tuple(one for one in KINDS if one != URL)) == kind
    assert fields.refused == refused


@pytest.mark.parametrize(
    ("parameters", "kind", "read", "refused"),
    [
        ({"payload": " a "}, TEXT, " a ", []),
        ({"payload": "http://a/"}, URL, "http://a/", []),
        ({"payload": "a"}, URL, "a", ["must be an absolute http or https URL"]),
        ({"payload": "a" * 1_024}, QR, "a" * 1_024, []),
        ({"payload": "a" * 1_025}, QR, "", ["is too long (at most 1,024 characters)"]),
        ({"payload": "a" * 1_025}, TEXT, "a" * 1_025, []),
        ({"payload": "ü" * 1_000}, QR, "ü" * 1_000, []),
        ({"payload": "€" * 984 + "a"}, QR, "€" * 984 + "a", []),  # 2,953 bytes
        ({"payload": "€" * 984 + "aa"}, QR, "€" * 984 + "aa", ["is too long for a QR code (at most 2,953 bytes)"]),
        ({"payload": "€" * 1_000}, TEXT, "€" * 1_000, []),
        ({"payload": " "}, TEXT, " ", ["can't be blank"]),
        ({"payload": ""}, FILE, "", ["can't be blank"]),
        ({"payload": "", "files": GIVEN}, FILE, "", []),
        ({"payload": "", "files": GIVEN}, TEXT, "", ["can't be blank"]),
        ({"payload": 1}, TEXT, "", ["must be a string"]),
        ({}, TEXT, "", ["can't be blank"]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_payload_must_fit_its_kind(parameters: dict[str, Any], kind: str, read: str, refused: list[str]) -> None:
    fields = Fields(parameters)

    assert fields.payload(kind) == read
    assert fields.refused.get("payload", []) == refused


@pytest.mark.parametrize(
    ("value", "refused"),
    [
        (None, []),
        ("€" * 682 + "aa", []),  # 2,048 bytes
        ("€" * 682 + "aaa", ["is too long (at most 2,048 bytes of UTF-8)"]),
        ("a" * 1_001, ["is too long (at most 1,000 characters)"]),
    ],
    ids=["none", "the longest", "too many bytes", "too many characters"],
)
def test_a_passphrase_has_limits_in_characters_and_bytes(value: str | None, refused: list[str]) -> None:
    fields = Fields({"passphrase": value})

    assert fields.passphrase() == (value or "")
    assert fields.refused.get("passphrase", []) == refused


@pytest.mark.parametrize(
    ("parameters", "lifetime"),
    [
        ({}, (timedelta(days=7), 7)),
        ({"expire_after_days": 3}, (timedelta(days=3), 3)),
        ({"expire_after_days": 3, "expire_after_duration": 0}, (timedelta(days=3), 3)),
        ({"expire_after_duration": 0}, (timedelta(minutes=15), 1)),
        ({"expire_after_duration": 6}, (timedelta(days=1), 1)),
        ({"expire_after_duration": len(DURATIONS) - 1}, (timedelta(days=90), 90)),
        ({"expire_after_duration": len(DURATIONS)}, (timedelta(minutes=15), 1)),  # and refused
        ({"expire_after_duration": -1}, (timedelta(minutes=15), 1)),
    ],
    ids=str,
)
def test_a_lifetime_is_of_days_or_else_of_a_duration(
    parameters: dict[str, Any], lifetime: tuple[timedelta, int]
) -> None:
    fields = Fields(parameters)

    assert fields.lifetime(DAYS) == lifetime
    assert set(fields.refused) == (
        {"expire_after_duration"} if parameters.get("expire_after_duration") in (18, -1) else set()
    )


@pytest.mark.parametrize(
    ("value", "available", "count", "refused"),
    [
        (None, True, 0, []),
        ([], False, 0, []),
        (GIVEN, True, 1, []),
        (GIVEN, False, 0, ["are not available here"]),
    ],
)
def test_files_are_read_where_they_are_available(value: Any, available: bool, count: int, refused: list[str]) -> None:
    fields = Fields({"files": value})

    assert len(fields.files(available, 10)) == count
    assert fields.refused.get("files", []) == refused


def test_files_that_break_a_rule_read_as_none() -> None:
    fields = Fields({"files": [{"data": "eA=="}]})

    assert fields.files(True, 10) == ()
    assert fields.refused["files"] == ["number 1 needs a filename"]


@pytest.mark.parametrize(("value", "blank"), [(None, True), ("", True), (" \n", True), ("a", False), (1, False)])
def test_blank_is_null_empty_or_white_space(value: Any, blank: bool) -> None:
    assert is_blank(value) is blank
