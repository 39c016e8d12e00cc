"""Where a running local stack of this checkout says how to reach it."""

from infra.build import template

LOCAL = template.ROOT / ".local" / "run" / "stack.json"
DEMO = template.ROOT / ".local" / "demo.json"
