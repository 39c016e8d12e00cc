"""The operator's command that moves pushes to another account: never by address, and whole after a kill."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from infra.local.user_pool import Person
from infra.operator import account, move_pushes
from shared.aws import cognito
from shared.identity import auth
from tests.doubles import lagging
from tests.doubles.cognito import Cognito
from tests.doubles.hosted_sign_in import Provider
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.drivers.provider_sign_in import signed_in
from tests.engines import resources
from tests.infra.operator.test_accounts import ANN, of_provider
from tests.meters import wire_tap

pytestmark = pytest.mark.prove(
    "all", "Pushes move between accounts only when an operator names both, and a killed move loses none", "moto"
)
PUSHES = 4


class Killed(BaseException):
    """The command's process is gone."""


def run(*arguments: str) -> None:
    move_pushes.act(move_pushes._parser().parse_args([*arguments]))


def api_of(owner: str) -> Api:
    return Api(now=datetime.now(UTC), token=auth.issue_api_token(owner, "test", now=datetime.now(UTC)))


def owners() -> Counter[str]:
    return Counter(item["owner"]["S"] for item in resources.items("Pushes"))


@pytest.fixture
def source(ann: Browser) -> str:
    """Return the owner with a password, whose account is still enabled."""
    return ann.owner


@pytest.fixture
def old(source: str) -> Api:
    """Return a caller with an API token of the owner with a password."""
    return api_of(source)


@pytest.fixture
def new(people: Cognito) -> cognito.Account:
    """Return the account of the provider with the same address."""
    return of_provider()


def sub_of(owner: str) -> str:
    return owner.removeprefix("account:")


def ended(owner: str, command: str = "disable") -> str:
    """Disable or delete the account; return its `sub`."""
    account.act(account._parser().parse_args([command, "--account", sub_of(owner)]))
    return sub_of(owner)


def test_without_its_flag_it_counts_and_changes_nothing(
    source: str, old: Api, new: cognito.Account, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(PUSHES):
        old.push()
    before = resources.items("Pushes")

    run("--from-account", sub_of(source), "--to-account", new.username)

    printed = capsys.readouterr().out
    assert f"{PUSHES} pushes to move\nNothing was moved." in printed
    assert printed.count(ANN) == 2
    assert resources.items("Pushes") == before


def test_moved_pushes_open_and_are_listed_managed_and_recorded_by_their_new_owner(
    source: str, old: Api, new: cognito.Account
) -> None:
    protected = old.push(payload="s3cret", passphrase="p", name="Router", note="rack 2", expire_after_views=5)
    leased = old.push(payload="once", expire_after_views=1)
    first = Api(now=old.now).retrieve(leased, key="a" * 32).json
    over = old.push()
    old.expire(over)

    run("--from-account", ended(source), "--to-account", new.sub, "--move")

    owner = api_of(new.owner)
    [listed] = owner.active().json
    assert (listed["url_token"], listed["name"], listed["note"]) == (protected, "Router", "rack 2")
    assert {push["url_token"] for push in owner.expired().json} == {leased, over}
    assert owner.retrieve(protected, "p").json["payload"] == "s3cret"
    assert owner.kinds(protected) == ["creation", "owner_view"]
    assert Api(now=old.now).retrieve(leased, key="a" * 32).json == first
    assert owner.expire(protected).status == 200
    assert old.active().status == 401


def test_a_moved_ask_is_answered_and_ended_by_its_new_owner(source: str, old: Api, new: cognito.Account) -> None:
    ask_token = old.post("/api/v2/asks", {"ask": {"message": "the contract"}}).json["ask_token"]

    run("--from-account", ended(source), "--to-account", new.username.upper(), "--move")

    owner = api_of(new.owner)
    assert [one["ask_token"] for one in owner.get("/api/v2/asks").json] == [ask_token]
    stranger = Browser(owner.as_owner(None)).visit(f"/a/{ask_token}").submit("", **{"push[payload]": "s3cret"})
    assert stranger.at.endswith("/thanks")
    [answer] = owner.active().json
    assert owner.retrieve(answer["url_token"]).json["payload"] == "s3cret"


def test_a_sign_in_by_the_provider_shows_nothing_of_the_address_s_other_account_before_a_move(
    provider: Provider, source: str, old: Api
) -> None:
    old.push(name="Of the password")
    browser = signed_in(provider, Person("ann-1", ANN))
    before = browser.visit("/pushes").page.text

    run("--from-account", ended(source), "--to-account", "oidc_ann-1", "--move")

    after = browser.visit("/pushes").page.text
    assert ("Of the password" in before, "Of the password" in after) == (False, True)


def test_no_push_moves_because_addresses_are_equal(source: str, old: Api, new: cognito.Account) -> None:
    old.push()
    sub = ended(source)

    for one, other in [(ANN, new.username), (sub, ANN), (ANN, ANN), (ANN.upper(), new.username)]:
        with pytest.raises(SystemExit, match="does not say whose account it is"):
            run("--from-account", one, "--to-account", other, "--move")

    assert owners() == {source: 1}
    assert api_of(new.owner).active().json == []


def test_an_account_in_use_keeps_its_pushes(source: str, old: Api, new: cognito.Account) -> None:
    old.push()

    with pytest.raises(SystemExit, match="disable it first"):
        run("--from-account", sub_of(source), "--to-account", new.sub, "--move")

    assert owners() == {source: 1}


def test_pushes_move_to_nobody_who_cannot_sign_in(source: str, old: Api, new: cognito.Account, people: Cognito) -> None:
    old.push()
    sub = ended(source)
    resources.client("cognito-idp").admin_disable_user(UserPoolId=people.pool_id, Username=new.username)

    for target, why in [
        (new.sub, "cannot sign in"),
        ("Oidc_1", "must have signed in once"),
        (sub, "cannot sign in"),
    ]:
        with pytest.raises(SystemExit, match=why):
            run("--from-account", sub, "--to-account", target, "--move")

    assert owners() == {source: 1}


def test_the_pushes_of_a_deleted_account_move_by_its_sub(source: str, old: Api, new: cognito.Account) -> None:
    url_token, sub = old.push(), ended(source, "delete")

    run("--from-account", sub, "--to-account", new.sub, "--move")

    assert [push["url_token"] for push in api_of(new.owner).active().json] == [url_token]
    with pytest.raises(SystemExit, match="Name a deleted one by its sub"):
        run("--from-account", "Oidc_1", "--to-account", new.sub)


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("number", [0, 1, PUSHES - 1])
def test_a_killed_move_is_completed_by_the_next(
    source: str, old: Api, new: cognito.Account, number: int, after: bool
) -> None:
    url_tokens = {old.push(payload=f"of {nth}") for nth in range(PUSHES)}
    stranger = Api(now=old.now, token=auth.issue_api_token("name:eve", "test", now=old.now))
    stranger.push()
    sub, written = ended(source), [0]

    def kill(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        if operation != "TransactWriteItems":
            return call()
        written[0] += 1
        if written[0] - 1 == number:
            if after:
                call()
            raise Killed
        return call()

    with wire_tap.around(kill), pytest.raises(Killed):
        run("--from-account", sub, "--to-account", new.sub, "--move")
    assert owners() == +Counter({source: PUSHES - number - after, new.owner: number + after, "name:eve": 1})
    run("--from-account", sub, "--to-account", new.sub, "--move")

    assert owners() == {new.owner: PUSHES, "name:eve": 1}
    owner = api_of(new.owner)
    assert {push["url_token"] for push in owner.active().json} == url_tokens
    assert {Api(now=old.now).retrieve(one).json["payload"] for one in url_tokens} == {
        f"of {nth}" for nth in range(PUSHES)
    }


def test_a_view_that_is_claimed_meanwhile_counts(source: str, old: Api, new: cognito.Account) -> None:
    url_token, sub = old.push(expire_after_views=1), ended(source)

    with wire_tap.before_first("TransactWriteItems", lambda: Api(now=old.now).retrieve(url_token)):
        run("--from-account", sub, "--to-account", new.sub, "--move")

    [moved] = api_of(new.owner).expired().json
    assert moved["url_token"] == url_token
    assert Api(now=old.now).retrieve(url_token).json["payload"] is None


def test_a_push_that_the_index_shows_late_has_one_owner_still_and_is_moved_once(
    source: str, old: Api, new: cognito.Account, capsys: pytest.CaptureFixture[str]
) -> None:
    old.push()
    sub = ended(source)

    with lagging.index("Pushes"):
        for moved in (1, 0):
            run("--from-account", sub, "--to-account", new.sub, "--move")
            assert f" {moved} pushes moved\n" in capsys.readouterr().out

    assert owners() == {new.owner: 1}
