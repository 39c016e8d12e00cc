"""GET /api/v2/openapi.json: return the API's OpenAPI description."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from shared.web import api


@api.public
def handler(request: api.Request) -> api.Response:
    """Answer with docs/openapi.yaml, which names this installation as its server."""
    return api.ok(_document() | {"servers": [{"url": request.base_url}]})


@cache
def _document() -> dict[str, Any]:
    # Made by infra/build/openapi.py: to read YAML would take a library, and a second of a cold start.
    document: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_bytes())
    return document
