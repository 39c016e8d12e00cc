"""Multipart forms as common libraries write them (contract, sections 1, 3 and 8)."""

import pytest

from tests.drivers.client import Answer, Api
from tests.drivers.form_data import TYPE as MULTIPART
from tests.drivers.form_data import field, file, form, part
from tests.engines import resources


def post(api: Api, *parts: bytes) -> Answer:
    return raw(api, form(*parts))


def form_in(charset: str, *parts: bytes) -> bytes:
    return form(*parts).decode().encode(charset)


def raw(api: Api, body: bytes, content_type: str = MULTIPART) -> Answer:
    return api.request("POST", "/api/v2/pushes", headers={"content-type": content_type}, body=body)


@pytest.mark.parametrize(
    "name", ["push[payload]", "push[files]", "push[file]", "push[avatar]", "files[]", "file", "@x", ""]
)
@pytest.mark.parametrize("kind", ["", "text", "file"])
def test_a_file_under_another_name_does_not_vanish(bob: Api, name: str, kind: str) -> None:
    answer = post(bob, field("kind", kind), field("payload", "a"), part(name, "s3cret", '; filename="x.pdf"'))

    assert (answer.status, answer.json["files"]) == (
        422,
        ["number 1 came under a name that holds no files: a form's files are named push[files][]"],
    )


def test_a_file_under_a_wrong_field_name_is_rejected_next_to_a_right_one(bob: Api) -> None:
    right, wrong = (part(name, "a", '; filename="x.pdf"') for name in ("push[files][]", "file"))

    for parts in ([right, wrong], [wrong, right]):
        answer = post(bob, *parts)
        assert (answer.status, len(answer.json["files"])) == (422, 1)


def test_a_file_that_was_not_chosen_may_have_any_name(bob: Api) -> None:
    answer = post(bob, field("payload", "a"), part("avatar", "", '; filename=""'))

    assert (answer.status, answer.json["kind"]) == (201, "text")


def test_a_text_under_the_name_of_the_files_does_not_vanish(bob: Api) -> None:
    answer = post(bob, field("payload", "a"), field("files][", "@x.pdf"))

    assert (answer.status, answer.json) == (422, {"files": ["number 1 needs a filename"]})


# These clients' requests, byte for byte.
WRITTEN = {
    "résumé.pdf": [
        """filename="=?utf-8?B?csOpc3Vtw6kucGRm?="; filename*=utf-8''r%C3%A9sum%C3%A9.pdf""",  # .NET, PowerShell 7.4
        """filename*=UTF-8''r%C3%A9sum%C3%A9.pdf; filename="resume.pdf\"""",
        """filename*="UTF-8''r%C3%A9sum%C3%A9.pdf\"""",
        """filename*=utf-8'fr'r%C3%A9sum%C3%A9.pdf""",
        """filename*=iso-8859-1''r%E9sum%E9.pdf""",
        'filename="=?utf-8?B?csOpc3Vtw6kucGRm?="',
        'filename="=?UTF-8?Q?r=C3=A9sum=C3=A9.pdf?="',
        'filename="=?iso-8859-1?Q?r=E9sum=E9.pdf?="',
        'filename="=?utf-8?B?csOpc3U=?= =?utf-8?B?bcOpLnBkZg==?="',
        'filename="résumé.pdf"',
    ],
    "a b.pdf": ["filename=\"a b.pdf\"; filename*=utf-8''a%20b.pdf", "filename*=utf-8''a%20b.pdf"],
    "a.pdf": ["filename=a.pdf; filename*=utf-8''a.pdf", "filename=a.pdf"],
    "=?utf-8?X?a?=": ['filename="=?utf-8?X?a?="'],
    "=?nosuch?B?YQ==?=": ['filename="=?nosuch?B?YQ==?="'],
    "=?é?B?YQ==?=": ['filename="=?é?B?YQ==?="'],
    "a; filename*=utf-8''b": ["""filename="a; filename*=utf-8''b\""""],
    "=?utf-8?B?YQ==?= and more": ['filename="=?utf-8?B?YQ==?= and more"'],
}


@pytest.mark.parametrize(("name", "sent"), [(name, sent) for name, ways in WRITTEN.items() for sent in ways])
def test_a_files_name_arrives_however_it_is_written(bob: Api, name: str, sent: str) -> None:
    created = post(bob, part("push[files][]", "a", f"; {sent}"))

    assert bob.retrieve(created.json["url_token"]).json["files"][0]["filename"] == name


def test_an_undecodable_filename_gets_an_error(bob: Api) -> None:
    for value in ("utf-8''r%E9sum%E9.pdf", "nosuch''%E9.pdf"):
        answer = post(bob, part("push[files][]", "a", f'; filename="a"; filename*={value}'))
        assert (answer.status, "filename*" in answer.json["error"]) == (400, True)


URLENCODED = "application/x-www-form-urlencoded"
GOOD = field("payload", "s3cret")
LOCAL_NAME = file("résumé.pdf", "s3cret")
LOCAL_TEXT = field("payload", "s3crét", "Content-Type: text/plain; charset=ISO-8859-1")
WRONG: dict[str, tuple[str, bytes, str]] = {
    "no boundary": ("multipart/form-data", form(GOOD), "has no boundary"),
    "an empty boundary": ('multipart/form-data; boundary=""', form(GOOD), "has no boundary"),
    "another boundary": (f"{MULTIPART}y", form(GOOD), "does not occur"),
    "LF": (MULTIPART, form(GOOD).replace(b"\r\n", b"\n"), "must end with CR LF"),
    "LF before a later part": (MULTIPART, form(GOOD, GOOD).replace(b"\r\n--x\r", b"\r\n--x"), "must end with CR LF"),
    "a local code page": (MULTIPART, form_in("cp1252", LOCAL_NAME), "file name of the form is not UTF-8"),
    "65 fields": (MULTIPART, form(*[GOOD] * 65), "too many fields (at most 64)"),
    "65 urlencoded fields": (URLENCODED, b"&".join([b"push[payload]=s3cret"] * 65), "too many fields (at most 64)"),
    "a code page, urlencoded": (URLENCODED, b"push[payload]=s3cr%E9t", "not valid UTF-8"),
    "no end": (MULTIPART, form(GOOD)[:-7], "is incomplete"),
    "no name": (MULTIPART, form(b"Content-Type: text/plain\r\n\r\ns3cret"), "Content-Disposition"),
    "base64": (
        MULTIPART,
        form(field("payload", "s3cret", "Content-Transfer-Encoding: base64")),
        "Content-Transfer-Encoding",
    ),
    "a part of another charset": (MULTIPART, form_in("latin1", LOCAL_TEXT), "charset=ISO-8859-1"),
    "a form that names its charset": (
        MULTIPART,
        form_in("cp1252", part("_charset_", "windows-1252"), field("payload", "s3crét")),
        "charset=windows-1252",
    ),
}


@pytest.mark.parametrize(("content_type", "body", "said"), WRONG.values(), ids=WRONG)
def test_an_unreadable_form_gets_an_error(bob: Api, content_type: str, body: bytes, said: str) -> None:
    answer = raw(bob, body, content_type)

    assert answer.status == 400
    assert said in answer.json["error"]
    assert "s3cr" not in answer.text
    assert resources.stored()["Pushes"] == 0


@pytest.mark.parametrize(
    "header",
    [
        "Content-Type: text/plain; charset=utf-8",
        "Content-Type: text/plain; charset=ISO-8859-1",  # Java's default; ASCII text is valid in it
        "Content-Transfer-Encoding: 8bit",
        "Content-Transfer-Encoding: BINARY",
    ],
)
def test_a_field_that_says_how_it_is_written_is_read(bob: Api, header: str) -> None:
    created = post(bob, field("payload", "s3cret", header))

    assert bob.retrieve(created.json["url_token"]).json["payload"] == "s3cret"


def test_a_file_may_be_in_any_charset(bob: Api) -> None:
    sent = form_in("latin1", file("a.txt", "é", "Content-Type: text/plain; charset=utf-16"))

    assert raw(bob, sent).status == 201
