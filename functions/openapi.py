"""GET /api/v2/openapi.json: return the API's OpenAPI description."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from shared.domain.bounds import Bounds
from shared.domain.limits import DURATIONS
from shared.web import api

_REQUESTS = "NewPush"  # what the names of the schemas of a create start with


@api.public
def handler(request: api.Request) -> api.Response:
    """Return docs/openapi.yaml as JSON, with this installation as its server and its limits for new pushes."""
    document = _document(request.settings.days, request.settings.views)
    return api.ok(document | {"servers": [{"url": request.base_url}]})


@cache
def _document(days: Bounds, views: Bounds) -> dict[str, Any]:
    # infra/build/openapi.py writes the JSON file: parsing YAML would add a library and a second of cold start.
    document: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_bytes())
    durations = [index for index, duration in enumerate(DURATIONS) if days.include_lifetime(duration)]
    shown = {
        "expire_after_days": days,
        "expire_after_views": views,
        "expire_after_duration": Bounds(durations[0], durations[0], durations[-1]) if durations else None,
    }
    for schema in _new_push_schemas(document):
        for name, bounds in shown.items():
            for field in (name, f"push[{name}]"):
                if bounds and field in schema["properties"]:
                    _set_bounds(schema["properties"][field], bounds)
    return document


def _new_push_schemas(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    schemas = document["components"]["schemas"].items()
    return (schema for name, schema in schemas if name.startswith(_REQUESTS) and "properties" in schema)


def _set_bounds(schema: dict[str, Any], bounds: Bounds) -> None:
    """Replace a field's minimum and maximum, and the default where it is named."""
    schema |= {"minimum": bounds.lowest, "maximum": bounds.highest}
    # Described, not declared: a generated client would send a declared default, and override `expire_after_duration`.
    if schema.get("description", "").startswith("Default: "):
        schema["description"] = f"Default: {bounds.default}."
