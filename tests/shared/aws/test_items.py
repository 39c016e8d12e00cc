"""Items are written and read like PynamoDB's models, without creating a model."""

from typing import Any

import pytest

from shared.aws import items
from shared.aws.table import Table
from shared.aws.tables import AuditEntries, Pushes, Secrets
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.push import Push
from shared.domain.seal import SealedSecret
from tests.drivers.client import START

PUSH = Push(
    id="0" * 64,
    owner="name:bob",
    kind="text",
    created_at=START,
    updated_at=START,
    expires_at=START,
    purge_at=START,
    expire_after_days=7,
    expire_after_views=5,
    deletable_by_viewer=True,
    retrieval_step=False,
    is_protected=False,
    label=b"\0label",
    guesses=[START],
    arrival=["a", "b"],
)
SECRET = {"id": "0" * 64, "expires_at": START, **items.values_of(SealedSecret("v", b"key", b"payload", b"salt"))}
ENTRY = AuditEntry.of(AuditKind.VIEW, Caller(None, "192.0.2.1", "curl", ""), START)
LOGGED = {"push_id": "0" * 64, "at": "p0001-", "purge_at": START, "views_left": 4, **items.values_of(ENTRY)}
EACH = pytest.mark.parametrize(
    ("table", "values"), [(Pushes, items.values_of(PUSH)), (Secrets, SECRET), (AuditEntries, LOGGED)]
)


@EACH
def test_an_item_is_written_as_a_model_writes_it(table: type[Table], values: dict[str, Any]) -> None:
    assert items.to_item(table, values) == table(**values).serialize()


@EACH
def test_an_item_is_read_as_a_model_reads_it(table: type[Table], values: dict[str, Any]) -> None:
    raw = items.to_item(table, values)

    model = table.from_raw_data(raw)

    assert items.from_item(table, raw) == {name: getattr(model, name) for name in table.get_attributes()}


def test_a_push_comes_back_as_it_was() -> None:
    assert items.to_named_tuple(items.from_item(Pushes, items.to_item(Pushes, items.values_of(PUSH))), Push) == PUSH


def test_an_item_without_a_required_attribute_is_not_written() -> None:
    lacking = items.values_of(PUSH) | {"kind": None}

    with pytest.raises(ValueError, match="an item of Pushes needs kind"):
        items.to_item(Pushes, lacking)
