import pytest

from shared.domain import errors
from shared.web import paths


@pytest.mark.parametrize(
    "path", ["/", "/p/T", "/api/v2/pushes", "/p/a%20b", "/p/é", "/api/p/T", "/xyz/p/T", "/en/x/T", "/en/p"]
)
def test_a_path_that_is_right_stays(path: str) -> None:
    assert paths.redirect_target(path, "a=b") is None


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ("//", "/"),
        ("/p/T/", "/p/T"),
        ("/p//T", "/p/T"),
        ("///api///v2//version///", "/api/v2/version"),
        ("//evil.example", "/evil.example"),
        ("/%2F/evil.example/", "/%2F/evil.example"),
        ("//%2Fevil.example//", "/%2Fevil.example"),
        ("//é b//", "/%C3%A9%20b"),
        ("/%c3%a9/", "/%C3%A9"),
        ("/..//evil.example/", "/../evil.example"),
        ("//https:/evil.example/", "/https%3A/evil.example"),
        ("/?a/", "/%3Fa"),
        ("/#a/", "/%23a"),
    ],
)
def test_slashes_too_many_go_and_the_rest_is_percent_encoded(path: str, right: str) -> None:
    assert paths.redirect_target(path, "") == right


@pytest.mark.parametrize("path", ["//\\evil", "/a%5Cb/", "/a\r\nb/", "/a%0d%0ab/", "//\x00", "/a%7F/"])
@pytest.mark.parametrize("before", ["", "/de/p"])
def test_a_path_with_a_backslash_or_a_control_character_leads_nowhere(path: str, before: str) -> None:
    with pytest.raises(errors.NotFound):
        paths.redirect_target(f"{before}{path}".removesuffix("/") if before else path, "")


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("a=b&c=%20+", "?a=b&c=%20+"),
        ("", ""),
        ("passphrase=é", "?passphrase=%C3%A9"),
        ("a=\r\nX: y", "?a=%0D%0AX:%20y"),
        ('"<>\\', "?%22%3C%3E%5C"),
    ],
)
def test_the_query_is_kept_and_can_end_no_header(query: str, kept: str) -> None:
    assert paths.redirect_target("/p/T.json/", query) == f"/p/T.json{kept}"


@pytest.mark.parametrize("kind", ["p", "f", "r"])
@pytest.mark.parametrize(
    ("language", "asked"),
    [("en", "?locale=en"), ("en-GB", "?locale=en"), ("pt-BR", "?locale=pt-BR"), ("zh-HK", "?locale=zh-TW"), ("ko", "")],
)
@pytest.mark.parametrize("step", ["", "/r"])
def test_a_language_before_a_link_goes_after_it_where_it_is_served(
    kind: str, language: str, asked: str, step: str
) -> None:
    assert paths.redirect_target(f"/{language}/{kind}/T{step}", "passphrase=x") == f"/p/T{step}{asked}"


@pytest.mark.parametrize(("link", "encoded"), [("é", "%C3%A9"), ("%2F%2fx", "%2F%2Fx"), ("a b/r", "a%20b/r")])
def test_a_link_behind_a_language_is_percent_encoded(link: str, encoded: str) -> None:
    assert paths.redirect_target(f"/de/p/{link}", "") == f"/p/{encoded}?locale=de"


def test_a_client_of_the_api_keeps_its_query() -> None:
    assert paths.redirect_target("/en/p/T.json", "passphrase=x") == "/p/T.json?passphrase=x"


def test_language_and_slashes_go_in_one_step() -> None:
    assert paths.redirect_target("//en//f//T//", "") == "/p/T?locale=en"
    assert paths.redirect_target("/de/a/T", "passphrase=x") == "/a/T?locale=de"


def test_a_place_that_is_too_long_for_a_header_is_refused() -> None:
    longest = "a" * (paths.MAX_LOCATION - len("/p?"))

    assert paths.redirect_target("/p/", longest) == f"/p?{longest}"
    with pytest.raises(errors.MalformedRequest):
        paths.redirect_target("/p/", f"{longest}a")
