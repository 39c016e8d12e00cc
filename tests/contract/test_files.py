"""Three ways to upload, one to download, nothing left over (contract, section 8), on moto."""

import base64
import os
from typing import Any
from urllib.parse import quote

import pytest
import requests

from tests.conftest import Configure
from tests.drivers import form_data
from tests.drivers.client import Answer, Api
from tests.engines import resources


def inline(filename: str, content: bytes, **more: Any) -> dict[str, Any]:
    return {"filename": filename, "data": base64.b64encode(content).decode(), **more}


def multipart(api: Api, files: list[tuple[str, bytes]], **fields: str) -> Answer:
    parts = [form_data.field(*one) for one in fields.items()] + [form_data.file(*one) for one in files]
    headers = {"content-type": form_data.TYPE}
    return api.request("POST", "/api/v2/pushes", headers=headers, body=form_data.form(*parts))


def fetch_files(answer: Answer) -> list[tuple[str, bytes]]:
    return [(file["filename"], requests.get(file["url"], timeout=5).content) for file in answer.json["files"]]


def bring(upload: dict[str, Any], content: bytes) -> int:
    return requests.post(upload["url"], data=upload["fields"], files={"file": content}, timeout=5).status_code


def objects() -> list[str]:
    listed = resources.client("s3").list_objects_v2(Bucket="test-bucket").get("Contents", [])
    # A key has the push's id, the attempt at its create, and the name of its content.
    return sorted(found["Key"].split("/", 2)[2] for found in listed)


CONTENTS = [b"", b"\x00", os.urandom(100_000), b"text\r\n--boundary-like\r\n"]


@pytest.mark.parametrize("way", ["multipart", "inline"])
def test_files_come_back_byte_for_byte_and_in_order(bob: Api, way: str) -> None:
    sent = [(f"{number}.bin", content) for number, content in enumerate(CONTENTS)]
    answer = multipart(bob, sent) if way == "multipart" else bob.create("", files=[inline(*one) for one in sent])

    retrieved = bob.retrieve(answer.json["url_token"])

    assert answer.status == 201
    assert answer.json["kind"] == "file"
    assert "uploads" not in answer.json
    assert fetch_files(retrieved) == sent
    assert retrieved.json["payload"] == ""


def test_a_direct_file_comes_by_the_form_of_the_answer(bob: Api) -> None:
    content = os.urandom(1_000)
    created = bob.create("", files=[{"filename": "a.bin", "size": 1_000}]).json
    [upload] = created["uploads"]

    assert upload["expires_at"] == "2026-01-01T02:00:00.000Z"
    assert bring(upload, content) in (200, 204)
    assert fetch_files(bob.retrieve(created["url_token"])) == [("a.bin", content)]


def test_nothing_is_returned_or_counted_until_all_files_have_arrived(bob: Api) -> None:
    files = [{"filename": "a", "size": 3}, inline("b", b"b"), {"filename": "c", "size": 0}]
    created = bob.create("note", files=files, expire_after_views=1).json
    first, second = created["uploads"]

    statuses = [bob.retrieve(created["url_token"]).status]
    bring(first, b"abc")
    statuses.append(bob.retrieve(created["url_token"]).status)
    bring(second, b"")
    last = bob.retrieve(created["url_token"])

    assert statuses == [409, 409]
    assert fetch_files(last) == [("a", b"abc"), ("b", b"b"), ("c", b"")]
    assert bob.kinds(created["url_token"]) == ["creation", "owner_view"]


def test_a_file_of_another_size_has_not_arrived(bob: Api) -> None:
    created = bob.create("", files=[{"filename": "a", "size": 3}]).json
    key = created["uploads"][0]["fields"]["key"]
    resources.client("s3").put_object(Bucket="test-bucket", Key=key, Body=b"abcd")

    assert bob.retrieve(created["url_token"]).status == 409


def test_a_wrong_passphrase_learns_nothing_of_the_files(bob: Api) -> None:
    created = bob.create("", files=[{"filename": "a", "size": 3}], passphrase="right").json

    assert bob.retrieve(created["url_token"], "wrong").status == 401
    assert bob.retrieve(created["url_token"], "right").status == 409


def test_an_upload_form_is_bound_to_key_type_and_size(bob: Api) -> None:
    created = bob.create("", files=[{"filename": "a.pdf", "size": 1_000}]).json
    fields = created["uploads"][0]["fields"]

    policy = base64.b64decode(fields["policy"]).decode()

    assert '["content-length-range", 1000, 1000]' in policy
    assert '{"Content-Type": "application/pdf"}' in policy
    assert f'{{"key": "{fields["key"]}"}}' in policy
    assert fields["key"].endswith("/files/0")


NAMES = ["Müller & Söhne.pdf", "emoji 😀.png", 'quo"te.txt', "100%.txt", "a;b=c.txt", "x" * 251 + ".txt", " a b .txt"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_comes_back_as_it_was(bob: Api, name: str) -> None:
    url_token = bob.create("", files=[inline(name, b"x")]).json["url_token"]

    [file] = bob.retrieve(url_token).json["files"]
    headers = requests.get(file["url"], timeout=5).headers

    assert file["filename"] == name
    assert headers["Content-Disposition"].startswith("attachment; filename=")
    assert f"filename*=UTF-8''{quote(name, safe='')}" in headers["Content-Disposition"]


def test_data_may_be_broken_into_lines_as_base64_prints_it(bob: Api) -> None:
    content = os.urandom(100)
    data = base64.encodebytes(content).decode().replace("\n", "\r\n", 1)

    url_token = bob.push("", files=[{"filename": "a", "data": data}])

    assert data.count("\n") == 2
    assert fetch_files(bob.retrieve(url_token)) == [("a", content)]


@pytest.mark.parametrize("more", [{"data": "YQ=="}, {"size": 1}], ids=["in the request", "by a form"])
def test_s3_and_the_response_get_only_a_type_and_its_charset(bob: Api, more: dict[str, Any]) -> None:
    declared = 'text/plain; name="MARKER.txt"; charset=utf-8; x=MARKER'
    created = bob.create("", files=[{"filename": "a", "content_type": declared, **more}]).json
    forms = created.get("uploads", [])
    for form in forms:
        bring(form, b"a")

    [file] = bob.retrieve(created["url_token"]).json["files"]

    heads = [resources.client("s3").head_object(Bucket="test-bucket", Key=key) for key in resources.object_keys()]
    assert {head["ContentType"] for head in heads} == {file["content_type"]} == {"text/plain; charset=utf-8"}
    assert "MARKER" not in repr([heads, [base64.b64decode(form["fields"]["policy"]) for form in forms]])


def test_two_files_of_one_name_stay_two(bob: Api) -> None:
    url_token = bob.create("", files=[inline("a", b"1"), inline("a", b"2")]).json["url_token"]

    assert fetch_files(bob.retrieve(url_token)) == [("a", b"1"), ("a", b"2")]


def test_a_link_lives_five_minutes(bob: Api) -> None:
    url_token = bob.create("", files=[inline("a.html", b"<script>")]).json["url_token"]

    [file] = bob.retrieve(url_token).json["files"]

    assert "X-Amz-Expires=300&" in file["url"]
    assert file["content_type"] == "text/html"


def test_a_payload_can_accompany_files(bob: Api) -> None:
    answer = multipart(bob, [("a.txt", b"x")], payload="see attached", kind="file")

    assert bob.retrieve(answer.json["url_token"]).json["payload"] == "see attached"


@pytest.mark.parametrize(
    ("files", "status"),
    [
        ("a.txt", 422),
        ({}, 422),
        (["a.txt"], 422),
        ([{}], 422),
        ([{"filename": "a"}], 422),
        ([{"filename": 1, "data": ""}], 422),
        ([{"filename": "a", "data": "!"}], 422),
        ([{"filename": "a", "data": "YQ"}], 422),
        ([{"filename": "a", "data": 1}], 422),
        ([{"filename": "a", "data": "YQ==", "size": 1}], 422),
        ([{"filename": "a", "size": -1}], 422),
        ([{"filename": "a", "size": True}], 422),
        ([{"filename": "a", "size": 1.5}], 422),
        ([{"filename": "a", "size": 3.0}], 201),
        ([{"filename": "a", "size": 1_073_741_824}], 201),
        ([{"filename": "a", "size": 1_073_741_825}], 413),
        ([{"filename": "a", "size": 10**30}], 413),
        ([{"filename": "a", "data": "YQ==", "content_type": 7}], 422),
        ([inline("a", b"x")] * 10, 201),
        ([inline("a", b"x")] * 11, 422),
        ([inline("a", bytes(4 * 1024 * 1024))], 201),
        ([inline("a", bytes(4 * 1024 * 1024)), inline("b", b"x")], 413),
    ],
)
def test_files_are_accepted_or_rejected_by_the_rules(bob: Api, files: Any, status: int) -> None:
    before = resources.stored()

    answer = bob.create("beside", files=files)

    assert answer.status == status
    assert status == 201 or resources.stored() == before
    assert status != 422 or set(answer.json) == {"files"}


def test_a_name_must_be_unicode(bob: Api) -> None:
    body = rb'{"push": {"files": [{"filename": "\ud800", "data": ""}]}}'

    answer = bob.request("POST", "/api/v2/pushes", headers={"content-type": "application/json"}, body=body)

    assert (answer.status, set(answer.json)) == (422, {"files"})


def test_a_too_large_request_gets_advice_on_direct_uploads(bob: Api) -> None:
    answer = bob.create("", files=[inline("a", bytes(4 * 1024 * 1024 + 1))])

    assert answer.status == 413
    assert "size, without data" in answer.json["error"]
    assert "start page in a browser" in answer.json["error"]  # the way for users of other programs


@pytest.mark.parametrize("files", [None, []], ids=repr)
def test_a_push_of_the_kind_file_needs_a_file(bob: Api, files: Any) -> None:
    empty, blank = ["choose at least one file"], ["can't be blank"]

    assert bob.create("", kind="file", files=files).json == {"files": empty, "payload": blank}
    assert bob.create("a text", kind="file", files=files).json == {"files": empty}
    assert bob.create("a" * 2_000_000, kind="file", files=files).json.keys() == {"files", "payload"}


@pytest.mark.parametrize("breaks", ["\n", "\r\n"])
def test_base64_may_hold_line_breaks(bob: Api, breaks: str) -> None:
    content = bytes(range(256)) * 4
    data = base64.encodebytes(content).decode().replace("\n", breaks)  # as `base64 FILE` prints it

    url_token = bob.push("", files=[{"filename": "a", "data": data}])

    assert fetch_files(bob.retrieve(url_token)) == [("a", content)]


@pytest.mark.parametrize("data", ["a", "YQ", "YQ=", "Y Q==", "Y-Q=", "YQ==YQ==", "é", "\x0bYQ=="])
def test_other_invalid_base64_is_rejected(bob: Api, data: str) -> None:
    answer = bob.create("", files=[{"filename": "a", "data": data}])

    assert (answer.status, answer.json) == (422, {"files": ["number 1 needs base64 as data"]})


@pytest.mark.parametrize("fields", [{"files": []}, {"files": [inline("a", b"x")]}, {"kind": "file"}])
def test_files_need_an_api_token_unless_the_installation_says_otherwise(
    api: Api, fields: dict[str, Any], configure: Configure
) -> None:
    refused = api.create("beside", **fields, expire_after_days=0)
    configure(FILE_AUTHENTICATION="false")

    assert refused.status == 401
    assert api.create("beside", **fields).status != 401


def test_files_can_be_switched_off(bob: Api, configure: Configure) -> None:
    configure(FILE_ATTACHMENTS="false")

    assert bob.create("", files=[inline("a", b"x")]).json == {
        "files": ["are not available here"],
        "kind": ["is not available here"],
    }
    assert bob.get("/api/v2/version").json["features"]["pushes"]["file_attachments"]["enabled"] is False


def test_an_empty_file_field_of_a_browsers_form_is_no_file(bob: Api) -> None:
    answer = multipart(bob, [("", b"")], payload="text")

    assert answer.status == 201
    assert answer.json["kind"] == "text"


def test_nothing_of_a_file_is_stored_in_clear_but_its_bytes(bob: Api, eve: Api) -> None:
    bob.push("", files=[inline("MARKER.txt", b"MARKER-bytes", content_type="text/MARKER")])

    stored = repr([resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries")])

    assert "MARKER" not in stored
    assert objects() == ["files/0"]
