"""Items to what the rest of the service knows, and back; tables and dataclasses name the same things alike."""

from dataclasses import fields
from typing import Any, TypeVar

from pynamodb.models import Model

_T = TypeVar("_T")


def values(value: Any) -> dict[str, Any]:
    """The attributes of a dataclass's item."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def domain(item: Model, wanted: type[_T]) -> _T:
    """The item as a dataclass."""
    return wanted(**{field.name: getattr(item, field.name) for field in fields(wanted)})  # type: ignore[arg-type]
