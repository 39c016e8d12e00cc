import json
import subprocess
import sys
import time

import pytest

from infra.build import template
from shared.domain import errors
from shared.web import json_parser

MISTAKES = [
    ("{'a': 1}", "a key in double quotes is expected", 1, 2),
    ('{"a": }', "a value is expected", 1, 7),
    (
        '{\n "a": 1,\n}',
        "a comma comes before the end of an object or an array|a key in double quotes is expected",
        0,
        0,
    ),
    ('{"a" 1}', "a colon is expected after the key", 1, 6),
    ('{"a": 1 "b": 2}', "a comma is missing, or the end of an object or an array", 1, 9),
    ('{"a": 1', "a comma is missing, or the end of an object or an array", 1, 8),
    ('{"a": 1}}', "something follows the end of the JSON", 1, 9),
    ('{"a": "s3cret', "a string has no closing quote", 1, 7),
    (
        '{\n"a": "s3\ncret"}',
        "a line break or another control character in a string must be escaped, such as \\n",
        2,
        9,
    ),
    ('{"a": "C:\\s3cret"}', "a backslash in a string does not start a valid escape", 1, 10),
    ('{"a": "\\u12"}', "a backslash in a string does not start a valid escape", 1, 9),
    ('\ufeff{"a": 1}', "a value is expected", 1, 1),
    ('{"NaN \\" NaN": 1,\n "b": NaN}', "NaN and Infinity are not JSON", 2, 7),
    ('{"a": -Infinity}', "NaN and Infinity are not JSON", 1, 7),
    ('{"a": "' + "1" * 5_000 + '", "b": ' + "1" * 5_000 + "}", "a number has too many digits", 1, 5_016),
]


@pytest.mark.parametrize(("text", "mistake", "line", "column"), MISTAKES, ids=[f"{one[0]:.20}" for one in MISTAKES])
def test_a_mistake_is_named_with_its_place(text: str, mistake: str, line: int, column: int) -> None:
    with pytest.raises(errors.MalformedRequest) as refused:
        json_parser.parse(text.encode())

    sentence = str(refused.value)
    assert any(sentence.startswith(f"The JSON is not valid: {one} (line ") for one in mistake.split("|"))
    assert not line or sentence.endswith(f" (line {line}, column {column}).")
    assert "s3cret" not in sentence


@pytest.mark.parametrize("body", [b"", b" \r\n\t"])
def test_an_empty_body_is_called_empty(body: bytes) -> None:
    with pytest.raises(errors.MalformedRequest, match=r"^The body is empty\.$"):
        json_parser.parse(body)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '[{"b": {"a": 1, "\\u0061": null}}]', '{"": 1, "": 2}'])
def test_a_key_twice_in_one_object_is_refused(text: str) -> None:
    with pytest.raises(errors.MalformedRequest, match="the same key twice"):
        json_parser.parse(text.encode())


def test_what_is_json_is_read_as_json() -> None:
    text = '{"a": [1, -2.5e3, true, null, "\\ud83d\\ude00 NaN"], "A": {"a": 1}}'

    assert json_parser.parse(text.encode()) == json.loads(text)


@pytest.mark.parametrize("end", ["NaN", "1" * 5_000])
def test_the_place_of_a_mistake_is_found_in_little_memory(end: str) -> None:
    script = f"""
import resource
from shared.domain import errors
from shared.web import json_parser
resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
try:
    json_parser.parse(b'["' + b"a" * 5_800_000 + b'", {end}]')
except errors.MalformedRequest:
    print("refused")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=template.ROOT
    )

    assert (done.stdout, done.stderr) == ("refused\n", "")


def test_many_long_numbers_take_linear_time() -> None:
    numbers = ",".join(["1" * 4_300] * 400 + ["1" * 4_301])
    began = time.process_time()
    with pytest.raises(errors.MalformedRequest, match=r"column 1720402\)"):
        json_parser.parse(f"[{numbers}]".encode())

    assert time.process_time() - began < 1


@pytest.mark.parametrize("end", ["NaN", "1" * 5_000])
def test_the_place_of_a_mistake_is_found_in_linear_time(end: str) -> None:
    began = time.process_time()
    with pytest.raises(errors.MalformedRequest):
        json_parser.parse(('{"a": "' + '\\"' * 2_000_000 + '", "b": [' + '"a",' * 200_000 + end + "]}").encode())

    assert time.process_time() - began < 2
