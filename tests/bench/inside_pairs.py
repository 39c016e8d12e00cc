"""Measure warm requests in turn with their anchors (warm.py): run by the bundle's Python in the bundle.

Input: pickled on standard input, `modules` to load and pairs of jobs. A job is an event for a handler (`module`,
`event`, `status`) or `calls` for a plain client. Output, last line: the seconds of both jobs of each pair, elapsed and
of the processor. The order changes from pair to pair.
"""

import json
import pickle
import sys
from time import perf_counter, process_time
from typing import Any

import boto3

MOST_BUSY = 5  # pairs that may be measured again


class Context:
    """The part of Lambda's context that the code reads."""

    function_name, memory_limit_in_mb, aws_request_id = "bench", 512, "an-invocation"
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:bench"

    def get_remaining_time_in_millis(self) -> int:
        return 20_000


class Busy(Exception):
    """The engine took too long for one try; the pair is measured again."""


def run(job: dict[str, Any]) -> None:
    if "calls" in job:
        for operation, parameters in job["calls"]:
            clients[operation.startswith("Admin")]._make_api_call(operation, parameters)
        return
    answer = sys.modules[job["module"]].handler(job["event"], Context())
    if answer["statusCode"] == 503:
        raise Busy
    assert answer["statusCode"] == job["status"], answer


def timed(job: dict[str, Any]) -> tuple[float, float]:
    wall, processor = perf_counter(), process_time()
    run(job)
    return perf_counter() - wall, process_time() - processor


wanted = pickle.load(sys.stdin.buffer)
for module in wanted["modules"]:
    __import__(module)
clients = [boto3.client(name, region_name="us-east-1") for name in ("dynamodb", "cognito-idp")]
took: list[list[tuple[float, float]]] = []
busy = 0
while len(took) < len(wanted["pairs"]):
    one, other = wanted["pairs"][len(took)]
    try:
        first = None if len(took) % 2 else timed(one)
        second = timed(other)
        took.append([first or timed(one), second])
    except Busy:
        busy += 1
        assert busy <= MOST_BUSY, "the engine is too slow to be measured against: is the machine busy?"
print(json.dumps(took))
