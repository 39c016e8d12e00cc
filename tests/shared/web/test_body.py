"""Details of request bodies that the create endpoint's own tests do not show."""

from typing import Any

import pytest

from shared.domain import errors
from shared.web import body
from tests.drivers import form_data
from tests.drivers.form_data import form, part

FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/json;charset=utf-8", " APPLICATION/JSON ; a=b"], ids=repr
)
def test_json_input_is_read_from_push(content_type: str) -> None:
    sent = '{"push": {"payload": "ü", "files": [1, null]}, "other": {}}'.encode()

    assert body.push_parameters(content_type, sent) == {"payload": "ü", "files": [1, None]}


def test_keys_in_other_letters_or_other_objects_are_other_keys() -> None:
    sent = b'{"push": {"payload": "a", "Payload": "b", "x": {"payload": 1}}, "Push": {}}'

    assert body.push_parameters("application/json", sent) == {"payload": "a", "Payload": "b", "x": {"payload": 1}}


@pytest.mark.parametrize(
    ("content_type", "sent"),
    [
        ("application/json", b'{"push": {"payload": "a", "push_locale": "fr"}, "push_locale": "de"}'),
        (FORM, b"push_locale=&push[payload]=a&push[push_locale]=fr&push_locale=de"),
        (form_data.TYPE, form(part("push[payload]", "a"), part("push_locale", "de"))),
    ],
)
def test_the_locale_stands_beside_the_push(content_type: str, sent: bytes) -> None:
    assert body.new_push(content_type, sent).push_locale == "de"


@pytest.mark.parametrize("value", ["7", "null", '["de"]', '{"a": "de"}'])
def test_a_locale_that_is_no_text_is_none(value: str) -> None:
    assert (
        body.new_push("application/json", b'{"push": {"a": 1}, "push_locale": %s}' % value.encode()).push_locale == ""
    )


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("push[payload]=a", {"payload": "a"}),
        ("push%5Bpayload%5D=a+b%2B%26%3D", {"payload": "a b+&="}),
        ("push[payload]=a&push[payload]=b", {"payload": "b"}),
        ("push[payload]=&push[kind]", {"payload": "", "kind": ""}),
        ("push[payload]=a;b", {"payload": "a;b"}),
        ("push[payload]=a&push[files][]=&push[files][]=x&push[files][]=y", {"payload": "a", "files": ["x", "y"]}),
        ("push[payload]=a&push[a][b]=1&push=2&payload=3&xpush[b]=4&push[c]d=5&push[]=6", {"payload": "a"}),
    ],
)
def test_a_form_gives_its_fields_of_push(sent: str, expected: dict[str, Any]) -> None:
    assert body.push_parameters(FORM, sent.encode()) == expected


def test_a_form_has_at_most_64_fields() -> None:
    assert body.push_parameters(FORM, b"&".join([b"push[a]=1"] * 64)) == {"a": "1"}

    with pytest.raises(errors.MalformedRequest):
        body.push_parameters(FORM, b"&".join([b"push[a]=1"] * 65))


@pytest.mark.parametrize("content_type", [form_data.TYPE, 'Multipart/Form-Data; boundary="x"'])
def test_a_multipart_form_gives_its_fields_of_push(content_type: str) -> None:
    sent = form(part("push[payload]", "a\r\nü "), part("push[kind]", ""), part("other", "b"))

    assert body.push_parameters(content_type, sent) == {"payload": "a\r\nü ", "kind": ""}


def test_a_multipart_form_holds_its_files_as_json_does() -> None:
    named = {"a.txt": "content", "b.bin": "", "": "nameless"}
    files = [part("push[files][]", content, f'; filename="{name}"') for name, content in named.items()]

    parameters = body.push_parameters(form_data.TYPE, form(*files))

    assert parameters["files"] == [
        {"filename": name, "content_type": None, "data": content.encode()} for name, content in named.items()
    ]


@pytest.mark.parametrize(
    ("given", "filename"),
    [
        ("filename=plain; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"),
        ("filename*=utf-8'en'%C3%BC.txt; filename=\"plain\"", "ü.txt"),
        ("filename*=iso-8859-1''%fc.txt", "ü.txt"),
        ("filename=\"a; filename*=utf-8''b\"", "a; filename*=utf-8''b"),
        ('filename="=?UTF-8?B?w7wudHh0?="', "ü.txt"),
        ('filename="=?iso-8859-1?q?=FC_1.txt?="', "ü 1.txt"),
        ('filename="=?utf-8?q?a?= =?utf-8?q?b?="', "ab"),
        ('filename="=?utf-8?B?w?="', "=?utf-8?B?w?="),
        ('filename="=?none?q?a?="', "=?none?q?a?="),
        ('filename="=?utf-8?q?=FF?="', "=?utf-8?q?=FF?="),
        ('filename="what=?.txt"', "what=?.txt"),
        ('filename="r%C3%A9sum%c3%a9.txt"', "résumé.txt"),
        ('filename="my%20report%2B.pdf"', "my report+.pdf"),
        ('filename="a+b.txt"', "a+b.txt"),
        ('filename="50%.txt"', "50%.txt"),
        ('filename="50%25 of 20%.txt"', "50%25 of 20%.txt"),
        ('filename="%FF.txt"', "%FF.txt"),
        ("filename*=utf-8''50%2520.txt", "50%20.txt"),
    ],
)
def test_a_file_is_named_by_the_longer_form_or_by_encoded_words(given: str, filename: str) -> None:
    sent = form(part("push[files][]", "x", f"; {given}"))

    [file] = body.push_parameters(form_data.TYPE, sent)["files"]

    assert file["filename"] == filename


@pytest.mark.parametrize("charset", ["none", "hex", "undefined", "punycode", "utf-8"])
def test_a_name_that_its_charset_cannot_decode_is_refused(charset: str) -> None:
    sent = form(part("push[files][]", "x", f"; filename*={charset}''%5c%ff"))

    with pytest.raises(errors.MalformedRequest, match=r"filename\*"):
        body.push_parameters(form_data.TYPE, sent)


def test_a_percent_encoded_name_in_json_stays() -> None:
    sent = b'{"push": {"files": [{"filename": "my%20report.pdf", "data": ""}]}}'

    assert body.push_parameters("application/json", sent)["files"][0]["filename"] == "my%20report.pdf"


def test_files_with_numbers_are_files_too() -> None:
    files = [part(f"push[files][{number}]", "x", '; filename="a"') for number in range(2)]

    assert len(body.push_parameters(form_data.TYPE, form(*files))["files"]) == 2


def test_an_empty_field_of_files_is_none() -> None:
    empty = part("push[files][]", "", '; filename=""')

    assert "files" not in body.push_parameters(form_data.TYPE, form(part("push[payload]", "a"), empty))


def test_other_fields_of_a_multipart_form_need_not_be_text() -> None:
    sent = form(part("push[payload]", "a"), part("other", "ü")).replace(b"\xc3", b"\xff")

    assert body.push_parameters(form_data.TYPE, sent) == {"payload": "a"}


def test_a_payload_of_a_megabyte_stays_in_memory() -> None:
    sent = form(part("push[payload]", "a" * 1_048_576))

    parameters = body.push_parameters(form_data.TYPE, sent)

    assert parameters == {"payload": "a" * 1_048_576}


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"--x--\r\n",
        b"--x\r\n\r\na\r\n--x--\r\n",
        b"--x\r\nContent-Disposition: attachment; name=a\r\n\r\na\r\n--x--\r\n",
        b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--\r\n",
        b"--x\nContent-Disposition: form-data; name=a\n\na\n--x--\n",
        form(*[part("push[payload]", "a")] * 65),
    ],
    ids=["nothing", "no parts", "no headers", "no form-data", "no name", "line feeds", "65 parts"],
)
def test_a_multipart_form_that_breaks_the_rules_is_malformed(sent: bytes) -> None:
    with pytest.raises(errors.MalformedRequest):
        body.push_parameters(form_data.TYPE, sent)
