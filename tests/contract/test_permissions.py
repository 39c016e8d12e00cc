"""Promise 8: a function may do exactly what its endpoint does, no more and no less."""

import json
import re
import urllib.request
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

import pytest

from functions import (
    label_instance_key,
    note_mail_return,
    publish_events,
    remove_objects,
    schedule_removal,
    send_mail,
    send_notice,
)
from infra.build import template
from infra.build.permissions import Permission, as_list, permissions, statements
from shared.aws import keys
from shared.domain import digests, notice
from shared.identity import auth
from shared.runtime import settings
from shared.web.cookies import SESSION
from tests.conftest import HOME, PASSWORD, People
from tests.contract import test_events, test_files, test_instance_key, test_mailings, test_removal
from tests.doubles import fine_grained_access, hosted_sign_in
from tests.doubles.fine_grained_access import ATTRIBUTES, LEADING_KEYS, RETURN_VALUES, WRITES, Access
from tests.doubles.hosted_sign_in import Provider
from tests.drivers import client, provider_sign_in, sender_key
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, START, Api, Context
from tests.engines import resources
from tests.functions.pages import test_my_account
from tests.meters import wire_tap

pytestmark = pytest.mark.prove("8", "A role's policies name just what its function was seen to use", "moto")

LARGE = "x" * 400_000
LONG_NAMES = [
    {"filename": f"{number}{'語' * 83}", "data": "eA==", "content_type": f"a/{'x' * 120}"} for number in range(10)
]


# Calls of a link's recipient with the permissions of the function that signed it.
RULES = ("NoticesWanted", "AnswersWanted")  # of SendNotice's queue
DOWNLOADS = {("s3:GetObject", "Bucket/*/files/*")}
LINKS = {"RetrievePush": DOWNLOADS, "Recipient": DOWNLOADS}


# Lambda's own calls with a function's role, for event sources and logs.
POLLING = {
    "ScheduleRemoval": {
        *((f"dynamodb:{action}", "Secrets.StreamArn") for action in ("DescribeStream", "GetRecords")),
        *((f"dynamodb:{action}", "Secrets.StreamArn") for action in ("GetShardIterator", "ListStreams")),
        ("sqs:SendMessage", "FailedSchedules"),
    },
    "PublishEvents": {
        *((f"dynamodb:{action}", "AuditEntries.StreamArn") for action in ("DescribeStream", "GetRecords")),
        *((f"dynamodb:{action}", "AuditEntries.StreamArn") for action in ("GetShardIterator", "ListStreams")),
        ("sqs:SendMessage", "FailedEvents"),
    },
    "SendNotice": {
        (f"sqs:{action}", "Notices") for action in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")
    },
    "SendMail": {(f"sqs:{action}", "Mails") for action in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")},
    "RemoveObjects": {
        (f"sqs:{action}", "Removals") for action in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")
    },
}
LOGGING = {("logs:CreateLogStream", "FunctionLogs"), ("logs:PutLogEvents", "FunctionLogs")}


ALWAYS = {
    "ListObjectsV2": [("s3:ListBucket", "Bucket")],
    "DeleteObjects": [("s3:DeleteObject", "Bucket/*")],
    "SendEmail": [("ses:SendEmail", "MailIdentityArn"), ("ses:SendEmail", "MailReports")],
}


def used(calls: list[wire_tap.Call]) -> set[Permission]:
    """Return the permissions that AWS checks for these calls."""
    return {permission for operation, parameters in calls for permission in needed(operation, parameters)}


def needed(operation: str, parameters: dict[str, Any]) -> list[Permission]:
    def table(name: str, action: str) -> Permission:
        return f"dynamodb:{action}", name.removeprefix("test-")

    match operation:
        case "BatchGetItem":
            return [table(name, operation) for name in parameters["RequestItems"]]
        case "TransactWriteItems":
            verbs = {
                "Put": "PutItem",
                "Update": "UpdateItem",
                "Delete": "DeleteItem",
                "ConditionCheck": "ConditionCheckItem",
            }
            return [table(one[verb]["TableName"], verbs[verb]) for one in parameters["TransactItems"] for verb in one]
        case "Query":
            index = f"/index/{parameters['IndexName']}" if "IndexName" in parameters else ""
            return [table(parameters["TableName"] + index, operation)]
        case "GetObject" | "PutObject":
            place = re.sub(r"files/\d", "files/*", parameters["Key"].split("/", 2)[2])
            return [(f"s3:{operation}", f"Bucket/*/{place}")]
        case "CopyObject":
            copied = re.fullmatch(r"(\w+/\w+/files/\d)/\w+", parameters["Key"])
            assert copied
            assert parameters["CopySource"] == f"test-bucket/{copied[1]}"  # built by botocore
            return [("s3:GetObject", "Bucket/*/files/*"), ("s3:PutObject", "Bucket/*/files/*/*")]
        case "PutEvents":
            return [("events:PutEvents", name.removeprefix("test-")) for name in buses(parameters)]
        case "SendEmail" | "ListObjectsV2" | "DeleteObjects":
            return ALWAYS[operation]
        case "SendMessage" | "SendMessageBatch":
            return [("sqs:SendMessage", parameters["QueueUrl"].rpartition("/test-")[2])]
        case (
            "SignUp"
            | "ResendConfirmationCode"
            | "ConfirmSignUp"
            | "InitiateAuth"
            | "ForgotPassword"
            | "ConfirmForgotPassword"
            | "RespondToAuthChallenge"
        ):
            return []  # needs the app client's secret, no permission
        case (
            "ChangePassword" | "AssociateSoftwareToken" | "VerifySoftwareToken" | "SetUserMFAPreference" | "DeleteUser"
        ):
            return []  # needs an access token of the account, no permission
        case "AdminGetUser" | "AdminSetUserPassword" | "DescribeUserPoolClient":
            return [(f"cognito-idp:{operation}", "UserPool")]
        case "GetSecretValue" | "DescribeSecret" | "UpdateSecretVersionStage" | "ListSecretVersionIds":
            return [(f"secretsmanager:{operation}", "InstanceKey")]
    return [table(parameters["TableName"], operation)]


def buses(parameters: dict[str, Any]) -> set[str]:
    return {entry["EventBusName"] for entry in parameters["Entries"]}


def create(bob: Api) -> None:
    bob.push()
    bob.push(sender_key.seal(), sealed_by="sender")
    bob.push(LARGE, files=[{"filename": "a", "data": "eA=="}])
    bob.push(files=LONG_NAMES)
    for _ in range(2):
        bob.push(key=KEY)


def retrieve(bob: Api) -> None:
    for payload in ("s3cret", LARGE):
        url_token = bob.push(payload, passphrase="right", expire_after_views=1)
        for passphrase in (None, "wrong", "right", "right"):
            bob.retrieve(url_token, passphrase)
    bob.retrieve(brought(bob))
    bob.retrieve(bob.push(files=LONG_NAMES))
    for passphrase in (None, "right"):
        url_token = bob.push(passphrase=passphrase, expire_after_views=1)
        for _ in range(2):
            bob.retrieve(url_token, passphrase, key=KEY)


def brought(bob: Api) -> str:
    """Create a push with a file uploaded by its form."""
    created = bob.create("", files=[{"filename": "a", "size": 0}], retrieval_step=False).json
    test_files.bring(created["uploads"][0], b"")
    return str(created["url_token"])


def all_endpoints(bob: Api) -> None:
    url_token = bob.push()
    bob.get("/api/v2/version")
    bob.get("/nowhere")
    bob.get("/up")
    bob.get("/api/v2/openapi.json")
    bob.preview(url_token)
    bob.audit(url_token)
    sender_link = bob.as_owner(None).create().json["manage_url"].split("/")
    bob.request("GET", f"/api/v2/pushes/{sender_link[-2]}/status", headers={"x-manage-key": sender_link[-1]})
    bob.active()
    bob.active(page=2)
    bob.expire(url_token)
    bob.expired()


def pages(bob: Api, people: People) -> None:
    """Visit all pages as somebody with an account; the browser's own requests go through its Api."""
    browser = Browser(bob)
    browser.visit("/users/sign_up").submit(email="eve@example.com")
    browser.submit("/users/confirm", code=people.code("eve@example.com"), password=PASSWORD)
    browser.visit("/").submit("", **{"push[payload]": LARGE})
    for files in (LONG_NAMES, [{"filename": "a", "size": 0}]):
        browser.visit("/").submit("", direct=json.dumps(files), **{"push[kind]": "file"})
    browser.visit("/").submit("", **{"push[payload]": sender_key.seal(), "push[sealed_by]": "sender"})
    for record in re.findall(r'href="(/pushes/\w{64})"', browser.visit("/pushes").page.text):
        browser.visit(record)
    browser.visit("/pushes?page=2").visit("/pushes?state=expired").visit(record).submit("", expire="yes")
    browser.visit("/users/token").submit("", name="x", days="7")
    digest = re.findall(r'name="revoke" value="(\w+)"', browser.page.text)[0]
    browser.submit("", revoke=digest).visit("/assets/site.css").visit("/f/x")
    for message in ("x", "y"):
        browser.visit("/asks/new").submit("", message=message)
    browser.submit("").visit("/asks?page=2")
    for payload in ("s3cret", LARGE):
        url_token = bob.push(payload, passphrase="right", expire_after_views=2)
        for passphrase in ("wrong", "right", "right"):
            browser.scoped.clear()  # else the page shows the last view again, and has no form
            browser.visit(f"/p/{url_token}").submit("", passphrase=passphrase)
            browser.visit(f"/p/{url_token}")
    browser.visit(f"/p/{bob.push(files=LONG_NAMES, retrieval_step=False)}")
    browser.visit(f"/p/{bob.push(expire_after_views=1)}").submit("")
    browser.visit(f"/p/{brought(bob)}")
    browser.visit(f"/p/{bob.push(retrieval_step=False)}").submit(sure="yes")
    stranger = Browser(bob.as_owner(None)).visit("/").submit("", **{"push[payload]": "s3cret"})
    stranger.submit(f"/p/{stranger.at.split('/')[2]}/expire", sure="yes")
    browser.visit("/users/password").submit(email="eve@example.com")
    browser.submit("/users/new_password", code=people.code("eve@example.com"), password=PASSWORD)
    bob.tick(minutes=1)
    browser.submit("/users/sign_in", password=PASSWORD)
    account(browser, people, "eve@example.com")
    browser.visit("/").visit("/users/sign_in").submit(email="ann@example.com", password=PASSWORD)
    browser.submit("/users/sign_out")


def account(browser: Browser, people: People, email: str) -> None:
    """Use every function of the account's page, and delete the account."""
    test_my_account.act(browser, "notices", notify_when_viewed="true")
    secret = test_my_account.turned_on(browser, people)
    browser.visit("/users/sign_in").submit("/users/sign_in", email=email, password=PASSWORD)
    browser.submit("/users/two_factor", code=people.next_code(secret))
    browser.api.tick(minutes=1)
    code = people.next_code(secret)
    test_my_account.act(browser, "password", password=PASSWORD, new_password=f"{PASSWORD}!", code=code)
    browser.api.tick(minutes=1)
    test_my_account.act(browser, "end", password=f"{PASSWORD}!", code=people.next_code(secret))
    browser.api.tick(minutes=1)
    test_my_account.act(browser, "delete", password=f"{PASSWORD}!")


def have_mailed(bob: Api, owner: str, patch: pytest.MonkeyPatch) -> None:
    """Mail links of pushes that are alive at the real time."""
    patch.setenv("MAIL_FROM", "push@example.com")
    patch.setenv("BASE_URL", "https://push.example.com")
    settings.current.cache_clear()
    bob.now = datetime.now(UTC)
    for end in ("", ".json"):
        url_token = bob.push(notify_emails_to="a@example.com", note="n" * 2_000, notify_when_viewed=True)
        bob.post(f"/api/v2/pushes/{url_token}/notify_emails{end}", {"notify_emails_to": "b@example.com"})
    session = auth.open_session(owner, now=bob.now, address="ann@example.com")
    record = Browser(Api(now=bob.now), cookies={SESSION: session}).visit(f"/pushes/{digests.digest(url_token)}")
    record.submit("", notify_emails_to="c@example.com")
    record.submit("", notify_when_viewed="true")
    Api(now=bob.now).retrieve(url_token)
    asked = bob.post("/api/v2/asks", {"ask": {"message": "x"}}).json["ask_token"]
    Browser(Api(now=bob.now)).visit(f"/a/{asked}").submit("", **{"push[payload]": "s3cret"})
    for link, stopped in ((url_token, ""), (asked, ""), (url_token, digests.address_digest("z@example.com"))):
        token = notice.token(digests.digest(link), keys.current(), stopped)
        Browser(Api(now=bob.now)).visit(f"/notices/{token}").submit("")
    record.submit("", notify_when_viewed="true")


def asks(asker: Api) -> None:
    """Create, list and end an ask."""
    for key in (None, KEY):
        created = asker.post("/api/v2/asks", {"ask": {"message": "x"}}, key=key)
    asker.post("/api/v2/asks.json", {"ask": {"message": "x"}})
    asker.get("/api/v2/asks")
    many = asker.post("/api/v2/asks", {"ask": {"message": "x", "answers": 9, "files": True}}).json["ask_token"]
    for payload, files in ((LARGE, []), ("", LONG_NAMES), ("", [{"filename": "a", "size": 3}])):
        stranger = Browser(asker.as_owner(None)).visit(f"/a/{many}")
        stranger.submit("", direct=json.dumps(files), **{"push[payload]": payload})
        assert stranger.at.endswith("/thanks")
    asker.request("DELETE", f"/api/v2/asks/{created.json['ask_token']}")


def by_provider(provider: Provider, patch: pytest.MonkeyPatch) -> None:
    """Sign in by the OIDC provider, twice; and with a session that may only set up two-factor sign-in."""
    for name, value in {"BASE_URL": HOME, **provider.settings()}.items():
        patch.setenv(name, value)
    settings.current.cache_clear()
    carol = provider_sign_in.signed_in(provider, browser=provider_sign_in.signed_in(provider))
    carol.submit("/users/sign_out").visit("/users/signed_out")
    local = Browser().visit("/users/sign_in").submit(email="ann@example.com", password=PASSWORD)
    patch.setenv("REQUIRE_TWO_FACTOR", "true")
    settings.current.cache_clear()
    local.visit("/users/sign_in/provider")
    patch.setenv("REQUIRE_TWO_FACTOR", "false")


LIVES: list[Callable[[Api], None]] = [create, retrieve, all_endpoints, asks]


def look_again() -> None:
    """Make the next request of every owner check the account again."""
    for item in resources.items("ApiTokens"):
        if "looked_at" in item:
            change = {"UpdateExpression": "REMOVE looked_at", "Key": {"digest": item["digest"]}}
            resources.client("dynamodb").update_item(TableName="test-ApiTokens", **change)


_MADE: dict[str, list[wire_tap.Call]] = {}


@pytest.fixture
def made(request: pytest.FixtureRequest) -> dict[str, list[wire_tap.Call]]:
    """Return each function's calls in a life that uses all functions, of somebody with an account.

    The life runs once, because all tests look at the same calls.
    """
    if not _MADE:
        _MADE.update(lived(*map(request.getfixturevalue, ("ann", "people", "monkeypatch"))))
    return _MADE


def lived(ann: Browser, people: People, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[wire_tap.Call]]:
    bob = Api(token=auth.issue_api_token(ann.owner, "test", now=START))
    made: dict[str, list[wire_tap.Call]] = {name: [] for name in template.functions()}
    handle = client.handle

    def recorded(key: str, event: Any) -> Any:
        owner = next(route.function for route in template.routes() if route.key == key)
        return record(owner, lambda: handle(key, event))

    def record(owner: str, act: Callable[[], Any]) -> Any:
        resources.renew()  # so that each reads the instance key
        look_again()  # an hour later, so that each checks the account
        with wire_tap.calls() as calls:
            answer = act()
        made[owner] += calls
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(client, "handle", recorded)
        for live in LIVES:
            live(bob)
        pages(bob, people)
        with patch.context() as briefly, hosted_sign_in.provider(people.pool_id, HOME) as provider:
            by_provider(provider, briefly)
        have_mailed(bob, ann.owner, patch)
        resources.client("sesv2").create_email_identity(EmailIdentity="push@example.com")
        queued = test_mailings.told()
        record("SendMail", lambda: send_mail.handler(queued, Context()))
        wanted = {"Records": [told for rule in RULES for told in test_mailings.told(rule=rule)["Records"]]}
        record("SendNotice", lambda: send_notice.handler(wanted, Context()))
        push_id = digests.digest(bob.push(LARGE))
        Api().create(LARGE)
        resources.client("cognito-idp").admin_disable_user(UserPoolId=people.pool_id, Username="ann@example.com")
        bob.active()
    record("ScheduleRemoval", lambda: schedule_removal.handler(test_removal.stream(push_id), Context()))
    record("RemoveObjects", lambda: remove_objects.handler(test_removal.queue(push_id), Context()))
    told = test_events.stream()
    record("PublishEvents", lambda: publish_events.handler(told, Context()))
    record("NoteMailReturn", lambda: note_mail_return.handler(test_mailings.returned("Complaint"), Context()))
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: nullcontext())
    record("LabelInstanceKey", lambda: label_instance_key.handler(test_instance_key.event("Create"), Context()))
    return made


def test_a_function_may_make_exactly_its_own_calls(made: dict[str, list[wire_tap.Call]]) -> None:
    for function, calls in made.items():
        needless = LINKS.get(function, set()) | POLLING.get(function, set()) | LOGGING
        assert permissions(function) - needless == used(calls) - LINKS.get(function, set()), function


def writes(made: dict[str, list[wire_tap.Call]]) -> list[tuple[str, Access]]:
    """Return each write to DynamoDB with its function."""
    return [
        (function, access)
        for function, calls in made.items()
        for call in calls
        for access in fine_grained_access.accesses(*call)
    ]


def test_a_policy_limits_each_write_to_keys_and_attributes() -> None:
    actions = {f"dynamodb:{action}" for action in WRITES.values()}
    limited = [one for name in template.functions() for one in statements(name) if actions & {*as_list(one["Action"])}]

    assert len(limited) > len(template.functions())
    for one in limited:
        assert len(as_list(one["Action"])) == len(as_list(one["Resource"])) == 1, one
        assert one.get("Condition", {}).keys() == {"ForAllValues:StringLike", "StringEqualsIfExists"}, one
        assert one["Condition"]["ForAllValues:StringLike"].keys() == {LEADING_KEYS, ATTRIBUTES}, one
        assert one["Condition"]["StringEqualsIfExists"] == {RETURN_VALUES: "NONE"}, one


def test_a_function_may_write_its_own_keys_and_attributes(made: dict[str, list[wire_tap.Call]]) -> None:
    """test_matrix.py shows that it may write no others."""
    refused = [(function, access) for function, access in writes(made) if not fine_grained_access.may(function, access)]

    assert len(writes(made)) > 100
    assert refused == []


A_DIGEST = "0" * 64


@pytest.mark.parametrize(
    ("action", "table", "key", "attributes", "who"),
    [
        ("UpdateItem", "ApiTokens", A_DIGEST, ["digest", "owner", "is_session", "created_at"], set()),
        ("UpdateItem", "ApiTokens", "owner x", ["digest", "owner"], set()),
        (
            "PutItem",
            "ApiTokens",
            A_DIGEST,
            ["digest", "owner", "is_session"],
            {"Account", "MyAccount", "Provider", "Tokens"},
        ),
        ("UpdateItem", "ApiTokens", "owner x", ["digest", "username"], {"Provider"}),
        ("PutItem", "ApiTokens", "owner x", ["digest"], set()),
        ("DeleteItem", "ApiTokens", "owner x", ["digest"], set()),
        ("UpdateItem", "Pushes", A_DIGEST, ["id", "owner"], set()),
        ("UpdateItem", "Pushes", A_DIGEST, ["id", "expire_after_views"], set()),
        ("UpdateItem", "Pushes", A_DIGEST, ["id", "views", "awaits_files"], {"RetrievePush", "Recipient"}),
        ("UpdateItem", "Pushes", A_DIGEST, ["id", "notify"], {"StopNotices", "MyPushes"}),
        ("PutItem", "Secrets", f"lease {A_DIGEST}", ["id", "wrapped_key"], {"RetrievePush", "Recipient"}),
        ("UpdateItem", "Asks", A_DIGEST, ["id", "answers", "answered_at"], {"Answer"}),
        ("UpdateItem", "Asks", A_DIGEST, ["id", "limit"], set()),
        ("UpdateItem", "Asks", A_DIGEST, ["id", "is_quiet"], {"StopNotices"}),
        ("DeleteItem", "Asks", A_DIGEST, ["id"], {"MyAccount"}),
        ("PutItem", "Secrets", A_DIGEST, ["id", "wrapped_key"], {"CreatePush", "Send", "Answer"}),
        (
            "UpdateItem",
            "ApiTokens",
            f"stopped mail {A_DIGEST}",
            ["digest", "expires_at"],
            {"NoteMailReturn", "StopNotices"},
        ),
        ("UpdateItem", "Quotas", "of another kind", ["id", "used"], set()),
    ],
)
def test_a_function_writes_nothing_that_is_not_its_own(
    action: str, table: str, key: str, attributes: list[str], who: set[str]
) -> None:
    access = Access(f"dynamodb:{action}", table, {LEADING_KEYS: [key], ATTRIBUTES: attributes})

    assert {function for function in template.functions() if fine_grained_access.may(function, access)} == who


def test_every_read_of_every_function_is_consistent_but_an_index_s(made: dict[str, list[wire_tap.Call]]) -> None:
    """An index cannot be read consistently; its items are read again from the table."""
    reads = [asked for calls in made.values() for call in calls for asked in reads_of(*call)]

    assert len(reads) > 100
    assert [asked for asked in reads if asked.get("ConsistentRead") is not True] == []


def reads_of(operation: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    if operation == "BatchGetItem":
        return list(parameters["RequestItems"].values())
    return [parameters] if operation in ("GetItem", "Query") and "IndexName" not in parameters else []


@pytest.mark.parametrize("function", ["RetrievePush", "Recipient", "MyPushes"])
def test_request_handlers_may_list_only_a_push_s_files(made: dict[str, list[wire_tap.Call]], function: str) -> None:
    [listing] = [one for one in statements(function) if one["Action"] == "s3:ListBucket"]
    pattern = listing["Condition"]["StringLike"]["s3:prefix"]
    prefixes = [parameters["Prefix"] for operation, parameters in made[function] if operation == "ListObjectsV2"]

    assert prefixes
    assert all(fnmatchcase(prefix, pattern) for prefix in prefixes)


def test_only_lambda_can_assume_the_template_s_roles() -> None:
    for role in template.resources("AWS::IAM::Role").values():
        [trust] = role["AssumeRolePolicyDocument"]["Statement"]
        assert trust["Principal"] == {"Service": "lambda.amazonaws.com"}
        assert "ManagedPolicyArns" not in role


def test_no_function_may_scan_or_reach_every_resource() -> None:
    for function in template.functions():
        for action, resource in permissions(function):
            assert "*" not in action
            assert "Scan" not in action
            assert resource.split("/")[0].replace(".", "").isalpha()
