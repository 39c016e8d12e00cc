"""microburst, a proxy in front of an engine that breaks calls like AWS and networks do."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

from infra.local.emulator import free_port
from tests.engines import over_http

Rule = dict[str, Any]
_LOST = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
_NONE = {"Code": "None"}


def _conflict(writes: int) -> Rule:
    """Return a transaction cancelled for a conflict, with a reason for each of its writes."""
    fields = {"CancellationReasons": [*[_NONE] * (writes - 1), _LOST]}
    return {
        "service": "dynamodb",
        "operation": "TransactWriteItems",
        "body": f"length(TransactItems) == `{writes}`",
        "error": {"code": "TransactionCanceledException", "status": 400, "fields": fields},
    }


# Each kind of fault, as one rule or several exclusive ones.
KINDS: dict[str, list[Rule]] = {
    "throttles": [
        {"service": "dynamodb", "error": {"code": "ThrottlingException", "status": 400}},
        {"service": "s3", "error": {"code": "SlowDown", "status": 503}},
    ],
    "capacity": [{"service": "dynamodb", "error": {"code": "ProvisionedThroughputExceededException", "status": 400}}],
    "errors 500": [{"service": "*", "error": {"code": "InternalServerError", "status": 500}}],
    "resets": [{"service": "*", "reset": True}],
    "answers cut": [{"service": "*", "response": {"abort_frac": 0.3}}],
    "answers lost": [{"service": "*", "response": {"abort_bytes": 0}}],
    "conflicts": [_conflict(writes) for writes in range(2, 7)],
    "time-outs": [{"service": "*", "timeout_ms": 2500}],
}


class Faults:
    """A running proxy that breaks nothing by default."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    @contextmanager
    def injecting(self, share: float) -> Iterator[dict[str, int]]:
        """In this block, break this share of all calls, by each kind of fault equally often; count calls and faults."""
        # The first rule that fires wins, so each gets its part of the calls left by the earlier ones.
        part = share / len(KINDS)
        shares = [part / (1 - part * earlier) for earlier in range(len(KINDS))]
        rules = [rule | {"probability": p} for kind, p in zip(KINDS.values(), shares, strict=True) for rule in kind]
        before = self._counted()
        counted: dict[str, int] = {}
        self._call("POST", "rules", rules)
        try:
            yield counted
        finally:
            self._call("POST", "rules", [])
            counted.update({name: number - before[name] for name, number in self._counted().items()})
        assert counted["faulted"], "no call was broken"

    def _counted(self) -> dict[str, int]:
        counted: dict[str, int] = self._call("GET", "stats")["requests"]
        return counted

    def _call(self, method: str, path: str, document: Any = None) -> Any:
        body = None if document is None else json.dumps(document).encode()
        request = Request(
            f"{self.endpoint}/_microburst/{path}", body, {"content-type": "application/json"}, method=method
        )
        with urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"null")


@contextmanager
def before(endpoint: str) -> Iterator[Faults]:
    """Run a proxy in front of an engine."""
    port = str(free_port())
    command = [sys.executable, "-m", "microburst", "--upstream", endpoint, "--port", port]
    with over_http.started(command, port):
        yield Faults(f"http://127.0.0.1:{port}")
