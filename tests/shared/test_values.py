"""Every value of ours: nobody changes one that somebody else holds too, and none prints what nobody else may see."""

import dataclasses
import importlib
from pathlib import Path

import pytest

import shared
from shared.domain import seal

MODULES = [
    ".".join(file.relative_to(Path(shared.__file__).parents[1]).with_suffix("").parts)
    for file in sorted(Path(shared.__file__).parent.rglob("*.py"))
    if "@dataclass" in file.read_text()
]
# What opens a push or an account, what a push carries, and what its sender says of it.
HIDDEN = {"payload", "passphrase", "note", "url_token", "filename", "filenames", "content", "svg", "data_uri", "fields"}
HIDDEN |= {"keys", "push_key", "wrapping_key", "material", "value", "values", "session", "form_secret", "lease_id"}


def values(module: str) -> list[type]:
    held = vars(importlib.import_module(module)).values()
    return [one for one in held if isinstance(one, type) and dataclasses.is_dataclass(one) and one.__module__ == module]


@pytest.mark.parametrize("module", MODULES)
def test_a_value_does_not_change(module: str) -> None:
    changeable = [value.__name__ for value in values(module) if not value.__dataclass_params__.frozen]  # type: ignore[attr-defined]

    assert values(module)
    assert changeable == []


@pytest.mark.parametrize("module", MODULES)
def test_a_value_prints_nothing_that_is_secret(module: str) -> None:
    opened = [value for value in values(module) if value is not seal.SealedSecret]  # its payload is ciphertext

    printed = {field.name for value in opened for field in dataclasses.fields(value) if field.repr}

    assert printed & HIDDEN == set()
