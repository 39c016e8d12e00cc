from pathlib import Path

from babel.messages import Catalog

from infra.build import catalogues, compile_catalogues
from shared.web import languages


def test_a_partial_language_shows_the_other_sentences_in_english(tmp_path: Path) -> None:
    path = tmp_path / "pl" / "LC_MESSAGES" / "messages.po"
    path.parent.mkdir(parents=True)
    catalogue = Catalog(locale="pl")
    catalogue.add("Copied.", "Skopiowano.")
    catalogue.add("Home")
    catalogue.add(("%(count)s time", "%(count)s times"), ("%(count)s raz", "", ""))
    catalogue.add("Link", "Odnośnik", context="kind")
    catalogue.add("Save", "Zapisz", flags=["fuzzy"])
    path.write_bytes(catalogues.to_bytes(catalogue))
    compile_catalogues.compile_all(tmp_path)

    words = languages.Language("pl", tmp_path).words
    said = [words["gettext"](one) for one in ("Copied.", "Home", "Link", "Save")]

    assert said == ["Skopiowano.", "Home", "Link", "Save"]
    assert words["ngettext"]("%(count)s time", "%(count)s times", 5, count=5) == "5 times"
    assert words["pgettext"]("kind", "Link") == "Odnośnik"
