"""GET /api/v2/openapi.json: return the API's OpenAPI description."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from shared.web import api


@api.public
def handler(request: api.Request) -> api.Response:
    """Return docs/openapi.yaml as JSON, with this installation as its server."""
    return api.ok(_document() | {"servers": [{"url": request.base_url}]})


@cache
def _document() -> dict[str, Any]:
    # infra/build/openapi.py writes the JSON file: parsing YAML would add a library and a second of cold start.
    document: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_bytes())
    return document
