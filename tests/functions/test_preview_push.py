from tests.conftest import Configure
from tests.drivers.client import Api


def test_a_preview_is_the_url_for_the_recipient(api: Api) -> None:
    created = api.create().json

    answer = api.preview(created["url_token"])

    assert answer.status == 200
    assert answer.json == {"url": created["html_url"]}


def test_the_url_ends_in_r_with_a_retrieval_step_only(api: Api) -> None:
    with_step, without = api.push(retrieval_step=True), api.push(retrieval_step=False)

    assert api.preview(with_step).json == {"url": f"https://api.example.test/p/{with_step}/r"}
    assert api.preview(without).json == {"url": f"https://api.example.test/p/{without}"}


def test_the_url_starts_with_the_configured_base_url(api: Api, configure: Configure) -> None:
    configure(BASE_URL="https://push.example.com")

    url_token = api.push(retrieval_step=False)

    assert api.preview(url_token).json == {"url": f"https://push.example.com/p/{url_token}"}


def test_a_preview_is_no_view_and_leaves_no_audit_entry(bob: Api) -> None:
    url_token = bob.push(expire_after_views=1, passphrase="p")

    assert [bob.preview(url_token).status for _ in range(3)] == [200] * 3

    assert bob.kinds(url_token) == ["creation"]
    assert bob.retrieve(url_token, "p").json["payload"] == "s3cret"


def test_an_expired_push_has_a_preview(api: Api) -> None:
    url_token = api.push()
    before = api.preview(url_token)
    api.expire(url_token)

    assert api.preview(url_token) == before


def test_anybody_may_have_a_preview(api: Api, bob: Api, eve: Api) -> None:
    url_token = bob.push(deletable_by_viewer=False)

    assert [caller.preview(url_token).status for caller in (api, bob, eve)] == [200] * 3


def test_the_json_path_gives_a_preview_too(api: Api) -> None:
    url_token = api.push()

    assert api.get(f"/api/v2/pushes/{url_token}/preview.json").json == api.preview(url_token).json


def test_an_unknown_push_is_not_found(api: Api) -> None:
    answer = api.preview("nosuchtoken")

    assert (answer.status, answer.json) == (404, {"error": "not-found"})


def test_a_bad_api_token_is_refused_although_none_is_needed(api: Api) -> None:
    assert api.as_owner("nonsense").preview(api.push()).status == 401


def test_without_anonymous_access_a_preview_needs_a_token(api: Api, bob: Api, eve: Api, configure: Configure) -> None:
    url_token = bob.push()
    configure(ANONYMOUS_ACCESS="false")

    assert [api.preview(url_token).status, eve.preview(url_token).status] == [401, 200]
