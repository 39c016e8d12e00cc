"""A translatable sentence."""

from collections.abc import Mapping
from typing import Any, Self


class Sentence(str):
    """An English sentence; translations use `template` and `values`.

    Babel extracts each call with a literal (`[tool.babel]` in pyproject.toml). Whole numbers have thousands separators,
    here and in translations.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, **values: Any) -> Self:
        """Fill in the template's placeholders, if there are values."""
        formatted = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
        sentence = super().__new__(cls, template.format(**formatted) if values else template)
        sentence.template, sentence.values = template, values
        return sentence
