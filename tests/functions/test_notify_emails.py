"""POST /api/v2/pushes/{url_token}/notify_emails, and a create with the same fields (contract, section 12)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.identity import auth
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, Answer, Api
from tests.engines import resources
from tests.meters import wire_tap

ANN, BEN = "ann@example.com", "Ben@example.org"


@pytest.fixture(autouse=True)
def mails(configure: Configure) -> None:
    """Configure an installation that mails links."""
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")


def asks(api: Api, url_token: str, recipients: Any = ANN, **more: Any) -> Answer:
    return api.post(f"/api/v2/pushes/{url_token}/notify_emails", {"notify_emails_to": recipients, **more})


def mailings(api: Api, url_token: str) -> list[dict[str, Any]]:
    return [entry["notify_by_email"] for entry in api.audit(url_token).json["logs"] if "notify_by_email" in entry]


def test_a_create_says_to_whom_it_mails_and_records_it(bob: Api) -> None:
    answer = bob.create(notify_emails_to=f" {ANN} ,{BEN}", notify_emails_to_locale="DE")

    assert answer.status == 201
    assert answer.json["notify_emails_to"] == f"{ANN},{BEN}"
    assert answer.json["notify_emails_to_locale"] == "de"
    assert bob.kinds(answer.json["url_token"]) == ["creation", "creation_email_send"]
    assert mailings(bob, answer.json["url_token"]) == [
        {
            "recipients": f"{ANN},{BEN}",
            "locale": "de",
            "status": "pending",
            "successful_sends": 0,
            "error_message": "",
        }
    ]


def test_a_create_without_mail_returns_and_records_no_mailing(bob: Api) -> None:
    answer = bob.create(notify_emails_to="", notify_emails_to_locale=None)

    assert not {"notify_emails_to", "notify_emails_to_locale"} & set(answer.json)
    assert bob.kinds(answer.json["url_token"]) == ["creation"]


def test_a_create_calls_nothing_that_could_fail_it_but_the_quotas(bob: Api) -> None:
    with wire_tap.calls() as calls:
        bob.push(notify_emails_to=ANN)

    operations = [operation for operation, _ in calls if operation not in ("BatchGetItem", "GetSecretValue")]
    assert operations == ["UpdateItem"] * 4 + ["TransactWriteItems"]


def test_a_create_that_is_sent_again_with_its_key_mails_once(bob: Api) -> None:
    first, again = (bob.create(key=KEY, notify_emails_to=ANN) for _ in range(2))
    other = bob.create(key=KEY, notify_emails_to=BEN)

    assert first.json == again.json
    assert len(mailings(bob, first.json["url_token"])) == 1
    assert other.status == 422


def test_an_anonymous_caller_may_not_mail(api: Api) -> None:
    answer = api.create(notify_emails_to=ANN)

    assert (answer.status, answer.json) == (422, {"notify_emails_to": ["are not allowed for unknown users"]})


@pytest.mark.parametrize(
    ("recipients", "message"),
    [
        (",".join(f"a{number}@example.com" for number in range(6)), "are too many (at most 5 in all)"),
        ("x" * 10_000, "are too many (at most 5 in all)"),
        (f"{ANN},ANN@example.com", "must not contain an address twice"),
        *((text, "must be e-mail addresses, separated by commas") for text in ("ann", "a@b", f"{ANN},", "a b@c.d")),
        *(
            (text, "must be e-mail addresses, separated by commas")
            for text in ("Ann <ann@example.com>", "ann@example.com\nBcc: eve@example.com", "änn@example.com")
        ),
        *(
            (text, "must be e-mail addresses, separated by commas")
            for text in ("ann@example.com.", "ann@.example.com", "ann@example..com")
        ),
        ([ANN], "must be a string"),
    ],
)
def test_an_invalid_list_of_addresses_creates_nothing(bob: Api, recipients: Any, message: str) -> None:
    created = bob.create(notify_emails_to=recipients)
    asked = asks(bob, bob.push(), recipients)

    assert (created.status, created.json) == (422, {"notify_emails_to": [message]})
    assert (asked.status, asked.json) == (422, {"notify_emails_to": [message]})


def test_a_language_that_is_not_served_is_refused(bob: Api) -> None:
    answer = asks(bob, bob.push(), notify_emails_to_locale="tlh")

    assert (answer.status, list(answer.json)) == (422, ["notify_emails_to_locale"])


@pytest.mark.parametrize(("tag", "served"), [("en-GB", "en"), ("pt_br", "pt-BR"), ("fr-CA", "fr")])
def test_a_mail_has_a_served_language_by_any_tag_that_leads_to_it(bob: Api, tag: str, served: str) -> None:
    url_token = bob.push()

    assert asks(bob, url_token, notify_emails_to_locale=tag).status == 201
    assert bob.create(notify_emails_to=BEN, notify_emails_to_locale=tag).json["notify_emails_to_locale"] == served
    assert bob.audit(url_token).json["logs"][-1]["notify_by_email"]["locale"] == served


def test_an_owner_has_the_link_of_a_push_mailed_later(bob: Api) -> None:
    url_token = bob.push()

    answer = asks(bob, url_token, f"{ANN},{BEN}", notify_emails_to_locale="fr")

    assert (answer.status, list(answer.json)) == (201, ["message"])
    [mailing] = mailings(bob, url_token)
    assert (mailing["recipients"], mailing["locale"]) == (f"{ANN},{BEN}", "fr")


def test_a_form_may_ask_too_and_json_has_its_own_path(bob: Api) -> None:
    url_token = bob.push()
    form = {"content-type": "application/x-www-form-urlencoded"}

    answer = bob.request(
        "POST",
        f"/api/v2/pushes/{url_token}/notify_emails.json",
        headers=form,
        body=b"notify_emails_to=ann%40example.com",
    )

    assert answer.status == 201
    assert [mailing["recipients"] for mailing in mailings(bob, url_token)] == [ANN]


def test_only_its_owner_can_mail_a_link(api: Api, bob: Api, eve: Api) -> None:
    url_token = bob.push()

    statuses = [asks(who, url_token).status for who in (api, eve)]

    assert statuses == [401, 403]
    assert asks(eve, "nosuchtoken").status == 404
    assert mailings(bob, url_token) == []


@pytest.mark.parametrize("recipients", ["", " ", None])
def test_a_blank_list_is_refused(bob: Api, recipients: str | None) -> None:
    answer = asks(bob, bob.push(), recipients)

    assert (answer.status, answer.json) == (422, {"notify_emails_to": ["can't be blank"]})


def test_an_expired_push_is_not_mailed(bob: Api) -> None:
    url_token = bob.push()
    bob.expire(url_token)

    answer = asks(bob, url_token)

    assert (answer.status, answer.json) == (422, {"notify_emails_to": ["are not available for expired pushes"]})


def test_a_push_has_five_recipients_in_all(bob: Api) -> None:
    url_token = bob.push(notify_emails_to=f"{ANN},{BEN}")

    statuses = [
        asks(bob, url_token, recipients).status
        for recipients in ("a@x.org,b@x.org,c@x.org,d@x.org", "a@x.org,b@x.org,c@x.org", "e@x.org")
    ]

    assert statuses == [422, 201, 422]


def test_two_that_ask_at_once_do_not_pass_the_five_together(bob: Api) -> None:
    url_token = bob.push(notify_emails_to=f"{ANN},{BEN}")
    other: list[int] = []

    with wire_tap.before_first(
        "TransactWriteItems", lambda: other.append(asks(bob, url_token, "a@x.org,b@x.org").status)
    ):
        answer = asks(bob, url_token, "c@x.org,d@x.org")

    assert (other, answer.status) == ([201], 422)


def test_an_owner_can_request_mails_five_times_a_minute(bob: Api, eve: Api) -> None:
    url_tokens = [bob.push() for _ in range(6)]

    answers = [asks(bob, url_token, f"{nth}@example.com") for nth, url_token in enumerate(url_tokens)]
    bob.tick(minutes=1)

    assert [answer.status for answer in answers] == [201] * 5 + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert asks(bob, url_tokens[-1]).status == 201
    assert eve.create(notify_emails_to=ANN).status == 201


def test_an_owner_mails_five_hundred_a_day_and_further_creates_fail(bob: Api) -> None:
    bob.push(notify_emails_to=ANN)
    [counter] = [item for item in resources.items("Quotas") if item["id"]["S"].startswith("mails of an owner")]
    resources.client("dynamodb").put_item(TableName="test-Quotas", Item=counter | {"used": {"N": "499"}})
    before = resources.stored()

    answers = [bob.create(notify_emails_to=recipients) for recipients in (f"{ANN},{BEN}", ANN)]

    assert [answer.status for answer in answers] == [429, 201]
    assert resources.stored()["Pushes"] == before["Pushes"] + 1


def mail(sender: Api, recipients: str = ANN) -> int:
    """Return the status of a create with a mailing, a minute after the last one."""
    sender.tick(minutes=1)
    return sender.create(notify_emails_to=recipients).status


def test_an_address_gets_five_mails_an_hour_from_all_senders(bob: Api, eve: Api) -> None:
    statuses = [mail(sender, ANN) for sender in (bob, eve, bob, eve, bob)]
    subaddresses = [mail(eve, address) for address in ("Ann@Example.COM", "ann+2@example.com")]
    refused = asks(bob, bob.push(), f"{BEN},{ANN}")

    assert statuses == [201] * 5
    assert subaddresses == [429, 429]
    assert refused.status == 429
    assert refused.headers["retry-after"] == str((60 - bob.now.minute) * 60)
    assert mail(eve, BEN) == 201
    eve.tick(hours=1)
    assert mail(eve, ANN) == 201


def test_a_mailing_that_a_push_has_no_room_for_costs_its_recipients_nothing(bob: Api, eve: Api) -> None:
    url_token = bob.push(notify_emails_to=",".join(f"a{number}@example.com" for number in range(5)))

    refused = [asks(bob, url_token).status for _ in range(4)]

    assert refused == [422] * 4
    assert [mail(eve) for _ in range(5)] == [201] * 5


def test_an_address_gets_twenty_mails_a_day(bob: Api) -> None:
    statuses = []
    for _ in range(4):
        bob.tick(hours=1)
        statuses += [mail(bob) for _ in range(5)]
    bob.tick(hours=1)

    answer = bob.create(notify_emails_to=ANN)

    assert statuses == [201] * 20
    assert answer.status == 429
    midnight = bob.now.replace(hour=0, minute=0) + timedelta(days=1)
    assert answer.headers["retry-after"] == str(int((midnight - bob.now).total_seconds()))
    bob.tick(days=1)
    assert mail(bob) == 201


def test_a_create_for_an_address_over_its_limit_stores_nothing(bob: Api) -> None:
    for _ in range(5):
        mail(bob)
    before = resources.stored()

    refused = mail(bob, f"{ANN},{BEN}")

    assert refused == 429
    assert resources.stored() | {"Quotas": 0} == before | {"Quotas": 0}


def of_today(ann: Browser) -> Api:
    """Return the API as the owner of a new account."""
    return Api(now=datetime.now(UTC), token=auth.issue_api_token(ann.owner, "test", now=datetime.now(UTC)))


def test_an_account_sends_twenty_mails_in_its_first_day(ann: Browser) -> None:
    owner = of_today(ann)
    five = [",".join(f"{letter}{number}@example.com" for letter in "abcde") for number in range(5)]

    statuses = [mail(owner, recipients) for recipients in five]
    owner.tick(hours=23)
    late = owner.create(notify_emails_to=ANN)
    owner.tick(hours=1)

    assert statuses == [201] * 4 + [429]
    assert late.status == 429
    assert 0 < int(late.headers["retry-after"]) <= 3600
    assert [mail(owner, recipients) for recipients in five] == [201] * 5


def test_the_number_of_mails_in_a_first_day_is_a_setting(ann: Browser, configure: Configure) -> None:
    configure(FIRST_DAY_MAILS="1")
    owner = of_today(ann)

    assert [mail(owner), mail(owner)] == [201, 429]


def test_an_operator_s_owner_name_has_no_first_day(bob: Api, configure: Configure) -> None:
    configure(FIRST_DAY_MAILS="0")

    assert mail(bob) == 201


@pytest.fixture(params=["MAIL_FROM", "BASE_URL"])
def without_mail(request: pytest.FixtureRequest, configure: Configure) -> None:
    configure(**{request.param: ""})


def test_without_an_address_to_mail_from_or_to_lead_to_there_is_no_mail(bob: Api, without_mail: None) -> None:
    created, asked = bob.create(notify_emails_to=ANN), asks(bob, bob.push())

    assert (created.status, created.json) == (422, {"notify_emails_to": ["are not available"]})
    assert asked.status == 404
    assert bob.get("/api/v2/version").json["features"]["pushes"]["email_auto_dispatch"] is False


def test_the_version_says_that_there_is_mail(api: Api) -> None:
    assert api.get("/api/v2/version").json["features"]["pushes"]["email_auto_dispatch"] is True
