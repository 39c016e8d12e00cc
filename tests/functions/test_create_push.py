from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.conftest import Configure
from tests.drivers import form_data
from tests.drivers.client import Answer, Api
from tests.drivers.form_data import field, file, part
from tests.engines import resources

FORM = "application/x-www-form-urlencoded"
MEBI = 1_048_576

# Not a whole number, in any field.
NOT_WHOLE: list[Any] = [
    7.5,
    True,
    False,
    "",
    " ",
    "7.0",
    "+7",
    "--7",
    "-",
    "seven",
    "0x7",
    "1e1",
    "\u0667",
    [7],
    {"7": 7},
]


def form(api: Api, **fields: str) -> Answer:
    body = urlencode({f"push[{name}]": value for name, value in fields.items()}).encode()
    return api.request("POST", "/api/v2/pushes", headers={"content-type": FORM}, body=body)


def multipart(api: Api, *parts: bytes) -> Answer:
    return api.request("POST", "/api/v2/pushes", headers={"content-type": form_data.TYPE}, body=form_data.form(*parts))


def test_a_push_with_nothing_but_a_payload_takes_the_defaults(api: Api) -> None:
    created = api.create()

    assert created.status == 201
    taken = {name: created.json[name] for name in ("kind", "expire_after_days", "expire_after_views")}
    assert taken == {"kind": "text", "expire_after_days": 7, "expire_after_views": 5}
    assert created.json["deletable_by_viewer"] is created.json["retrieval_step"] is True
    assert [created.json[name] for name in ("name", "note", "passphrase")] == ["", "", ""]


def test_a_new_push_is_active_with_all_its_views_and_days(api: Api) -> None:
    created = api.create(expire_after_days=3, expire_after_views=4).json

    assert (created["days_remaining"], created["views_remaining"]) == (3, 4)
    assert (created["expired"], created["deleted"], created["expired_on"]) == (False, False, None)
    assert created["created_at"] == created["updated_at"] == "2026-01-01T01:00:00.000Z"
    assert created["expires_at"] == "2026-01-04T01:00:00.000Z"


@pytest.mark.parametrize(("field", "highest"), [("expire_after_days", 90), ("expire_after_views", 100)])
def test_days_and_views_are_whole_numbers_in_their_range(api: Api, field: str, highest: int) -> None:
    for value in (1, highest, 1.0, float(highest), "1", str(highest), f" {highest} ", f"0{highest}"):
        assert api.create(**{field: value}).json[field] == int(value)

    for value in (
        0,
        highest + 1,
        -1,
        -7.0,
        1e30,
        10**30,
        "0",
        "-1",
        "-0",
        str(highest + 1),
        "9" * 5_000,
        "-" + "9" * 5_000,
    ):
        answer = api.create(**{field: value})
        assert (answer.status, answer.json) == (422, {field: [f"must be between 1 and {highest}"]})


@pytest.mark.parametrize("value", NOT_WHOLE, ids=repr)
@pytest.mark.parametrize("field", ["expire_after_days", "expire_after_views"])
def test_a_value_that_is_no_whole_number_is_rejected(api: Api, field: str, value: Any) -> None:
    answer = api.create(**{field: value})

    assert (answer.status, answer.json) == (422, {field: ["must be a whole number"]})


LIFETIMES = {
    0: (1, "2026-01-01T01:15"),
    1: (1, "2026-01-01T01:30"),
    2: (1, "2026-01-01T01:45"),
    3: (1, "2026-01-01T02:00"),
    4: (1, "2026-01-01T07:00"),
    5: (1, "2026-01-01T13:00"),
    6: (1, "2026-01-02T01:00"),
    7: (2, "2026-01-03T01:00"),
    8: (3, "2026-01-04T01:00"),
    9: (4, "2026-01-05T01:00"),
    10: (5, "2026-01-06T01:00"),
    11: (6, "2026-01-07T01:00"),
    12: (7, "2026-01-08T01:00"),
    13: (14, "2026-01-15T01:00"),
    14: (21, "2026-01-22T01:00"),
    15: (30, "2026-01-31T01:00"),
    16: (60, "2026-03-02T01:00"),
    17: (90, "2026-04-01T01:00"),
}


@pytest.mark.parametrize("index", LIFETIMES)
def test_a_duration_index_stands_for_an_exact_lifetime(api: Api, index: int) -> None:
    for value in (index, float(index), str(index)):
        created = api.create(expire_after_duration=value).json
        days, end = LIFETIMES[index]
        assert (created["expire_after_days"], created["expires_at"]) == (days, f"{end}:00.000Z")


def test_a_duration_is_honoured_only_when_days_are_absent(api: Api) -> None:
    assert api.create(expire_after_duration=0, expire_after_days=3).json["expire_after_days"] == 3
    assert api.create(expire_after_duration=0, expire_after_days=91).status == 422
    assert api.create(expire_after_duration=8, expire_after_days=None).json["expire_after_days"] == 3


@pytest.mark.parametrize("index", [18, 99, -1, 10**30, "18", "-1"], ids=repr)
def test_an_unknown_duration_index_is_refused(api: Api, index: Any) -> None:
    answer = api.create(expire_after_duration=index)

    assert (answer.status, answer.json) == (422, {"expire_after_duration": ["must be between 0 and 17"]})


@pytest.mark.parametrize("index", NOT_WHOLE, ids=repr)
def test_a_duration_that_is_no_index_is_refused(api: Api, index: Any) -> None:
    answer = api.create(expire_after_duration=index)

    assert (answer.status, answer.json) == (422, {"expire_after_duration": ["must be a whole number"]})


def test_no_duration_and_no_days_are_seven_days(api: Api) -> None:
    assert api.create(expire_after_duration=None).json["expires_at"] == "2026-01-08T01:00:00.000Z"


TRUE = [
    True,
    1,
    1.0,
    "true",
    "True",
    "TRUE",
    "t",
    "T",
    "on",
    "On",
    "yes",
    "YES",
    "y",
    "checked",
    "Enabled",
    "1",
    "true ",
]
FALSE = [False, 0, 0.0, "false", "F", "off", "Off", "no", "N", "unchecked", "DISABLED", "0", "", " ", "\tno\n"]
NO_SWITCH: list[Any] = [
    2,
    -1,
    1.5,
    "2",
    "truthy",
    "ja",
    "on!",
    "nope",
    "-",
    "null",
    "none",
    [],
    [True],
    {"a": 1},
    "tr ue",
]
SWITCHES = [*((value, True) for value in TRUE), *((value, False) for value in FALSE)]


@pytest.mark.parametrize("field", ["deletable_by_viewer", "retrieval_step"])
@pytest.mark.parametrize(("value", "meant"), SWITCHES, ids=repr)
def test_a_switch_is_on_or_off_in_every_spelling(
    api: Api, configure: Configure, field: str, value: Any, meant: bool
) -> None:
    configure(**{field.upper(): str(not meant).lower()})

    assert api.create(**{field: value}).json[field] is meant


@pytest.mark.parametrize("field", ["deletable_by_viewer", "retrieval_step"])
@pytest.mark.parametrize("value", NO_SWITCH, ids=repr)
def test_no_typing_error_switches_a_protection_off(api: Api, field: str, value: Any) -> None:
    answer = api.create(**{field: value})

    assert (answer.status, answer.json) == (422, {field: ["must be true or false"]})


@pytest.mark.parametrize("field", ["deletable_by_viewer", "retrieval_step"])
def test_a_switch_not_given_is_as_the_installation_has_it(api: Api, configure: Configure, field: str) -> None:
    assert [api.create().json[field], api.create(**{field: None}).json[field]] == [True, True]

    configure(**{field.upper(): "false"})

    assert [api.create().json[field], api.create(**{field: None}).json[field]] == [False, False]
    assert api.create(**{field: True}).json[field] is True


@pytest.mark.parametrize("kind", ["text", "url", "qr"])
def test_a_push_has_the_requested_kind(api: Api, kind: str) -> None:
    created = api.create("https://example.com/", kind=kind).json

    assert created["kind"] == kind
    assert api.retrieve(created["url_token"]).json["kind"] == kind


def test_a_push_of_no_kind_is_text(api: Api) -> None:
    assert [api.create(kind=kind).json["kind"] for kind in (None, "")] == ["text", "text"]


@pytest.mark.parametrize(
    "kind", ["Text", "TEXT", " text", "password", "qr_code", 1, 0, False, [], ["text"], {}], ids=repr
)
def test_an_unknown_kind_is_refused(api: Api, kind: Any) -> None:
    answer = api.create(kind=kind)

    assert (answer.status, answer.json) == (422, {"kind": ["must be one of text, file, url, qr"]})


@pytest.mark.parametrize(("kind", "setting"), [("url", "URL_PUSHES"), ("qr", "QR_CODE_PUSHES")])
def test_a_kind_switched_off_is_refused(api: Api, configure: Configure, kind: str, setting: str) -> None:
    configure(**{setting: "false"})

    answer = api.create("https://example.com/", kind=kind)

    assert (answer.status, answer.json) == (422, {"kind": ["is not available here"]})
    assert api.create().status == 201


@pytest.mark.parametrize("files", [[], None], ids=repr)
def test_no_files_are_no_files(bob: Api, files: Any) -> None:
    assert bob.create(files=files).json["kind"] == "text"


@pytest.mark.parametrize("payload", [None, "", " ", "\r\n\t ", "\u00a0\u2003\u3000"], ids=repr)
@pytest.mark.parametrize("kind", ["text", "url", "qr"])
def test_a_blank_payload_is_missing(api: Api, kind: str, payload: Any) -> None:
    answer = api.create(payload, kind=kind)

    assert (answer.status, answer.json) == (422, {"payload": ["can't be blank"]})


@pytest.mark.parametrize("payload", [1, 0, 1.5, True, False, [], ["a"], {}, {"a": "b"}], ids=repr)
def test_a_payload_is_a_string(api: Api, payload: Any) -> None:
    answer = api.create(payload)

    assert (answer.status, answer.json) == (422, {"payload": ["must be a string"]})


@pytest.mark.parametrize(
    ("kind", "longest"),
    [
        ("text", "ü" * MEBI),
        ("url", "http://a/" + "b" * (MEBI - 9)),
        ("qr", "q" * 1_024),
        ("qr", "€" * 984 + "q"),  # 2,953 bytes
    ],
    ids=["text", "url", "qr characters", "qr bytes"],
)
def test_a_payload_has_a_limit_of_its_kind(api: Api, kind: str, longest: str) -> None:
    assert api.create(longest, kind=kind).status == 201

    over = api.create(longest + "q", kind=kind)

    assert over.status == 422
    assert list(over.json) == ["payload"]


@pytest.mark.parametrize("url", ["not a url", "ftp://example.com/", "//example.com/", "http://", "http://a b/"])
def test_the_payload_of_a_url_push_is_a_web_address(api: Api, url: str) -> None:
    answer = api.create(url, kind="url")

    assert (answer.status, answer.json) == (422, {"payload": ["must be an absolute http or https URL"]})
    assert api.create(f"HTTPS://example.com/?u={url.replace(' ', '+')}", kind="url").status == 201


@pytest.mark.parametrize(
    ("field", "limit", "character"), [("passphrase", 1_000, "ü"), ("name", 255, "😀"), ("note", 10_000, "😀")]
)
def test_a_text_has_a_limit_in_characters(bob: Api, field: str, limit: int, character: str) -> None:
    created = bob.create(**{field: character * limit})
    over = bob.create(**{field: "a" * (limit + 1)})

    assert created.json[field] == character * limit
    assert (over.status, over.json) == (422, {field: [f"is too long (at most {limit:,} characters)"]})


def test_a_passphrase_is_no_longer_than_a_query_can_carry(api: Api) -> None:
    longest = "😀" * 512
    url_token = api.push(passphrase=longest)

    over = api.create(passphrase=longest + "a")

    assert api.retrieve(url_token, longest).status == 200
    assert len(quote(longest)) < 10_240 / 1.5  # API Gateway takes 10,240 bytes of request line and headers
    assert (over.status, over.json) == (422, {"passphrase": ["is too long (at most 2,048 bytes of UTF-8)"]})


@pytest.mark.parametrize("field", ["payload", "passphrase", "name", "note"])
@pytest.mark.parametrize("value", ["a\0b", "\ud800", "a\udfffb", "\udc00\ud800"], ids=ascii)
def test_a_value_that_is_no_text_is_rejected(api: Api, field: str, value: str) -> None:
    answer = api.create(**{"payload": "s3cret", field: value})

    assert answer.status == (422 if "\0" in value else 400)
    assert resources.stored() == dict.fromkeys(resources.stored(), 0)


@pytest.mark.parametrize("field", ["payload", "passphrase", "name", "note"])
def test_an_escaped_lone_surrogate_is_refused(api: Api, field: str) -> None:
    fields = b"".join(b', "%s": "a"' % other.encode() for other in {"payload"} - {field})
    body = b'{"push": {"%s": "a\\ud83d"%s}}' % (field.encode(), fields)

    answer = api.request("POST", "/api/v2/pushes", headers={"content-type": "application/json"}, body=body)

    assert (answer.status, answer.json) == (422, {field: ["must not contain unpaired surrogates"]})


def test_an_escaped_pair_of_surrogates_is_one_character(api: Api) -> None:
    body = b'{"push": {"payload": "\\ud83d\\ude00"}}'

    created = api.request("POST", "/api/v2/pushes", headers={"content-type": "application/json"}, body=body)

    assert api.retrieve(created.json["url_token"]).json["payload"] == "😀"


@pytest.mark.parametrize("field", ["passphrase", "name", "note"])
def test_a_text_is_a_string_or_null(api: Api, field: str) -> None:
    assert [api.create(**{field: value}).json[field] for value in (None, "")] == ["", ""]

    refused: list[Any] = [1, True, False, [], {}]
    for value in refused:
        assert api.create(**{field: value}).json == {field: ["must be a string"]}


def test_only_the_create_response_shows_the_passphrase(bob: Api) -> None:
    created = bob.create(passphrase=" p ").json

    seen = [bob.retrieve(created["url_token"], " p ").json, *bob.active().json, bob.expire(created["url_token"]).json]

    assert created["passphrase"] == " p "
    assert [one["passphrase"] for one in seen] == ["********", "********", None]


def test_a_blank_passphrase_protects_too(api: Api) -> None:
    url_token = api.push(passphrase=" ")

    assert api.retrieve(url_token).status == 401
    assert api.retrieve(url_token, " ").status == 200


@pytest.mark.parametrize(
    ("field", "message"), [("notify_emails_to", "are not available"), ("notify_emails_to_locale", "is not available")]
)
def test_there_is_no_mail_service(api: Api, field: str, message: str) -> None:
    blanks: list[Any] = [None, "", "  ", []]
    for blank in blanks:
        assert api.create(**{field: blank}).status == 201

    for value in ("a@example.com", ["a@example.com"], 1):
        assert (api.create(**{field: value}).status, api.create(**{field: value}).json) == (422, {field: [message]})


def test_all_invalid_fields_are_listed_at_once(api: Api) -> None:
    answer = api.create(
        "", kind="x", expire_after_days=0, expire_after_views=0, passphrase=1, name=1, note=1, notify_emails_to="a"
    )

    failing = {"payload", "kind", "expire_after_days", "expire_after_views", "passphrase", "name", "note"}
    assert answer.status == 422
    assert set(answer.json) == failing | {"notify_emails_to"}


def test_unknown_keys_are_ignored_inside_and_outside_push(api: Api) -> None:
    answer = api.post("/api/v2/pushes", {"push": {"payload": "a", "url_token": "x", "": 0}, "account_id": 1})

    assert answer.status == 201
    assert answer.json["url_token"] != "x"


@pytest.mark.parametrize(
    "document",
    [{}, {"push": None}, {"push": {}}, {"push": []}, {"push": "a"}, {"push": ["a"]}, [], "push", None],
    ids=repr,
)
def test_a_body_without_a_push_is_malformed(api: Api, document: Any) -> None:
    assert api.post("/api/v2/pushes", document).status == 400


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "", "json"])
def test_another_content_type_is_malformed(api: Api, content_type: str) -> None:
    body = b'{"push": {"payload": "a"}}'

    assert api.request("POST", "/api/v2/pushes", headers={"content-type": content_type}, body=body).status == 400
    assert api.request("POST", "/api/v2/pushes", body=body).status == 400


def test_a_form_makes_a_push(api: Api) -> None:
    created = form(api, payload=" a&b=ü%+\r\n", expire_after_days="3", retrieval_step="false", kind="")

    assert created.status == 201
    assert (created.json["expire_after_days"], created.json["retrieval_step"]) == (3, False)
    assert api.retrieve(created.json["url_token"]).json["payload"] == " a&b=ü%+\r\n"


def test_a_number_left_empty_in_a_form_is_left_out(api: Api) -> None:
    created = form(api, payload="a", expire_after_days="", expire_after_views=" ", expire_after_duration="").json
    by_index = form(api, payload="a", expire_after_days="", expire_after_duration="3").json

    assert (created["expire_after_days"], created["expire_after_views"]) == (7, 5)
    assert by_index["expires_at"] == "2026-01-01T02:00:00.000Z"


@pytest.mark.parametrize("charset", ["UTF-8", '"utf8"', "us-ascii", "ASCII", "utf_8", "csUTF8", ""])
def test_utf_8_and_ascii_are_known_in_any_spelling(api: Api, charset: str) -> None:
    bodies = {"application/json": b'{"push": {"payload": "a"}}', FORM: b"push[payload]=a"}

    answers = [
        api.request("POST", "/api/v2/pushes", headers={"content-type": f"{kind}; charset={charset}"}, body=body)
        for kind, body in bodies.items()
    ]

    assert [answer.status for answer in answers] == [201, 201]


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "utf-16", "UTF-7", "shift_jis"])
@pytest.mark.parametrize("media_type", ["application/json", FORM, form_data.TYPE])
def test_another_charset_would_store_another_secret_and_is_named(api: Api, media_type: str, charset: str) -> None:
    headers = {"content-type": f"{media_type}; Charset={charset}"}

    answer = api.request("POST", "/api/v2/pushes", headers=headers, body=b'{"push": {"payload": "a"}}')

    assert answer.status == 400
    assert f"charset={charset}" in answer.json["error"]


def test_an_invalid_charset_name_is_not_quoted(api: Api) -> None:
    answers = [
        api.request(
            "POST", "/api/v2/pushes", headers={"content-type": f'application/json; charset="{name}"'}, body=b"{}"
        )
        for name in ("<s3cret>", "s3cret" * 10)
    ]

    assert [(answer.status, "s3cret" in answer.text) for answer in answers] == [(400, False)] * 2


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b'{"push": {"passphrase": "p", "payload": "a"}}'),
        (FORM, b"push[passphrase]=p&push[payload]=a"),
        (form_data.TYPE, form_data.form(field("passphrase", "p"), field("payload", "a"))),
    ],
)
def test_a_byte_order_mark_is_no_part_of_the_first_field(api: Api, content_type: str, body: bytes) -> None:
    created = api.request("POST", "/api/v2/pushes", headers={"content-type": content_type}, body=b"\xef\xbb\xbf" + body)

    assert (created.status, created.json["passphrase"]) == (201, "p")
    assert api.retrieve(created.json["url_token"]).status == 401


def test_a_multipart_form_makes_a_push(api: Api) -> None:
    created = multipart(api, field("payload", " ü\r\n--\n"), field("expire_after_views", "3"))

    assert created.status == 201
    assert created.json["expire_after_views"] == 3
    assert api.retrieve(created.json["url_token"]).json["payload"] == " ü\r\n--\n"


def test_a_form_without_a_push_is_malformed(api: Api) -> None:
    assert form(api).status == 400
    assert multipart(api, *(part(name, "a") for name in ("payload", "push", "push[]"))).status == 400


def test_a_form_without_a_chosen_file_has_none(bob: Api) -> None:
    answer = multipart(bob, field("payload", "a"), file("", ""))

    assert (answer.status, answer.json["kind"]) == (201, "text")


def test_checks_go_from_token_to_body_to_fields(api: Api) -> None:
    stranger = api.as_owner("nonsense")

    assert stranger.post("/api/v2/pushes", {}).status == 401
    assert stranger.create("").status == 401
    assert api.post("/api/v2/pushes", {"payload": ""}).status == 400
    assert api.create("").status == 422


def test_without_anonymous_access_only_an_owner_creates(api: Api, bob: Api, configure: Configure) -> None:
    configure(ANONYMOUS_ACCESS="false")

    refused = api.create()

    assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert bob.create().status == 201


def test_the_creation_is_the_first_audit_entry(bob: Api) -> None:
    url_token = bob.push()

    assert bob.kinds(url_token) == ["creation"]


def test_the_json_path_creates_too(api: Api) -> None:
    assert api.post("/api/v2/pushes.json", {"push": {"payload": "a"}}).status == 201


def test_nothing_kept_shows_the_payload_the_passphrase_or_the_url_token(bob: Api) -> None:
    url_token = bob.push("the payload", passphrase="the passphrase", name="the name", note="the note")

    kept = repr([resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries", "ApiTokens")])

    for secret in ("the payload", "the passphrase", "the name", "the note", url_token, str(bob.token)):
        assert secret not in kept


def test_the_links_follow_the_retrieval_step(api: Api) -> None:
    with_step, without = (api.create(retrieval_step=step).json for step in (True, False))

    assert with_step["html_url"] == f"https://api.example.test/p/{with_step['url_token']}/r"
    assert without["html_url"] == f"https://api.example.test/p/{without['url_token']}"
    assert with_step["json_url"] == f"https://api.example.test/p/{with_step['url_token']}.json"


def test_non_text_bytes_are_rejected_in_a_field_and_ignored_elsewhere(api: Api) -> None:
    ignored = multipart(api, field("payload", "a"), field("avatar", b"\xff"))
    refused = multipart(api, field("payload", "a"), field("name", b"\xff"), field("kind", b"\xff"))

    assert ignored.status == 201
    assert (refused.status, sorted(refused.json)) == (422, ["kind", "name"])
    assert refused.json["name"] == ["must be valid UTF-8"]
