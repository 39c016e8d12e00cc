"""Items to dataclasses of the domain and back; attributes and fields have the same names."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from pynamodb.attributes import Attribute

from shared.aws.table import Table

_T = TypeVar("_T")
Values = Mapping[str, Any]  # of an item's attributes, by their names; None where the item lacks one


def values(value: Any) -> dict[str, Any]:
    """The attributes of the item that keeps a dataclass."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def written(table: type[Table], given: Values) -> dict[str, dict[str, Any]]:
    """An item as DynamoDB takes it, with these values, without a model in between.

    Raises: ValueError, when one is missing that the table's items all have.
    """
    raw = {}
    for name, attribute in table.get_attributes().items():
        value = given.get(name)
        if value is not None:
            raw[attribute.attr_name] = {attribute.attr_type: attribute.serialize(value)}
        elif not attribute.null:
            raise ValueError(f"an item of {table.__name__} needs {name}")
    return raw


def read(table: type[Table], raw: Mapping[str, dict[str, Any]]) -> Values:
    """The values of an item as DynamoDB sent it, without a model in between: to make one takes twice as long."""
    return {name: _value(attribute, raw) for name, attribute in table.get_attributes().items()}


def domain(item: Values, dataclass: type[_T]) -> _T:
    """The item as an instance of a dataclass."""
    return dataclass(**{field.name: item.get(field.name) for field in fields(dataclass)})  # type: ignore[arg-type]


def _value(attribute: Attribute[Any], raw: Mapping[str, dict[str, Any]]) -> Any:
    kept = raw.get(attribute.attr_name)
    return attribute.default if kept is None else attribute.deserialize(kept[attribute.attr_type])
