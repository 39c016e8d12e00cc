"""A sentence for people that a page can say in another language."""

from collections.abc import Mapping
from typing import Any, Self


class Sentence(str):
    """A sentence in English, which is its value; `template` and `values` are what a translation is made of.

    The catalogues' extractor finds each call with a literal (`[tool.babel]` in pyproject.toml). Whole numbers are
    written with separators of thousands, here as in a translation.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, **values: Any) -> Self:
        """Fill the template's names in braces with the values, where there are any."""
        formatted = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
        sentence = super().__new__(cls, template.format(**formatted) if values else template)
        sentence.template, sentence.values = template, values
        return sentence
