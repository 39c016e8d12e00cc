"""template.yaml creates the tables, shared/aws/tables.py reads them: both must agree."""

from datetime import timedelta
from typing import Any

import pytest
from pynamodb.models import Model

from infra.build import template
from shared.aws import attributes, tables
from tests.drivers.client import START

MODELS: dict[str, type[Model]] = {
    "Pushes": tables.Pushes,
    "Secrets": tables.Secrets,
    "AuditEntries": tables.AuditEntries,
    "ApiTokens": tables.ApiTokens,
    "Asks": tables.Asks,
    "Quotas": tables.Quotas,
}
DECLARED = template.resources("AWS::DynamoDB::Table")


def keys(schema: Any) -> dict[str, str]:
    return {key["KeyType"]: key["AttributeName"] for key in schema}


def test_the_template_makes_these_tables_and_no_other() -> None:
    assert set(DECLARED) == set(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_a_table_has_the_same_keys_and_types_on_both_sides(name: str) -> None:
    schema = MODELS[name]._get_schema()

    assert keys(schema["key_schema"]) == keys(DECLARED[name]["KeySchema"])
    types = {one["AttributeName"]: one["AttributeType"] for one in DECLARED[name]["AttributeDefinitions"]}
    assert {one["AttributeName"]: one["AttributeType"] for one in schema["attribute_definitions"]} == types


@pytest.mark.parametrize("name", MODELS)
def test_a_table_has_the_same_indexes_on_both_sides(name: str) -> None:
    ours = {index["index_name"]: index for index in MODELS[name]._get_schema()["global_secondary_indexes"]}
    declared = {index["IndexName"]: index for index in DECLARED[name].get("GlobalSecondaryIndexes", [])}

    assert {index: keys(one["key_schema"]) for index, one in ours.items()} == {
        index: keys(one["KeySchema"]) for index, one in declared.items()
    }
    assert {index: projection(one["projection"]) for index, one in ours.items()} == {
        index: projection(one["Projection"]) for index, one in declared.items()
    }


@pytest.mark.parametrize("name", MODELS)
def test_ttl_attributes_are_whole_seconds(name: str) -> None:
    attribute = DECLARED[name]["TimeToLiveSpecification"]["AttributeName"]

    assert isinstance(MODELS[name].get_attributes()[attribute], attributes.TimeToLive)


def test_nothing_is_removed_early_by_its_time_to_live() -> None:
    attribute = attributes.TimeToLive()

    for milliseconds in (0, 1, 999):
        moment = START + timedelta(milliseconds=milliseconds)
        assert attribute.deserialize(attribute.serialize(moment)) >= moment


def test_a_moment_is_kept_to_the_millisecond() -> None:
    moment = START + timedelta(milliseconds=789)
    attribute = attributes.Moment()

    assert attribute.deserialize(attribute.serialize(moment)) == moment


def projection(declared: dict[str, Any]) -> tuple[str, list[str]]:
    return declared["ProjectionType"], declared.get("NonKeyAttributes", [])
