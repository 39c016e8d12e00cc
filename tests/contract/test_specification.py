"""The tables of the specification (sections 3, 4, 5 and 7), a case for each row; the ids quote the rows."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from shared.identity import auth
from shared.web.cookies import SESSION as SESSION_COOKIE
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import START, Answer, Api


@dataclass(frozen=True)
class World:
    """The people of the specification, and the installation's settings."""

    anonymous: Api
    owner: Api
    other: Api
    configure: Configure


Check = Callable[[World], None]
ROWS: list[Any] = []


def row(name: str) -> Callable[[Check], Check]:
    def add(check: Check) -> Check:
        ROWS.append(pytest.param(check, id=name))
        return check

    return add


@pytest.mark.parametrize("check", ROWS)
def test_every_row_of_the_specification_holds(check: Check, api: Api, bob: Api, eve: Api, configure: Configure) -> None:
    check(World(api, bob, eve, configure))


def error(answer: Answer) -> tuple[int, list[str]]:
    return answer.status, list(answer.json)


# ---------------------------------------------------------------- 3. States and transitions


@row("3 active, GET retrieval that reaches the view limit: expired, every retrieval counts as one view")
def _(world: World) -> None:
    url_token = world.owner.push(expire_after_views=2)
    seen = [caller.retrieve(url_token).json for caller in (world.owner, world.anonymous, world.other)]
    assert [push["views_remaining"] for push in seen] == [1, 0, 0]
    assert [push["payload"] for push in seen] == ["s3cret", "s3cret", None]
    assert seen[2]["expired"] is True


@row("3 active, the expiry period has elapsed: expired")
def _(world: World) -> None:
    url_token = world.owner.push(expire_after_days=2)
    world.owner.tick(days=2)
    assert world.owner.retrieve(url_token).json["expired"] is True
    assert [push["url_token"] for push in world.owner.expired().json] == [url_token]


@row("3 active, DELETE by the owner: expired immediately")
def _(world: World) -> None:
    url_token = world.owner.push(deletable_by_viewer=False)
    assert world.owner.expire(url_token).json["expired"] is True
    assert world.anonymous.retrieve(url_token).json["payload"] is None


@row("3 active, DELETE by any caller when deletable_by_viewer is true: expired immediately")
def _(world: World) -> None:
    for caller in (world.anonymous, world.other):
        url_token = world.owner.push(deletable_by_viewer=True)
        assert caller.expire(url_token).json["expired"] is True
        assert world.owner.retrieve(url_token).json["payload"] is None


@row("3 both states are listed by the owner's list endpoints")
def _(world: World) -> None:
    active, expired = world.owner.push(), world.owner.push()
    world.owner.expire(expired)
    assert [push["url_token"] for push in world.owner.active().json] == [active]
    assert [push["url_token"] for push in world.owner.expired().json] == [expired]


# ---------------------------------------------------------------- 4. Endpoints


@row("4 GET /api/v2/version, auth none: version and feature object, 200")
def _(world: World) -> None:
    answer = world.anonymous.get("/api/v2/version")
    assert answer.status == 200
    assert list(answer.json) == ["application_version", "api_version", "edition", "features"]


@row("4 POST /api/v2/pushes, bearer token: creates a push, 201")
def _(world: World) -> None:
    world.configure(ANONYMOUS_ACCESS="false")
    assert world.owner.create().status == 201


@row("4 POST /api/v2/pushes, anonymous only when anonymous access is enabled")
def _(world: World) -> None:
    assert world.anonymous.create().status == 201
    world.configure(ANONYMOUS_ACCESS="false")
    assert world.anonymous.create().status == 401


@row("4 POST /api/v2/pushes sends a JSON body with the header Content-Type: application/json")
def _(world: World) -> None:
    body = b'{"push": {"payload": "a"}}'
    for content_type in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
        headers = {"Content-Type": content_type}
        assert world.anonymous.request("POST", "/api/v2/pushes", headers=headers, body=body).status == 201


@row("4 GET /api/v2/pushes/:url_token, auth none: retrieves the payload, counts as a view and may expire the push")
def _(world: World) -> None:
    url_token = world.owner.push(expire_after_views=1)
    assert world.anonymous.retrieve(url_token).json["payload"] == "s3cret"
    assert world.anonymous.retrieve(url_token).json["expired"] is True


@row("4 GET /api/v2/pushes/:url_token, query parameter passphrase: required when the push is protected")
def _(world: World) -> None:
    protected, bare = world.owner.push(passphrase="p"), world.owner.push()
    assert [world.anonymous.retrieve(protected, given).status for given in (None, "q", "p")] == [401, 401, 200]
    assert [world.anonymous.retrieve(bare, given).status for given in (None, "q")] == [200, 200]


@row("4 GET /api/v2/pushes/:url_token/preview, auth none: the fully qualified secret URL without the payload")
def _(world: World) -> None:
    created = world.owner.create(expire_after_views=1).json
    assert world.anonymous.preview(created["url_token"]).json == {"url": created["html_url"]}
    assert created["html_url"].startswith("https://")
    assert world.anonymous.retrieve(created["url_token"]).json["payload"] == "s3cret"


@row("4 GET /api/v2/pushes/:url_token/audit, bearer token, owner only: the audit log entries")
def _(world: World) -> None:
    url_token = world.owner.push()
    callers = (world.owner, world.other, world.anonymous)
    assert [caller.audit(url_token).status for caller in callers] == [200, 403, 401]
    assert [entry["kind"] for entry in world.owner.audit(url_token).json["logs"]] == ["creation"]


@row("4 DELETE /api/v2/pushes/:url_token, bearer token for the owner")
def _(world: World) -> None:
    url_token = world.owner.push(deletable_by_viewer=False)
    callers = (world.anonymous, world.other, world.owner)
    assert [caller.expire(url_token).status for caller in callers] == [401, 403, 200]


@row("4 DELETE /api/v2/pushes/:url_token, none for a recipient when deletable_by_viewer was true")
def _(world: World) -> None:
    assert world.anonymous.expire(world.owner.push(deletable_by_viewer=True)).status == 200


@row("4 GET /api/v2/pushes/active, bearer token: the active pushes of the authenticated user")
def _(world: World) -> None:
    url_token = world.owner.push()
    assert [push["url_token"] for push in world.owner.active().json] == [url_token]
    assert (world.other.active().json, world.anonymous.active().status) == ([], 401)


@row("4 GET /api/v2/pushes/expired, bearer token: the expired pushes of the authenticated user")
def _(world: World) -> None:
    url_token = world.owner.push()
    world.owner.expire(url_token)
    assert [push["url_token"] for push in world.owner.expired().json] == [url_token]
    assert (world.other.expired().json, world.anonymous.expired().status) == ([], 401)


@row("4 query parameter page: integer, optional, default 1, valid range 1 to 200")
def _(world: World) -> None:
    paths = ["active", "expired", f"{world.owner.push()}/audit"]
    for path in (f"/api/v2/pushes/{path}" for path in paths):
        assert world.owner.get(path) == world.owner.get(path, page=1)
        statuses = [world.owner.get(path, page=page).status for page in (0, 1, 200, 201, "x")]
        assert statuses == [400, 200, 200, 400, 400]


# ---------------------------------------------------------------- 5. Authentication


@row("5.1 a bearer token in the header Authorization")
def _(world: World) -> None:
    headers = {"Authorization": f"Bearer {world.owner.token}"}
    assert world.anonymous.request("GET", "/api/v2/pushes/active", headers=headers).status == 200


@row("5.2 a token is created at the path /users/token")
def _(world: World) -> None:
    session = auth.open_session("name:ann", now=START)
    page = Browser(cookies={SESSION_COOKIE: session}).visit("/users/token").submit("", name="laptop").page

    [token] = re.findall(r'id="token"[^>]*value="([^"]+)"', page.text)
    assert Api(token=token).active().status == 200


@row("5.3 public endpoints: version, retrieve, preview")
def _(world: World) -> None:
    url_token = world.owner.push()
    for path in ("version", f"pushes/{url_token}", f"pushes/{url_token}/preview"):
        assert world.anonymous.get(f"/api/v2/{path}").status == 200


@row("5.4 authenticated endpoints: audit, active, expired; the audit endpoint requires proof of ownership")
def _(world: World) -> None:
    url_token = world.owner.push()
    for path in (f"{url_token}/audit", "active", "expired"):
        assert world.anonymous.get(f"/api/v2/pushes/{path}").status == 401
        assert world.owner.get(f"/api/v2/pushes/{path}").status == 200
    assert world.other.audit(url_token).status == 403


@row("5.5 anonymous pushes disabled: authentication is required generally, and features.anonymous_access says so")
def _(world: World) -> None:
    url_token = world.owner.push(deletable_by_viewer=True)
    world.configure(ANONYMOUS_ACCESS="false")
    calls: list[Callable[[Api], Answer]] = [
        lambda caller: caller.create(),
        lambda caller: caller.retrieve(url_token),
        lambda caller: caller.preview(url_token),
        lambda caller: caller.audit(url_token),
        lambda caller: caller.active(),
        lambda caller: caller.expired(),
        lambda caller: caller.expire(url_token),
    ]
    assert [call(world.anonymous).status for call in calls] == [401] * 7
    assert [call(world.owner).status for call in calls] == [201] + [200] * 6
    assert world.anonymous.get("/api/v2/version").json["features"]["anonymous_access"] is False


@row("5.6 features.pushes.file_attachments.requires_authentication is reported in the version object")
def _(world: World) -> None:
    features = world.anonymous.get("/api/v2/version").json["features"]
    assert isinstance(features["pushes"]["file_attachments"]["requires_authentication"], bool)


@row("5.7 a missing or invalid token gives status 401; a caller that is not permitted gives 403")
def _(world: World) -> None:
    url_token = world.owner.push(deletable_by_viewer=False)
    for caller, status in ((world.anonymous, 401), (world.anonymous.as_owner("nonsense"), 401), (world.other, 403)):
        assert [caller.audit(url_token).status, caller.expire(url_token).status] == [status, status]


# ---------------------------------------------------------------- 7. Errors


@row("7 200 request successful")
def _(world: World) -> None:
    assert world.anonymous.retrieve(world.anonymous.push()).status == 200


@row("7 201 push created")
def _(world: World) -> None:
    assert world.anonymous.create().status == 201


@row("7 400 invalid request parameters")
def _(world: World) -> None:
    assert error(world.anonymous.post("/api/v2/pushes", {})) == (400, ["error"])
    assert error(world.owner.active(page=0)) == (400, ["error"])


@row("7 401 authentication required, or the token is invalid")
def _(world: World) -> None:
    assert error(world.anonymous.active()) == (401, ["error"])
    assert error(world.anonymous.as_owner("nonsense").active()) == (401, ["error"])


@row("7 403 forbidden for the current user")
def _(world: World) -> None:
    assert error(world.other.audit(world.owner.push())) == (403, ["error"])


@row("7 404 resource not found")
def _(world: World) -> None:
    for call in (world.owner.retrieve, world.owner.preview, world.owner.audit, world.owner.expire):
        assert error(call("nosuchtoken")) == (404, ["error"])


@row("7 422 validation error")
def _(world: World) -> None:
    assert error(world.anonymous.create("", kind="x")) == (422, ["kind", "payload"])
