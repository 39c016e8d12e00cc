"""Faster moto with the same responses: it skips work that took most of our tests' time.

For each member of a shape moto tries the member's name and its aliases on the backend's result. DynamoDB's results are
dictionaries; if they contain only member names, the aliases find nothing.

At each start moto creates a thousand HTTP responders. Here they are created once.

For each request moto tries the patterns of two hundred services. Here our services come first.

For each transaction moto copies all tables with all items, for a possible rollback. Here it copies only the
transaction's items.

For each user pool moto rebuilds the primes of the same RSA key. Here all pools share one key.
"""

import copy
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

from joserfc import jwk
from moto import backend_index
from moto.cognitoidp import models as cognito_models
from moto.core import responses
from moto.core.models import MockAWS, botocore_stubber, responses_mock
from moto.core.serialize import ResponseSerializer
from moto.core.utils import method_names_from_class
from moto.dynamodb import models
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table

_BY_ALL_NAMES: Final = ResponseSerializer._serialize_type_structure
_TRANSACT: Final = DynamoDBBackend.transact_write_items
# Each has its own hosts, so their patterns may come first. S3's patterns match too much.
_OURS: Final = {"dynamodb", "secretsmanager", "sqs", "cognito-idp"}
_START: Final = MockAWS._enable_patching
_answers: dict[str, list[Any]] = {}


def hurry() -> None:
    """Patch moto in this process."""
    for target, name, quick in [
        (ResponseSerializer, "_serialize_type_structure", _by_what_is_there),
        (MockAWS, "_enable_patching", _start),
        (DynamoDBBackend, "transact_write_items", _transact),
        (models, "copy", SimpleNamespace(deepcopy=_copy)),
        (cognito_models, "jwk", SimpleNamespace(RSAKey=SimpleNamespace(import_key=_one_key()))),
        (responses, "method_names_from_class", cache(method_names_from_class)),
    ]:
        mock.patch.object(target, name, quick).start()
    backend_index.backend_url_patterns.sort(key=lambda pattern: pattern[0] not in _OURS)


def _start(moto: MockAWS, reset: bool = True) -> None:
    if not _answers:
        _START(moto, reset)
        registry: Any = responses_mock.get_registry()
        _answers.update({method: list(answers) for method, answers in registry._registered.items()})
        return
    botocore_stubber.enabled = True
    if reset:
        moto.reset()
    responses_mock.start()
    registry = responses_mock.get_registry()
    registry._registered.update({method: list(answers) for method, answers in _answers.items()})


def _by_what_is_there(serializer: Any, serialized: Any, value: Any, shape: Any, key: str) -> None:
    is_dynamodb = serializer.operation_model.service_model.service_name == "dynamodb"
    if not is_dynamodb or type(value) is not dict or not value.keys() <= shape.members.keys():
        _BY_ALL_NAMES(serializer, serialized, value, shape, key)
        return
    wrapper = serializer.MAP_TYPE() if key else serialized
    for name, member in value.items():
        if member is not None:
            shape.members[name].parent = shape
            serializer._serialize(wrapper, member, shape.members[name], name)
    if key:
        serializer._default_serialize(serialized, wrapper, shape, key)


def _one_key() -> Callable[[Any], jwk.RSAKey]:
    """Return an `import_key` that builds the key at the first call; moto has only one."""
    built: list[jwk.RSAKey] = []

    def import_key(file: Any) -> jwk.RSAKey:
        if not built:
            built.append(jwk.RSAKey.import_key(file))
        return built[0]

    return import_key


def _copy(value: Any) -> Any:
    return value if isinstance(value, Table) else copy.deepcopy(value)


def _transact(backend: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
    undo = [_undoing(backend, action) for one in transact_items for action in one.values()]
    try:
        _TRANSACT(backend, transact_items)
    except Exception:
        for put_back in undo:
            put_back()
        raise


def _undoing(backend: DynamoDBBackend, action: dict[str, Any]) -> Callable[[], None]:
    """Return an action that restores the current item."""
    table, keys = backend.get_table(action["TableName"]), action.get("Key") or action["Item"]
    items: Any = table.items
    last = DynamoType(keys[table.hash_key_attr])
    if table.range_key_attr:
        items, last = items[last], DynamoType(keys[table.range_key_attr])
    before = copy.deepcopy(items.get(last))

    def put_back() -> None:
        if before is None:
            items.pop(last, None)
        else:
            items[last] = before

    return put_back
