"""Generate functions/openapi.json: docs/openapi.yaml as JSON, next to the function that serves it."""

import json

import yaml

from infra.build import template

SOURCE = template.ROOT / "docs" / "openapi.yaml"


def as_json() -> str:
    """Return the JSON document, before the installation's own address is filled in."""
    return json.dumps(yaml.safe_load(SOURCE.read_text()), ensure_ascii=False, separators=(",", ":")) + "\n"
