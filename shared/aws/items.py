"""Items to named tuples of the domain and back; attributes and fields have the same names."""

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, cast

from pynamodb.attributes import Attribute

from shared.aws.table import Table

_T = TypeVar("_T")
Values = Mapping[str, Any]  # of an item's attributes, by their names; None where the item lacks one


def values_of(value: Any) -> dict[str, Any]:
    """The attributes of the item that keeps a named tuple."""
    attributes: dict[str, Any] = value._asdict()
    return attributes


def to_item(table: type[Table], values: Values) -> dict[str, dict[str, Any]]:
    """An item as DynamoDB takes it, with these values, without a model in between.

    Raises: ValueError, when one is missing that the table's items all have.
    """
    raw = {}
    for name, key, kind, attribute in _columns(table):
        value = values.get(name)
        if value is not None:
            raw[key] = {kind: attribute.serialize(value)}
        elif not attribute.null:
            raise ValueError(f"an item of {table.__name__} needs {name}")
    return raw


def from_item(table: type[Table], raw: Mapping[str, dict[str, Any]]) -> Values:
    """The values of an item as DynamoDB sent it, without a model in between: to make one takes twice as long."""
    return {
        name: attribute.deserialize(stored[kind]) if (stored := raw.get(key)) else None
        for name, key, kind, attribute in _columns(table)
    }


def to_named_tuple(item: Values, named: type[_T]) -> _T:
    """The item as a named tuple of a class."""
    tuple_class: Any = named  # no type says that a class is one of named tuples
    return cast(_T, tuple_class._make(map(item.get, tuple_class._fields)))


@cache
def _columns(table: type[Table]) -> tuple[tuple[str, str, str, Attribute[Any]], ...]:
    """Each attribute of a table: its own name, its name and type in DynamoDB, and what turns one into the other."""
    return tuple((name, one.attr_name, one.attr_type, one) for name, one in table.get_attributes().items())
