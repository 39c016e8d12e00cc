"""Update the catalogues with the sentences in the code, and list the sentences that need a translator.

`make translate` rewrites each `.po` file. If a sentence changed, its old translation stays as `#, fuzzy`, with the
old sentence in `#|`. A fuzzy translation is never shown; remove the mark after correcting it. Translations without a
sentence stay at the end as `#~` until the catalogue is complete, because a reworded sentence may need them.
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

from infra.build.compile_catalogues import is_translated
from shared.domain import languages
from shared.web.languages import DOMAIN, catalogue_name

ROOT = Path(__file__).parents[2]
LOCALES = ROOT / "functions" / "pages" / "locales"
WIDTH = 120
# Calls that contain a sentence, and the arguments that hold it ("c": the context of a word with several meanings).
KEYWORDS: dict[str, Any] = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "Sentence": None,
}
TAGS = tuple(tag for tag in languages.SERVED if tag != languages.SOURCE)
# Tools for translators and `msgfmt -c` need these fields. No dates and no names: they would change with every run.
_HEADER = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural_forms};\\n"

"""


def main(tags: list[str]) -> None:
    """Update the catalogues of these languages, by default of all, and list what is left to translate."""
    for tag in tags or TAGS:
        catalogue = update(tag)
        path(tag).parent.mkdir(parents=True, exist_ok=True)
        path(tag).write_bytes(to_bytes(catalogue))
        left = unfinished(catalogue)
        print(f"{tag}: {len(catalogue)} sentences, {len(left)} to translate")
        for message in left:
            print(f"  {'check again' if message.fuzzy else 'translate'}: {_english(message)}")


def update(tag: str) -> Catalog:
    """Return the catalogue of a language with the current sentences."""
    catalogue = read(tag) if path(tag).exists() else Catalog(locale=catalogue_name(tag), domain=DOMAIN)
    for message in catalogue.obsolete.values():
        catalogue[message.id] = message  # a sentence that comes back finds its translation
    catalogue.obsolete.clear()
    catalogue.update(template())
    if not unfinished(catalogue):
        catalogue.obsolete.clear()
    return catalogue


def unfinished(catalogue: Catalog) -> list[Message]:
    """Return the messages whose translation is missing, or fuzzy: made for another sentence."""
    return [message for message in catalogue if message.id and (message.fuzzy or not is_translated(message))]


def to_bytes(catalogue: Catalog) -> bytes:
    """Return a catalogue as the bytes of its file."""
    file = BytesIO()
    header = _HEADER.format(language=catalogue.locale_identifier, plural_forms=catalogue.plural_forms.rstrip(";"))
    file.write(header.encode())
    write_po(file, catalogue, WIDTH, omit_header=True, sort_by_file=True, include_lineno=False)
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
        return read_po(file, locale=catalogue_name(tag), domain=DOMAIN)


def path(tag: str) -> Path:
    """Return the path of a language's catalogue."""
    return LOCALES / catalogue_name(tag) / "LC_MESSAGES" / f"{DOMAIN}.po"


def _english(message: Message) -> str:
    return " / ".join([message.id] if isinstance(message.id, str) else message.id)


if __name__ == "__main__":
    main(sys.argv[1:])
