"""Measure one cold start in a separate process (cold.py): run by the bundle's Python in the bundle, without other code.

Input: JSON on standard input, with `code` to run or a `module` of a handler, then an `event` for it or `calls` for the
clients created by the code. Output, last line: processor seconds up to the end of the import and of the first request,
and the peak memory in KB.
"""

import json
import sys
from base64 import b64decode
from time import process_time
from typing import Any


class Context:
    """The part of Lambda's context that the code reads."""

    function_name, memory_limit_in_mb, aws_request_id = "bench", 512, "an-invocation"
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:bench"

    def get_remaining_time_in_millis(self) -> int:
        return 20_000


def binary(value: dict[str, Any]) -> Any:
    """Return bytes for a value; JSON has none."""
    return b64decode(value["bytes in base64"]) if "bytes in base64" in value else value


wanted = json.load(sys.stdin, object_hook=binary)
made: dict[str, Any] = {}
if "code" in wanted:
    exec(wanted["code"], made)
else:
    __import__(wanted["module"])
    handler = sys.modules[wanted["module"]].handler
imported = process_time()
if "event" in wanted:
    answer = handler(wanted["event"], Context())
    assert answer["statusCode"] == wanted["status"], answer
for service, operation, parameters in wanted.get("calls", []):
    made["clients"][service]._make_api_call(operation, parameters)
answered = process_time()
with open("/proc/self/status") as status:  # noqa: PTH123 (no import of pathlib, which would be measured)
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({"imported": imported, "answered": answered, "peak": peak}))
