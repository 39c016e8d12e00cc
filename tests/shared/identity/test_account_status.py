"""The end of an owner's sessions and API tokens: at once, or within the hour, with any delay of an index."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError
from pynamodb.exceptions import UpdateError

from shared.aws import backoff, tokens
from shared.domain import digests, owners
from shared.identity import account_status, auth
from shared.runtime import deadline
from tests.doubles import lagging
from tests.doubles.cognito import Cognito
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api
from tests.engines import resources
from tests.functions.pages.test_account import ANN, resetting
from tests.meters import emf, wire_tap

LOOK = "AdminGetUser"
HOUR = timedelta(hours=1)


@pytest.fixture
def token(ann: Browser) -> str:
    return auth.issue_api_token(ann.owner, "test", now=START)


def at(moment: datetime, token: str) -> Api:
    return Api(now=moment, token=token)


def status(token: str, moment: datetime = START) -> int:
    return at(moment, token).active().status


def end(people: Cognito, how: str) -> None:
    """Change an account in Cognito's console, without our code."""
    act = {"disabled": "admin_disable_user", "deleted": "admin_delete_user"}[how]
    getattr(resources.client("cognito-idp"), act)(UserPoolId=people.pool_id, Username=ANN)


def looks(calls: list[wire_tap.Call]) -> int:
    return [name for name, _ in calls].count(LOOK)


# ---------------------------------------------------------------- within the hour


@pytest.mark.parametrize("how", ["disabled", "deleted"])
def test_a_change_in_the_console_ends_credentials_within_an_hour(
    ann: Browser, people: Cognito, token: str, how: str
) -> None:
    end(people, how)
    just_before = START + HOUR - timedelta(milliseconds=1)

    before = status(token, just_before), Browser(Api(now=just_before), dict(ann.cookies)).visit("/pushes").at
    after = status(token, START + HOUR), Browser(Api(now=START + HOUR), dict(ann.cookies)).visit("/pushes").at

    assert before == (200, "/pushes")
    assert after == (401, "/users/sign_in")


def test_they_stay_ended_when_the_account_is_enabled_again(ann: Browser, people: Cognito, token: str) -> None:
    end(people, "disabled")
    status(token, START + HOUR)

    resources.client("cognito-idp").admin_enable_user(UserPoolId=people.pool_id, Username=ANN)

    assert status(token, START + 3 * HOUR) == 401


def test_an_account_is_checked_once_an_hour_with_one_write(ann: Browser, token: str) -> None:
    with wire_tap.calls() as calls:
        statuses = [status(token, START + timedelta(minutes=minutes)) for minutes in (0, 30, 59, 60, 61, 119, 120)]

    assert statuses == [200] * 7
    assert looks(calls) == [name for name, _ in calls].count("UpdateItem") == 2


def test_a_name_is_never_looked_up(bob: Api, people: Cognito) -> None:
    bob.tick(days=2)

    with wire_tap.calls() as calls:
        bob.active()

    assert [name for name, _ in calls] == ["BatchGetItem", "Query"]


def test_a_request_costs_no_more_round_trips_than_it_did(ann: Browser, token: str) -> None:
    with wire_tap.calls() as calls:
        at(START, token).active()
        ann.visit("/pushes")

    assert [name for name, _ in calls] == ["BatchGetItem", "Query"] * 2


# ---------------------------------------------------------------- Cognito out of reach


@pytest.mark.parametrize("fault", ["InternalErrorException", "TooManyRequestsException"])
def test_when_cognito_is_down_the_last_status_holds_for_a_minute(token: str, fault: str) -> None:
    with wire_tap.answering(LOOK, fault) as asked:
        statuses = [status(token, START + HOUR + timedelta(seconds=seconds)) for seconds in (0, 1, 59, 60)]

    assert statuses == [200] * 4
    assert len(asked) == 2


def test_a_connection_to_cognito_that_breaks_off_is_silence_too(token: str, capsys: pytest.CaptureFixture[str]) -> None:
    def break_off(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        if operation == LOOK:
            raise ReadTimeoutError(endpoint_url="http://aws.test")
        return call()

    with wire_tap.around(break_off):
        assert status(token, START + HOUR) == 200

    assert emf.values(capsys.readouterr().out, "AccountNotSeen", reason="ReadTimeoutError") == [1.0]


def test_a_cognito_that_does_not_answer_is_counted(token: str, capsys: pytest.CaptureFixture[str]) -> None:
    with wire_tap.answering(LOOK, "InternalErrorException"):
        status(token, START + HOUR)

    assert emf.values(capsys.readouterr().out, "AccountNotSeen") == [1.0]


def test_an_account_that_was_found_disabled_stays_so_without_another_look(people: Cognito, token: str) -> None:
    end(people, "disabled")
    before = status(token, START + HOUR)

    with wire_tap.calls() as calls:
        after = status(token, START + 3 * HOUR)

    assert (before, after) == (401, 401)
    assert LOOK not in [name for name, _ in calls]


def test_a_status_check_is_one_short_try() -> None:
    from shared.aws import clients

    config = clients.single_try_client("cognito-idp").meta.config

    assert config.retries["total_max_attempts"] == 1
    assert config.connect_timeout + config.read_timeout <= 1.5


def test_no_look_takes_the_time_that_a_claim_needs(token: str) -> None:
    with deadline.within(backoff.RESERVE + 2), wire_tap.calls() as calls:
        owner = auth.require_api_token(token, now=START + HOUR).owner

    assert owner.startswith("account:")
    assert looks(calls) == 0
    assert account_status._ENOUGH_TIME >= backoff.RESERVE + 1.5


def test_a_rejected_call_to_cognito_is_a_server_error(token: str) -> None:
    with wire_tap.answering(LOOK, "InvalidParameterException", status=400):
        assert status(token, START + HOUR) == 503


# ---------------------------------------------------------------- at once, with a stale index


@pytest.mark.parametrize("seen", ["an index that shows nothing yet", "an exact index"])
def test_a_reset_ends_credentials_missing_in_the_index(people: Cognito, ann: Browser, seen: str) -> None:
    resources.client("dynamodb").delete_item(
        TableName="test-ApiTokens", Key={"digest": {"S": digests.digest(f"session {ann.session}")}}
    )
    with lagging.index("ApiTokens") if "nothing" in seen else wire_tap.calls():
        session = auth.open_session(owner(people), now=START)
        token = auth.issue_api_token(owner(people), "test", now=START)
        before = status(token)

        resetting(people, "new password 123")

        assert (before, status(token)) == (200, 401)
        assert Browser(cookies={"__Host-session": session}).visit("/pushes").at == "/users/sign_in"


def owner(people: Cognito) -> str:
    found = resources.client("cognito-idp").admin_get_user(UserPoolId=people.pool_id, Username=ANN)
    return owners.of_account(next(one["Value"] for one in found["UserAttributes"] if one["Name"] == "sub"))


def test_a_token_found_after_a_reset_is_not_listed(people: Cognito, ann: Browser) -> None:
    with lagging.index("ApiTokens"):
        auth.issue_api_token(ann.owner, "stolen", now=START)
        auth.end_all_credentials(ann.owner, now=START + HOUR)

    assert len(resources.items("ApiTokens")) > 1
    assert auth.list_api_tokens(owner(people), now=START + HOUR) == []


def test_a_token_is_as_old_as_the_session_that_made_it(ann: Browser) -> None:
    """A stranger's session read just before a reset can still create a token just after it."""
    late = auth.issue_api_token(ann.owner, "late", now=START + 2 * HOUR, proven_at=START)
    made_anew = auth.issue_api_token(ann.owner, "anew", now=START + 2 * HOUR, proven_at=START + HOUR)

    auth.end_all_credentials(ann.owner, now=START + HOUR)

    assert [status(token, START + 2 * HOUR) for token in (late, made_anew)] == [401, 200]


def test_the_page_of_api_tokens_makes_them_as_old_as_the_session(ann: Browser) -> None:
    ann.api.tick(minutes=30)
    ann.visit("/users/token").submit("", name="laptop")

    made = next(item for item in resources.items("ApiTokens") if item.get("name") == {"S": "laptop"})
    assert int(made["created_at"]["N"]) - int(made["proven_at"]["N"]) == 30 * 60 * 1000


def test_a_sign_in_that_began_before_the_reset_does_not_outlive_it(ann: Browser, people: Cognito) -> None:
    """The old password was checked before the reset; the session is written after it."""
    mine = ann.owner

    resetting(people, "new password 123")
    session = auth.open_session(mine, now=START)

    assert auth.find_session(session, now=START) is None


def test_a_check_that_began_before_the_end_does_not_confirm_the_account_after_it(aws: None) -> None:
    tokens.record_account_check("the locator", now=START)
    tokens.end_credentials("the locator", before=START + HOUR)

    looked_at = []
    for moment in (START + HOUR - timedelta(milliseconds=1), START + HOUR):
        tokens.record_account_check("the locator", now=moment, username="oidc_x")
        looked_at.append(tokens.account_status("the locator").looked_at)

    assert looked_at == [None, START + HOUR]


def test_the_moment_never_moves_back(aws: None) -> None:
    for moment in (START + HOUR, START, START + 2 * HOUR, START + HOUR):
        tokens.end_credentials("the locator", before=moment)

    assert tokens.list_credentials("name:x", "the locator")[1].ended_at == START + 2 * HOUR


def test_a_moment_that_could_not_be_noted_is_no_success(aws: None) -> None:
    with wire_tap.answering("UpdateItem", "ValidationException"), pytest.raises(UpdateError):
        tokens.end_credentials("the locator", before=START)


# ---------------------------------------------------------------- the location of an owner's record


def test_a_locator_of_another_owner_finds_no_token(ann: Browser, token: str, bob: Api) -> None:
    assert status(str(bob.token)[:22] + token[22:]) == 401


def test_a_text_that_is_no_credential_reads_nothing(aws: None) -> None:
    with wire_tap.calls() as calls:
        answered = status("x" * 43)

    assert (answered, list(calls)) == (401, [])


def test_a_record_of_an_owner_is_no_token(ann: Browser, token: str) -> None:
    records = [item["digest"]["S"] for item in resources.items("ApiTokens") if "owner" not in item]

    assert records == [f"owner {owners.locator(ann.owner)}"]
    assert status(records[0].replace(" ", "")) == status(token[:22]) == 401


def test_names_and_accounts_are_spaces_of_their_own() -> None:
    assert owners.of_name("account:x") != owners.of_account("x")
    assert owners.account_sub(owners.of_name("account:x")) is None
    assert owners.of_name("Bob") == owners.of_name("bob") == "name:bob"
