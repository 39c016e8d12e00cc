"""All our values are immutable, and none prints a secret."""

import importlib
from pathlib import Path
from typing import Any

import shared
from shared.domain import seal
from shared.domain.file import Download
from shared.domain.mail import Mail

MODULES = [
    ".".join(file.relative_to(Path(shared.__file__).parents[1]).with_suffix("").parts)
    for file in sorted(Path(shared.__file__).parent.rglob("*.py"))
    if "(NamedTuple" in file.read_text()
]
# Secrets that open a push or an account, the content of a push, and its sender's label.
HIDDEN = {"payload", "passphrase", "note", "url_token", "filename", "filenames", "content", "svg", "data_uri", "fields"}
HIDDEN |= {"keys", "push_key", "wrapping_key", "material", "value", "values", "session", "form_secret", "lease_id"}
HIDDEN |= {"probe_token", "origin_secret", "recipients", "sent_to", "subject", "text", "html", "path"}
HIDDEN |= {"ask_token", "message", "token", "manage_key"}


def values(module: str) -> list[Any]:
    """Return the named tuples of a module."""
    held = vars(importlib.import_module(module)).values()
    return [one for one in held if isinstance(one, type) and hasattr(one, "_fields") and one.__module__ == module]


VALUES = [value for module in MODULES for value in values(module)]


def test_every_module_with_a_named_tuple_is_looked_at() -> None:
    assert [module for module in MODULES if not values(module)] == []


def test_a_value_prints_nothing_that_is_secret() -> None:
    opened = [value for value in VALUES if value is not seal.SealedSecret]  # its payload is ciphertext

    printed = {value: repr(value._make(f"<{name}>" for name in value._fields)) for value in opened}

    assert [(value, name) for value, text in printed.items() for name in HIDDEN if f"<{name}>" in text] == []


def test_a_link_to_a_file_and_the_headers_of_a_mail_are_not_printed() -> None:
    # Public in other types, under the same names.
    link, mail = Download("a.txt", "text/plain", 1, "MARKER"), Mail("s", "t", "h", (("List-Unsubscribe", "MARKER"),))

    assert "MARKER" not in repr((link, mail))


def test_a_value_has_no_field_that_hides_a_method_of_tuples() -> None:
    # For a value without such a field, `.count` in a template would show a method.
    assert [value for value in VALUES if {"count", "index"} & set(value._fields)] == []


def test_no_value_is_a_dataclass() -> None:
    written = [file for file in Path(shared.__file__).parent.rglob("*.py") if "@dataclass" in file.read_text()]

    assert written == []
