"""Items to dataclasses of the domain and back; attributes and fields have the same names."""

from dataclasses import fields
from typing import Any, TypeVar

from pynamodb.models import Model

_T = TypeVar("_T")


def values(value: Any) -> dict[str, Any]:
    """The attributes of the item that keeps a dataclass."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def domain(item: Model, dataclass: type[_T]) -> _T:
    """The item as an instance of a dataclass."""
    return dataclass(**{field.name: getattr(item, field.name) for field in fields(dataclass)})  # type: ignore[arg-type]
