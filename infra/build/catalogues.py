"""Update the catalogues of all languages with the sentences in the code.

`make translate` copies every sentence of the templates and the domain into each `.po` file, and counts the sentences
that have no translation yet.
"""

import sys
import tomllib
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from shared.web import languages
from shared.web.languages import DOMAIN

ROOT = Path(__file__).parents[2]
LOCALES = ROOT / "functions" / "pages" / "locales"
WIDTH = 120
# Calls that contain a sentence, and the arguments that hold it.
KEYWORDS: dict[str, Any] = {"_": None, "gettext": None, "ngettext": (1, 2), "Sentence": None}
TAGS = tuple(tag for tag in languages.SERVED if tag != languages.SOURCE)


def main() -> None:
    """Update all catalogues and report the missing translations."""
    lacking = 0
    for tag in TAGS:
        catalogue = update(tag)
        path(tag).parent.mkdir(parents=True, exist_ok=True)
        path(tag).write_bytes(to_bytes(catalogue))
        untranslated = [message for message in catalogue if message.id and not is_translated(message)]
        lacking += len(untranslated)
        print(f"{tag}: {len(catalogue)} messages, {len(untranslated)} not translated")
    sys.exit(1 if lacking else 0)


def update(tag: str) -> Catalog:
    """Return the catalogue of a language with exactly the current sentences."""
    catalogue = read(tag) if path(tag).exists() else Catalog(locale=languages.catalogue_name(tag), domain=DOMAIN)
    catalogue.update(template(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    return catalogue


def to_bytes(catalogue: Catalog) -> bytes:
    """Return a catalogue as the bytes of its file."""
    file = BytesIO()
    write_po(file, catalogue, width=WIDTH, omit_header=True, sort_by_file=True, include_lineno=False)
    return file.getvalue()


@cache
def template() -> Catalog:
    """Return every sentence in the code that people read, found by `[tool.babel]` in pyproject.toml."""
    said: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["babel"]
    methods = [(pattern, one["method"]) for one in said["mappings"] for pattern in one["pattern"]]
    options = {pattern: one.get("options", {}) for one in said["mappings"] for pattern in one["pattern"]}
    catalogue = Catalog(domain=DOMAIN)
    for folder in ("functions", "shared"):
        messages = extract_from_dir(ROOT / folder, methods, options, keywords=KEYWORDS, comment_tags=("translators:",))
        for file, line, message, comments, context in messages:
            catalogue.add(message, None, [(f"{folder}/{file}", line)], auto_comments=comments, context=context)
    return catalogue


def read(tag: str) -> Catalog:
    """Return the catalogue of a language in the repository."""
    with path(tag).open("rb") as file:
        return read_po(file, locale=languages.catalogue_name(tag), domain=DOMAIN)


def path(tag: str) -> Path:
    """Return the path of a language's catalogue."""
    return LOCALES / languages.catalogue_name(tag) / "LC_MESSAGES" / f"{DOMAIN}.po"


def is_translated(message: Message) -> bool:
    """Return whether all plural forms of a message are translated."""
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


if __name__ == "__main__":
    main()
