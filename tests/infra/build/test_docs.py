import pytest

from infra.build import docs, template


@pytest.mark.parametrize("name", docs.PAGES)
def test_make_docs_would_change_nothing(name: str) -> None:
    assert (template.ROOT / name).read_text() == docs.PAGES[name](), "run: make docs"


def test_the_api_page_has_a_row_for_each_endpoint_of_the_api() -> None:
    table = docs.api().partition("<!-- endpoints: make docs -->")[2].partition("<!-- end -->")[0]

    paths = {route.key for route in template.routes() if route.key.split()[-1].startswith(("/api/v2", "/up"))}
    plain = {path for path in paths if not path.endswith(".json") and not path.startswith("HEAD")}
    assert [path for path in plain | {"GET /api/v2/openapi.json"} if f"| `{path}` |" not in table] == []


def test_the_settings_have_each_parameter_with_default_range_and_meaning() -> None:
    page = docs.settings()

    assert "\n\n| Parameter | Default | Allowed | Meaning |\n|---|" in page
    assert "| `SessionHours` | `12` | from 1 to 720 | " in page
    assert "| `BaseUrl` | empty | text | " in page
    assert "| `SignUp` | `true` | `true`, `false` | " in page
    assert [name for name in template.load()["Parameters"] if f"| `{name}` |" not in page] == []
