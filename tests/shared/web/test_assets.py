from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

import functions.pages  # noqa: F401 (registers the pages' directory)
from shared.domain import errors
from shared.web import assets, site
from shared.web.assets import Assets

KIB = 1024
SCRIPT = "say('é');"


@pytest.fixture
def files(tmp_path: Path) -> Assets:
    (tmp_path / "copy.js").write_text(SCRIPT)
    (tmp_path / "notes.md").write_text("of nobody's concern")
    return Assets(tmp_path)


def test_an_asset_s_url_has_the_digest_of_its_content(files: Assets) -> None:
    assert files.address("copy.js") == f"/assets/copy.{sha256(SCRIPT.encode()).hexdigest()[:12]}.js"


def test_a_current_asset_is_cached_for_a_year_and_another_one_is_not(files: Assets) -> None:
    today = files.address("copy.js").removeprefix("/assets/")

    assert files.resolve(today) == ("copy.js", "public, max-age=31536000, immutable")
    for other in (f"copy.{'0' * 12}.js", "copy.js"):
        assert files.resolve(other) == ("copy.js", "no-store")


@pytest.mark.parametrize("name", ["", "nosuch.js", "notes.md", "../copy.js", "copy.js/..", "copy.00.js", "x" * 200_000])
def test_nothing_else_is_an_asset(files: Assets, name: str) -> None:
    with pytest.raises(errors.NotFound):
        files.resolve(name)


def test_a_policy_names_an_inline_script_by_its_digest() -> None:
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()

    assert assets.source(SCRIPT) == f"'sha256-{digest}'"


def test_a_style_and_a_script_go_without_comments_and_indentation(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("/* why */\na :is(b, c) {\n  color: red; --a: 'b c';\n}\n")
    (tmp_path / "a.js").write_text("// why\nfunction a() {\n  say('// b'); // c\n}\n")
    files = Assets(tmp_path)

    assert files.content("a.css") == "a :is(b,c){color:red;--a:'b c';}"
    assert files.content("a.js") == "function a() {\nsay('// b'); // c\n}"


def test_the_sender_s_script_begins_with_the_part_of_all_forms() -> None:
    shared, whole = (site.assets().content(name) for name in ("form.js", "send.js"))

    assert whole.startswith(shared + "\n")
    assert len(whole) > len(shared) * 1.5


def test_no_comment_of_the_style_goes_on_in_another_line() -> None:
    style, _ = site.inline()

    assert "/*" not in style
    assert "*/" not in style


def test_style_and_scripts_are_small() -> None:
    style, script = site.inline()

    assert len(style.encode()) <= 13 * KIB
    assert len(script.encode()) <= 6 * KIB
    assert len((script + site.assets().content("send.js")).encode()) <= 14 * KIB
