"""After a restore from point-in-time recovery no view, no key and no API token comes back."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from infra.operator import after_restore, installation, restored_tables
from shared.aws import mail_blocks, tables
from shared.aws.connection import connection
from shared.aws.table import Table
from shared.domain import digests, errors
from shared.identity import auth
from tests.conftest import People
from tests.doubles.hosted_sign_in import Provider
from tests.drivers import provider_sign_in
from tests.drivers.client import START, Api
from tests.engines import resources
from tests.meters import wire_tap
from tests.shared.service import test_answers

NOW = START + timedelta(hours=2)
LIVE = {name: f"test-{name}" for name in ("Pushes", "AuditEntries", "ApiTokens", "Asks")}

Restore = Callable[..., dict[str, str]]


@pytest.fixture
def restore(aws: None) -> Iterator[Restore]:
    """Restore tables as of now, under other names."""
    made: list[str] = []

    def restore(*names: str) -> dict[str, str]:
        for name in names:
            source, target = f"test-{name}", f"restored-{name}"
            resources.client("dynamodb").restore_table_to_point_in_time(
                SourceTableName=source, TargetTableName=target, UseLatestRestorableTime=True
            )
            made.append(target)
        return {name: f"restored-{name}" for name in names}

    yield restore
    for table in made:
        resources.client("dynamodb").delete_table(TableName=table)


@pytest.fixture(autouse=True)
def own_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the command as if in its own process, which takes the tables' names from the environment that it sets."""
    for variable in ("PUSHES_TABLE", "AUDIT_ENTRIES_TABLE", "API_TOKENS_TABLE", "ASKS_TABLE"):
        monkeypatch.setenv(variable, resources.environment()[variable])
    yield
    monkeypatch.undo()
    reconnect()


def reconnect() -> None:
    resources.forget()
    connection()._tables.clear()
    for table in Table.__subclasses__():
        table._connection = None


def end(restored: dict[str, str], now: datetime = NOW) -> dict[str, int]:
    reconnect()
    return restored_tables.end(restored, now=now)


def copy(restored: dict[str, str], now: datetime = NOW) -> dict[str, int]:
    reconnect()
    counted = restored_tables.copy(restored, LIVE, now=now)
    for name, table in LIVE.items():
        os.environ[restored_tables.VARIABLES[name]] = table
    reconnect()
    return counted


def raw(table: str) -> list[dict[str, Any]]:
    return resources.client("dynamodb").scan(TableName=table)["Items"]  # type: ignore[no-any-return]


def stand_in(name: str) -> None:
    """Replace the live table by the restored one, like a backup restored under its name."""
    kept = raw(f"restored-{name}")
    for item in raw(f"test-{name}"):
        keys = template_keys(name)
        resources.client("dynamodb").delete_item(TableName=f"test-{name}", Key={key: item[key] for key in keys})
    for item in kept:
        resources.client("dynamodb").put_item(TableName=f"test-{name}", Item=item)
    os.environ[restored_tables.VARIABLES[name]] = f"test-{name}"
    reconnect()


def template_keys(name: str) -> list[str]:
    described = resources.client("dynamodb").describe_table(TableName=f"test-{name}")["Table"]
    return [key["AttributeName"] for key in described["KeySchema"]]


def test_a_restore_alone_gives_a_view_too_many(bob: Api, restore: Restore) -> None:
    url_token = bob.push(expire_after_views=2)
    restore("Pushes")
    bob.retrieve(url_token)

    stand_in("Pushes")

    given = [bob.retrieve(url_token).json["payload"] for _ in range(3)]
    assert given == ["s3cret", "s3cret", None]  # and one before, of two


def test_live_pushes_of_the_restored_table_end_and_lose_their_keys(bob: Api, api: Api, restore: Restore) -> None:
    pushes = [bob.push(expire_after_views=2, name="n"), api.push(), bob.push(passphrase="p")]
    restored = restore("Pushes")
    bob.retrieve(pushes[0])

    counted = end(restored)
    stand_in("Pushes")

    answers = [Api(now=NOW).retrieve(url_token, "p") for url_token in pushes]
    assert [answer.json["payload"] for answer in answers] == [None, None, None]
    assert [answer.json["expired"] for answer in answers] == [True, True, True]
    assert counted == {"pushes ended": 3}
    assert resources.items("Secrets") == []


def test_the_owner_s_audit_log_names_the_command(bob: Api, restore: Restore) -> None:
    url_token = bob.push()
    restored = restore("Pushes")

    end(restored)
    stand_in("Pushes")

    log = bob.audit(url_token).json["logs"]
    assert [(entry["kind"], entry["user_agent"]) for entry in log][-1] == ("expire", "after_restore")
    assert bob.active().json == []


def test_pushes_ended_before_stay_unchanged(bob: Api, restore: Restore) -> None:
    url_token = bob.push(expire_after_views=1)
    bob.retrieve(url_token)
    restored = restore("Pushes")
    before = raw("restored-Pushes")

    counted = end(restored)

    assert counted == {"pushes ended": 0}
    assert raw("restored-Pushes") == before


def test_a_second_run_finishes_an_interrupted_one_and_then_finds_nothing(bob: Api, restore: Restore) -> None:
    for _ in range(3):
        bob.push()
    restored = restore("Pushes", "ApiTokens")

    with wire_tap.failing(2, after=True), pytest.raises(ReadTimeoutError):
        end(restored)
    finished, again = end(restored), end(restored)

    assert 0 < finished["pushes ended"] < 3
    assert set(again.values()) == {0}
    assert resources.items("Secrets") == []


def test_a_revoked_api_token_stays_revoked_and_all_others_end_with_it(bob: Api, eve: Api, restore: Restore) -> None:
    restored = restore("ApiTokens")
    auth.revoke_api_token("name:bob@example.com", tables.ApiTokens.scan().next().digest)

    counted = end(restored)
    stand_in("ApiTokens")

    assert (bob.active().status, eve.active().status) == (401, 401)
    assert counted == {"API tokens and sessions ended": 2}
    fresh = auth.issue_api_token("name:bob@example.com", "new", now=NOW)
    assert Api(token=fresh, now=NOW).active().status == 200


def test_who_wanted_no_mail_before_a_restore_gets_none_after_it(aws: None, restore: Restore) -> None:
    mail_blocks.block_address(digests.address_digest("ann@example.com"), now=NOW)
    restored = restore("ApiTokens")

    counted = end(restored)
    stand_in("ApiTokens")

    assert counted == {"API tokens and sessions ended": 0}
    assert mail_blocks.is_blocked("ann@example.com")


def test_the_owner_record_alone_keeps_a_missed_token_out(bob: Api, restore: Restore) -> None:
    restored = restore("ApiTokens")
    kept = raw("restored-ApiTokens")

    end(restored)
    resources.client("dynamodb").put_item(TableName="restored-ApiTokens", Item=kept[0])
    stand_in("ApiTokens")

    assert bob.active().status == 401


def test_a_copy_adds_only_missing_items_and_live_pushes_as_ended(bob: Api, restore: Restore) -> None:
    lost, kept = bob.push(name="lost", note="n" * 600), bob.push(name="kept")
    restored = restore("Pushes", "AuditEntries")
    of_lost = bob.audit(lost).json["logs"]
    for table in ("Pushes", "AuditEntries"):
        for item in raw(f"test-{table}"):
            if lose(item, lost):
                key = {name: item[name] for name in template_keys(table)}
                resources.client("dynamodb").delete_item(TableName=f"test-{table}", Key=key)
    assert bob.audit(lost).status == 404

    counted = copy(restored)

    assert counted == {"items of AuditEntries copied": 1, "items of Pushes copied": 2}
    assert set(copy(restored).values()) == {0}
    assert Api(now=NOW).retrieve(lost).json["payload"] is None
    assert bob.retrieve(kept).json["payload"] == "s3cret"
    assert bob.audit(lost).json["logs"][: len(of_lost)] == of_lost
    assert [push["note"] for push in Api(token=bob.token, now=NOW).expired().json] == ["n" * 600]


def lose(item: dict[str, Any], url_token: str) -> bool:
    """Return whether an item belongs to this push."""
    from shared.domain import digests

    digest = digests.digest(url_token)
    return digest in (item.get("push_id", {}).get("S"), item.get("id", {}).get("S", "").removeprefix("label "))


def test_asks_of_the_restored_table_end(aws: None, restore: Restore) -> None:
    opened, over = test_answers.stored(answers=2), test_answers.stored()
    test_answers.answer(over)
    restored = restore("Asks")

    assert end(restored) == {"asks ended": 1}
    assert end(restored) == {"asks ended": 0}
    stand_in("Asks")
    with pytest.raises(errors.NotFound):
        test_answers.answer(opened)


def test_a_copy_adds_only_missing_asks_of_owners_that_exist_and_ends_them(people: People, restore: Restore) -> None:
    lost, kept, deleted = test_answers.stored(answers=2), test_answers.stored(), test_answers.stored("account:gone")
    restored = restore("Asks")
    for one in (lost, deleted):
        resources.client("dynamodb").delete_item(TableName="test-Asks", Key={"id": {"S": one.ask.id}})

    assert copy(restored) == {"items of Asks copied": 1}
    assert copy(restored) == {"items of Asks copied": 0}
    assert {item["id"]["S"]: "ended_at" in item for item in raw("test-Asks")} == {lost.ask.id: True, kept.ask.id: False}
    test_answers.answer(kept)


def test_a_copy_keeps_the_asks_of_the_provider_s_accounts(provider: Provider, restore: Restore) -> None:
    """Cognito finds such an account by its user name alone."""
    lost = test_answers.stored(provider_sign_in.signed_in(provider).owner)
    restored = restore("Asks")
    resources.client("dynamodb").delete_item(TableName="test-Asks", Key={"id": {"S": lost.ask.id}})

    assert copy(restored) == {"items of Asks copied": 1}


@pytest.mark.parametrize(
    "arguments",
    [
        ["copy", "ApiTokens=x"],
        ["copy", "Pushes"],
        ["end", "Secrets=x"],
        ["end", "AuditEntries=x"],
        ["undo", "Pushes=x"],
    ],
)
def test_impossible_commands_are_rejected_before_any_call(arguments: list[str]) -> None:
    with wire_tap.calls() as calls, pytest.raises(SystemExit, match="2"):
        after_restore.main(arguments)

    assert calls == []


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run the whole command on the engine's tables, as if in its own process; return its output."""
    monkeypatch.setattr(installation, "connect", lambda _options: LIVE)

    def run(*arguments: str) -> str:
        reconnect()
        capsys.readouterr()
        after_restore.main(list(arguments))
        return capsys.readouterr().out

    return run


def test_a_table_that_is_not_there_is_named_before_anything_is_done(aws: None, run: Callable[..., str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run("copy", "Pushes=restored-nothing")

    assert str(stopped.value) == "There is no table restored-nothing. Nothing was done."


@pytest.mark.parametrize("command", ["copy", "end"])
def test_a_table_that_is_still_being_restored_is_left_alone(
    bob: Api, restore: Restore, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    restore("Pushes")
    monkeypatch.setattr(after_restore, "_status", lambda _table: "CREATING")

    with pytest.raises(SystemExit) as stopped, wire_tap.calls() as calls:
        run(command, "Pushes=restored-Pushes")

    assert str(stopped.value) == "The table restored-Pushes is not ready: it is CREATING. Nothing was done."
    assert calls == []


def test_end_refuses_while_the_pushes_are_in_use(bob: Api, restore: Restore, run: Callable[..., str]) -> None:
    url_token = bob.push()
    restore("Pushes")

    for table in ("restored-Pushes", "test-Pushes"):
        with pytest.raises(SystemExit, match="The table test-Pushes is there, and every push in it would lose its key"):
            run("end", f"Pushes={table}")

    reconnect()
    assert bob.retrieve(url_token).json["payload"] == "s3cret"


def test_end_changes_restored_tables_and_never_the_stack_s_own(
    bob: Api, restore: Restore, run: Callable[..., str]
) -> None:
    Api(token=bob.token, now=datetime.now(UTC)).push()  # the command reads the real clock
    restored = restore("Pushes", "ApiTokens")
    before = {name: raw(f"test-{name}") for name in restored}
    tables = [f"{name}={table}" for name, table in restored.items()]

    printed = run("end", "--although-in-use", *tables).split("\n")

    assert [line.strip() for line in printed] == ["1 pushes ended", "1 API tokens and sessions ended", ""]
    assert {name: raw(f"test-{name}") for name in restored} == before


def test_nothing_is_done_where_the_names_of_the_tables_were_read_too_early(bob: Api, restore: Restore) -> None:
    bob.push()
    restored = restore("Pushes")
    before = raw("restored-Pushes"), raw("test-Pushes"), raw("test-Secrets")

    with pytest.raises(RuntimeError, match="Nothing was done"):
        restored_tables.end(restored, now=NOW)  # without reconnect()

    assert (raw("restored-Pushes"), raw("test-Pushes"), raw("test-Secrets")) == before
