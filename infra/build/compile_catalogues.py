"""Compile the catalogues of a directory to `.mo` files next to them, if they are out of date.

The bundle and the tests use it. It needs only Babel, which bundle.py has just installed into the bundle. Babel's own
command rejects a translation that has a number where English has "once". An incompletely translated sentence is left
out, so that gettext returns the English one.
"""

import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

from babel.messages import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po


def compile_all(directory: Path) -> None:
    """Compile each `.po` file that is newer than its `.mo` file."""
    for source in directory.glob("*/LC_MESSAGES/*.po"):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parent.parent.name, domain=source.stem)
        # Several test processes may do this at once, and each must find a complete file.
        with NamedTemporaryFile(dir=target.parent, delete=False) as temporary:
            write_mo(temporary, translated(catalogue))
        Path(temporary.name).replace(target)


def translated(catalogue: Catalog) -> Catalog:
    """Return a catalogue with only the sentences that are translated in all plural forms, and not fuzzy."""
    kept = Catalog(locale=catalogue.locale)
    for message in catalogue:
        if message.id and not message.fuzzy and is_translated(message):
            kept[message.id] = message
    return kept


def is_translated(message: Message) -> bool:
    """Return whether all plural forms of a message are translated."""
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


if __name__ == "__main__":
    compile_all(Path(sys.argv[1]))
