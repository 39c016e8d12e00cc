from pathlib import Path

import pytest
from babel.messages import Catalog

from infra.build import catalogues, compile_catalogues


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """Return a German catalogue with one translation, in a directory of its own."""
    monkeypatch.setattr(catalogues, "LOCALES", tmp_path)
    catalogue = Catalog(locale="de")
    catalogue.add("Copied.", "Kopiert.")
    return catalogue


def updated(catalogue: Catalog, monkeypatch: pytest.MonkeyPatch, *sentences: str) -> Catalog:
    """Store a catalogue and return it after `make translate` with these sentences in the code."""
    catalogues.path("de").parent.mkdir(parents=True, exist_ok=True)
    catalogues.path("de").write_bytes(catalogues.to_bytes(catalogue))
    wanted = Catalog()
    for sentence in sentences:
        wanted.add(sentence)
    monkeypatch.setattr(catalogues, "template", lambda: wanted)
    return catalogues.update("de")


def test_a_changed_sentence_keeps_its_translation_as_fuzzy(german: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    once = updated(german, monkeypatch, "Copied!")
    twice = updated(once, monkeypatch, "Copied!")

    for catalogue in (once, twice):
        written = catalogues.to_bytes(catalogue).decode()
        assert '#, fuzzy\nmsgid "Copied!"\nmsgstr "Kopiert."' in written
    assert not list(compile_catalogues.translated(twice))[1:]


def test_a_translation_without_a_sentence_stays_until_nothing_is_left_to_translate(
    german: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = updated(german, monkeypatch, "Something quite different")
    back = updated(left, monkeypatch, "Something quite different", "Copied.")

    assert b'#~ msgid "Copied."' in catalogues.to_bytes(left)
    assert (back["Copied."].string, back["Copied."].fuzzy) == ("Kopiert.", False)
    left["Something quite different"].string = "Etwas ganz anderes"
    assert not updated(left, monkeypatch, "Something quite different").obsolete


def test_the_command_lists_what_is_left_by_sentence(
    german: Catalog, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    updated(german, monkeypatch, "Copied!", "Something quite different")

    catalogues.main(["de"])

    assert capsys.readouterr().out.splitlines() == [
        "de: 2 sentences, 2 to translate",
        "  check again: Copied!",
        "  translate: Something quite different",
    ]
