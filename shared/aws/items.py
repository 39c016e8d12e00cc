"""Convert DynamoDB items to named tuples and back; attributes and fields have the same names."""

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, cast

from pynamodb.attributes import Attribute

from shared.aws.table import Table

_T = TypeVar("_T")
Values = Mapping[str, Any]  # an item's attributes by name; None if missing


def values_of(value: Any) -> dict[str, Any]:
    """Return the attributes to store a named tuple."""
    attributes: dict[str, Any] = value._asdict()
    return attributes


def to_item(table: type[Table], values: Values) -> dict[str, dict[str, Any]]:
    """Return an item in DynamoDB's format, without creating a model.

    Raises: ValueError, if a required attribute is missing.
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
    """Return the values of an item in DynamoDB's format; creating a model would take twice as long."""
    return {
        name: attribute.deserialize(stored[kind]) if (stored := raw.get(key)) else None
        for name, key, kind, attribute in _columns(table)
    }


def to_named_tuple(item: Values, named: type[_T]) -> _T:
    """Return the item as a named tuple of this class."""
    tuple_class: Any = named  # no type describes a class of named tuples
    return cast(_T, tuple_class._make(map(item.get, tuple_class._fields)))


@cache
def _columns(table: type[Table]) -> tuple[tuple[str, str, str, Attribute[Any]], ...]:
    """Return each attribute of a table: name, name in DynamoDB, type in DynamoDB, converter."""
    return tuple((name, one.attr_name, one.attr_type, one) for name, one in table.get_attributes().items())
