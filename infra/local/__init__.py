"""Files that describe the running local stack of this checkout."""

from infra.build import template

LOCAL = template.ROOT / ".local" / "run" / "stack.json"
DEMO = template.ROOT / ".local" / "demo.json"
