"""Every response to any input is JSON and no 5xx. Rejected input stores nothing; accepted input is kept unchanged."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.test_shapes import HEADERS
from tests.drivers.client import Answer, Api
from tests.drivers.form_data import TYPE as MULTIPART
from tests.engines import resources
from tests.meters.proof import IS_LONG

pytestmark = pytest.mark.prove("API", "Every request is either refused and stores nothing, or is stored whole", "moto")

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
FIELDS = [
    *("payload", "kind", "passphrase", "name", "note", "expire_after_days", "expire_after_views", "files"),
    *("expire_after_duration", "deletable_by_viewer", "retrieval_step", "notify_emails_to", "unknown", ""),
    "notify_when_viewed",
]

# The same examples every time: a test that fails only now and then is worth less. All examples of a test share an
# installation, on purpose.
fuzz = settings(
    max_examples=1_000 if IS_LONG else 50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

fewer = settings(fuzz, max_examples=fuzz.max_examples // 4)  # for examples of several requests each

texts = st.text(st.characters(codec=None), max_size=40)  # including lone surrogates and NUL
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
likely = st.sampled_from(["text", "url", "qr", "file", "https://example.com/", "7", "true", 1, 3, 90, True, None, ""])
pushes = st.dictionaries(st.sampled_from(FIELDS), likely | values, max_size=8)


Outcomes = set[bool]


@pytest.fixture
def stored() -> Iterator[Outcomes]:
    """Record whether examples were stored: a test needs both kinds, or one half shows nothing."""
    seen: Outcomes = set()
    yield seen
    assert seen == {True, False}


def sound(answer: Answer) -> bool:
    """Check that a response is JSON, has the common headers, and is not our failure."""
    json.loads(answer.text, parse_constant=pytest.fail)
    return answer.status < 500 and HEADERS.items() <= answer.headers.items()


def send(api: Api, body: bytes, content_type: str = JSON) -> Answer:
    return api.request("POST", "/api/v2/pushes", headers={"content-type": content_type}, body=body)


def check_create(api: Api, body: bytes, content_type: str) -> Answer:
    """Send a body, and check that it is rejected without a trace or stored completely."""
    before = resources.stored()
    answer = send(api, body, content_type)
    after = resources.stored()
    assert sound(answer)
    assert answer.status in (201, 400, 401, 413, 422)
    added = {"Pushes", "Secrets", "AuditEntries"} if answer.status == 201 else set()
    # A file adds itself, and its bytes to the owner's quota.
    beside = {"Bucket", "Quotas"} if answer.status == 201 else set()
    assert {name for name in after if after[name] != before[name]} - beside == added
    return answer


@fuzz
@given(push=pushes | values)
def test_any_json_under_push_is_rejected_or_stored_unchanged(bob: Api, stored: Outcomes, push: Any) -> None:
    answer = check_create(bob, json.dumps({"push": push}).encode(), JSON)

    stored.add(answer.status == 201)
    if answer.status == 201:
        retrieved = bob.retrieve(answer.json["url_token"], push.get("passphrase"))
        assert retrieved.json["payload"] == push["payload"]


@fuzz
@given(push=pushes, payload=st.text(min_size=1, max_size=200), passphrase=st.text(max_size=50))
def test_a_payload_that_is_accepted_comes_back_exactly(
    api: Api, stored: Outcomes, push: Any, payload: str, passphrase: str
) -> None:
    push = push | {"payload": payload, "passphrase": passphrase, "kind": "text", "files": None}
    answer = check_create(api, json.dumps({"push": push}).encode(), JSON)

    stored.add(answer.status == 201)
    if answer.status == 201:
        assert api.retrieve(answer.json["url_token"], passphrase).json["payload"] == payload


WELL_FORMED = {
    JSON: '{"push": {"payload": "ü", "kind": "text", "expire_after_days": 7, "deletable_by_viewer": true}}'.encode(),
    FORM: b"push[payload]=%C3%BC&push[kind]=text&push[expire_after_days]=7&push[deletable_by_viewer]=on",
    MULTIPART: (
        '--x\r\nContent-Disposition: form-data; name="push[payload]"\r\n\r\nü\r\n'
        '--x\r\nContent-Disposition: form-data; name="ü"\r\n'
        "Content-Type: application/octet-stream\r\nContent-Length: 2\r\n\r\nü\r\n--x--\r\n"
    ).encode(),
}


# The beginning and end of a body of each kind; any bytes may be between, and some create a push.
AROUND = {
    JSON: (b'{"push": {"payload": "', b'"}}'),
    FORM: (b"push[payload]=", b""),
    MULTIPART: (b'--x\r\nContent-Disposition: form-data; name="push[payload]"\r\n\r\n', b"\r\n--x--\r\n"),
}
framed = st.sampled_from(list(AROUND))


@fuzz
@given(content_type=st.sampled_from([JSON, FORM, MULTIPART, "text/plain", ""]), body=st.binary(max_size=200))
def test_any_bytes_are_refused(api: Api, content_type: str, body: bytes) -> None:
    assert check_create(api, body, content_type).status in (400, 422)


@fuzz
@given(content_type=framed, content=st.binary(max_size=50) | st.text(max_size=50).map(str.encode))
def test_any_bytes_of_a_payload_are_refused_or_come_back(
    api: Api, stored: Outcomes, content_type: str, content: bytes
) -> None:
    before, after = AROUND[content_type]
    answer = check_create(api, before + content + after, content_type)

    stored.add(answer.status == 201)
    if answer.status == 201 and content_type == MULTIPART:
        assert api.retrieve(answer.json["url_token"]).json["payload"].encode() == content


@fuzz
@given(content_type=st.sampled_from(list(WELL_FORMED)), data=st.data())
def test_a_damaged_body_is_refused_or_stored(
    api: Api, stored: Outcomes, content_type: str, data: st.DataObject
) -> None:
    body = WELL_FORMED[content_type]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(body)))
        end = start + data.draw(st.integers(0, 12))
        body = body[:start] + data.draw(st.binary(max_size=6) | st.just(body[end : end + 20])) + body[end:]

    stored.add(check_create(api, body, content_type).status == 201)


spellings = st.sampled_from(["multipart/form-data", "Multipart/Form-Data ", " multipart/form-data", "multipart/mixed"])
boundaries = st.sampled_from(["x", '"x"', "x ", "X", "'x'"])
parameters = st.lists(texts | boundaries.map("boundary=".__add__) | st.just("charset=utf-8"), max_size=3)
content_types = st.builds(lambda kind, rest: ";".join([kind, *rest]), spellings | texts, parameters)


@fuzz
@given(content_type=texts | content_types | texts.map("multipart/form-data; boundary=".__add__))
def test_any_content_type_is_refused_or_understood(api: Api, stored: Outcomes, content_type: str) -> None:
    stored.add(check_create(api, WELL_FORMED[MULTIPART], content_type).status == 201)


charsets = st.sampled_from(["utf-8", "ISO-8859-1", "utf-16", "", '"', "*", "idna", "zlib", "utf8\0"]) | texts


@fuzz
@given(content_type=st.sampled_from(list(WELL_FORMED)), charset=charsets)
def test_any_charset_is_refused_or_ours(api: Api, content_type: str, charset: str) -> None:
    check_create(api, WELL_FORMED[content_type], f"{content_type}; charset={charset}")


part_names = st.sampled_from(["push[files][]", "push[files][0]", "push[files]", "push[payload]", "file", ""]) | texts
file_names = (
    st.sampled_from(["a", "", "=?utf-8?B?csOpc3Vtw6kucGRm?=", "=?utf-8?Q?=FF?=", "=?x?B?a?=", "=?utf-16?B?AAA=?="])
    | st.builds("=?{}?{}?{}?=".format, charsets, st.sampled_from("BbQq"), texts)
    | texts
)
extended = st.builds("{}'{}'{}".format, charsets, st.just(""), st.text("%0aEF9é'\"; ", max_size=12)) | texts
part_headers = st.sampled_from(["Content-Type: text/plain; charset=", "Content-Transfer-Encoding: ", "X: ", ""])


parameters = st.one_of(st.tuples(st.just("filename"), file_names), st.tuples(st.just("filename*"), extended))
headers_of_a_part = st.builds("{}{}".format, part_headers, charsets)
contents = st.binary(max_size=8)


@fuzz
@given(part=st.tuples(part_names, st.lists(parameters, max_size=3), headers_of_a_part, contents))
def test_any_part_of_a_form_is_refused_or_stored(bob: Api, part: tuple[str, list[tuple[str, str]], str, bytes]) -> None:
    name, chosen, header, content = part
    written_in = "latin-1" if content.startswith(b"\x00") else "utf-8"
    written = "".join(f'; {key}="{value}"' for key, value in chosen)
    head = f'Content-Disposition: form-data; name="{name}"{written}\r\n{header}'.encode(written_in, "replace")
    payload = b'Content-Disposition: form-data; name="push[payload]"\r\n\r\na'

    check_create(bob, b"--x\r\n" + head + b"\r\n\r\n" + content + b"\r\n--x\r\n" + payload + b"\r\n--x--", MULTIPART)


@fuzz
@given(name=part_names.filter(str.isprintable), content=st.binary(min_size=1, max_size=8))
def test_no_file_is_dropped_for_its_field_name(bob: Api, name: str, content: bytes) -> None:
    head = f'Content-Disposition: form-data; name="{quote(name, safe="[]")}"; filename="a"\r\n\r\n'.encode()
    payload = b'Content-Disposition: form-data; name="push[payload]"\r\n\r\na'

    answer = check_create(bob, b"--x\r\n" + head + content + b"\r\n--x\r\n" + payload + b"\r\n--x--", MULTIPART)

    assert answer.status == 422 or bob.retrieve(answer.json["url_token"]).json["files"]


@fewer
@given(tail=st.text(min_size=1, max_size=6) | st.text(".,;:)]}>'\"…% \n", min_size=1, max_size=6))
def test_a_link_with_an_addition_costs_one_view(bob: Api, tail: str) -> None:
    url_token = bob.push(retrieval_step=False)

    paths = ["/api/v2/pushes/{}{}", "/p/{}{}", "/p/{}.json{}", "/p/{}/r{}", "/p/{}{}/r", "/api/v2/pushes/{}/preview{}"]
    answers = [bob.request("GET", path.format(url_token, quote(tail, safe=""))) for path in paths]

    assert all(answer.status in (200, 301, 404) for answer in answers)
    shown = sum("s3cret" in answer.text for answer in answers)
    assert sum(kind != "creation" for kind in bob.kinds(url_token)) == shown


OF_ONE_PUSH = [
    ("GET", "/api/v2/pushes/{}"),
    ("GET", "/api/v2/pushes/{}.json"),
    ("DELETE", "/api/v2/pushes/{}"),
    ("GET", "/api/v2/pushes/{}/preview"),
    ("GET", "/api/v2/pushes/{}/audit"),
    ("GET", "/p/{}.json"),
    ("GET", "/p/{}/r.json"),
]


@fuzz
@given(endpoint=st.sampled_from(OF_ONE_PUSH), url_token=st.text(min_size=1, max_size=60))
def test_any_url_token_is_not_found(bob: Api, endpoint: tuple[str, str], url_token: str) -> None:
    method, path = endpoint
    before = resources.stored()
    answer = bob.request(method, path.format(quote(url_token, safe="")))

    assert sound(answer)
    assert answer.status == 404
    assert resources.stored() == before


pairs = st.tuples(st.sampled_from(["page", "passphrase", "other", ""]), st.text("0129%+FC3x ,;=\0ü", max_size=8))
queries = st.lists(pairs.map("=".join), max_size=4).map("&".join) | st.text(st.characters(codec="utf-8"), max_size=40)


Statuses = set[int]


@pytest.fixture
def seen() -> Iterator[Statuses]:
    """Record the statuses of all examples: there must be more than one, or the others were never tried."""
    statuses: Statuses = set()
    yield statuses
    assert len(statuses) > 1


@pytest.fixture
def protected(bob: Api) -> str:
    return bob.push(passphrase="p")


@fewer
@given(query=queries)
def test_any_query_is_answered(bob: Api, protected: str, seen: Statuses, query: str) -> None:
    answers = [bob.request("GET", f"/api/v2/pushes/{path}", query=query) for path in (f"{protected}/audit", "active")]
    retrieved = bob.request("GET", f"/api/v2/pushes/{protected}", query=query)

    seen |= {answer.status for answer in answers}
    assert all(sound(answer) and answer.status in (200, 400) for answer in answers)
    assert sound(retrieved)
    assert retrieved.status in (400, 401, 429)


names = st.sampled_from(
    ["authorization", "x-user-token", "x-user-email", "user-agent", "referer", "content-length", "cookie", "accept"]
)
bearers = texts.map(lambda text: f"Bearer {text}")


@fewer
@given(headers=st.dictionaries(names, texts | bearers, max_size=5))
def test_any_headers_are_answered(api: Api, seen: Statuses, headers: dict[str, str]) -> None:
    url_token = api.push()
    body = b'{"push": {"payload": "a"}}'

    answers = [
        api.request("GET", f"/api/v2/pushes/{url_token}", headers=headers),
        api.request("GET", f"/api/v2/pushes/{url_token}/audit", headers=headers),
        api.request("DELETE", f"/api/v2/pushes/{url_token}", headers=headers),
        api.request("POST", "/api/v2/pushes", headers={**headers, "content-type": JSON}, body=body),
    ]

    seen |= {answers[0].status}
    assert all(sound(answer) and answer.status in (200, 201, 401) for answer in answers)


def push_with(field: bytes) -> bytes:
    return b'{"push": {"payload": "a", %s}}' % field


MALFORMED: dict[str, tuple[str, bytes]] = {
    "nothing": (JSON, b""),
    "broken JSON": (JSON, b'{"push": {"payload": "a"'),
    "a tail": (JSON, push_with(b'"a": 1') + b"}"),
    "single quotes": (JSON, b"{'push': {'payload': 'a'}}"),
    "NaN": (JSON, push_with(b'"expire_after_days": NaN')),
    "Infinity": (JSON, push_with(b'"expire_after_days": Infinity')),
    "-Infinity, where nobody looks": (JSON, push_with(b'"unknown": -Infinity')),
    "an integer of 5,000 digits": (JSON, push_with(b'"expire_after_days": ' + b"9" * 5_000)),
    "100,000 brackets": (JSON, b"[" * 100_000),
    "100,000 brackets, closed": (JSON, push_with(b'"name": ' + b"[" * 100_000 + b"]" * 100_000)),
    "100,000 objects": (JSON, push_with(b'"name": ' + b'{"a":' * 100_000)),
    "a key twice": (JSON, push_with(b'"passphrase": "p", "passphrase": ""')),
    "a key twice, once escaped": (JSON, push_with(b'"passphrase": "p", "\\u0070assphrase": ""')),
    "a key twice in a file": (JSON, push_with(b'"files": [{"filename": "a", "data": "", "data": "YQ=="}]')),
    "push twice": (JSON, b'{"push": {"payload": "a", "passphrase": "p"}, "push": {"payload": "a"}}'),
    "a raw line break in a string": (JSON, b'{"push": {"payload": "a\nb"}}'),
    "two byte order marks": (JSON, b"\xef\xbb\xbf" * 2 + push_with(b'"a": 1')),
    "UTF-16": (JSON, push_with(b'"a": 1').decode().encode("utf-16")),
    "invalid UTF-8 in JSON": (JSON, push_with(b'"name": "\xff"')),
    "a surrogate in UTF-8 in JSON": (JSON, push_with(b'"name": "\xed\xa0\x80"')),
    "an overlong encoding in JSON": (JSON, push_with(b'"name": "\xc0\x80"')),
    "invalid UTF-8 in a form": (FORM, b"push[payload]=\xff"),
    "invalid escaped UTF-8 in a form": (FORM, b"push[payload]=%FF"),
    "an escaped surrogate in a form": (FORM, b"push[payload]=%ED%A0%80"),
    "a thousand fields in a form": (FORM, b"&".join([b"push[payload]=a"] * 1_000)),
    "invalid UTF-8 in a multipart form": (MULTIPART, WELL_FORMED[MULTIPART].replace("ü".encode(), b"\xff\xff")),
    "a thousand parts": (MULTIPART, WELL_FORMED[MULTIPART].replace(b"--x--", b"") * 500 + b"--x--\r\n"),
    "another boundary": ("multipart/form-data; boundary=y", WELL_FORMED[MULTIPART]),
    "no boundary": ("multipart/form-data", WELL_FORMED[MULTIPART]),
    "an empty boundary": ("multipart/form-data; boundary=", WELL_FORMED[MULTIPART]),
    "no end": (MULTIPART, WELL_FORMED[MULTIPART][:-6]),
    "JSON called a form": (FORM, push_with(b'"a": 1')),
    "a form called JSON": (JSON, WELL_FORMED[FORM]),
}


@pytest.mark.parametrize(("content_type", "body"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_body_gets_an_error(api: Api, content_type: str, body: bytes) -> None:
    assert check_create(api, body, content_type).status == 400


SAID: dict[str, tuple[str, dict[str, str], bytes]] = {
    "an empty body": ("The body is empty.", {}, b" \n"),
    "broken JSON": (
        (
            "The JSON is not valid: a line break or another control character in a string must be escaped, such as "
            "\\n (line 1, column 36)."
        ),
        {},
        b'{"push": {"payload": "-----BEGIN --\ns3cret"}}',
    ),
    "gzip": (
        "The body has a Content-Encoding (gzip): send it without one.",
        {"content-encoding": "gzip"},
        b"\x1f\x8b\x08s3cret",
    ),
    "a coding that is none": (
        "The body has a Content-Encoding (an unknown one): send it without one.",
        {"content-encoding": "<s3cret>"},
        push_with(b'"a": 1'),
    ),
}


@pytest.mark.parametrize(("sentence", "headers", "body"), SAID.values(), ids=SAID)
def test_a_refusal_says_what_is_wrong_with_a_body_without_its_text(
    api: Api, sentence: str, headers: dict[str, str], body: bytes
) -> None:
    answer = api.request("POST", "/api/v2/pushes", headers={"content-type": JSON, **headers}, body=body)

    assert (answer.status, answer.json) == (400, {"error": sentence})


@pytest.mark.parametrize("coding", ["", "identity", " Identity "])
def test_a_body_that_is_not_compressed_may_say_so(api: Api, coding: str) -> None:
    headers = {"content-type": JSON, "content-encoding": coding}

    assert api.request("POST", "/api/v2/pushes", headers=headers, body=push_with(b'"a": 1')).status == 201


INVALID: dict[str, tuple[bytes, str]] = {
    "a number past all floats": (b'"expire_after_days": 1e400', "expire_after_days"),
    "an integer of 4,000 digits": (b'"expire_after_views": ' + b"9" * 4_000, "expire_after_views"),
    "a string of 5,000 digits": (b'"expire_after_views": "' + b"9" * 5_000 + b'"', "expire_after_views"),
    "a lone surrogate": (b'"passphrase": "\\ud800"', "passphrase"),
    "surrogates the wrong way round": (b'"name": "\\ude00\\ud83d"', "name"),
    "a NUL": (b'"note": "a\\u0000"', "note"),
}


@pytest.mark.parametrize(("field", "name"), INVALID.values(), ids=INVALID)
def test_a_field_out_of_bounds_is_named(api: Api, field: bytes, name: str) -> None:
    answer = check_create(api, push_with(field), JSON)

    assert answer.status == 422
    assert list(answer.json) == [name]


def test_a_number_that_no_rule_reads_is_ignored(api: Api) -> None:
    assert check_create(api, push_with(b'"unknown": 1e400'), JSON).status == 201
