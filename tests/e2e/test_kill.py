"""Functions are killed at random moments under load, like a failing AWS host: the promises hold.

MiniStack runs each function as its own process in the emulator's group, and answers for a dead one.
"""

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from threading import Thread
from typing import Any

import pytest

from infra.local.stack import Stack
from tests.drivers.http_client import HttpApi
from tests.drivers.load import Load
from tests.drivers.repeating import Repeating
from tests.e2e import aws
from tests.meters import processes
from tests.meters.proof import Prove

pytestmark = pytest.mark.long


def test_functions_that_are_killed_under_load_cost_no_view_too_many(
    stack: Stack, bob: HttpApi, effort: int, prove: Prove
) -> None:
    load = Load(bob, clients=8)

    figures, killed = run_under_fire(load, stack, seconds=8 * effort)

    assert figures["delivered"]
    assert load.owner.active().status == 200
    prove(
        "1-3",
        "No view too many, and each is recorded once, with functions killed at random under load",
        f"{figures['sent']:,} requests by {load.clients} clients, {killed:,} SIGKILLs, {figures['failed']:,} "
        f"requests without a proper answer; {figures['delivered']:,} payloads delivered + {figures['lost']:,} views "
        f"whose answer was lost = {figures['delivered'] + figures['lost']:,} audit entries; 0 too many",
    )


def test_a_repeated_request_to_killed_functions_counts_once(
    stack: Stack, bob: HttpApi, effort: int, prove: Prove
) -> None:
    load = Repeating(bob, clients=8)

    figures, killed = run_under_fire(load, stack, seconds=8 * effort)

    prove(
        "1-3",
        "Retrieves repeated with their key until answered lose no view, with functions killed at random",
        f"0 of {figures['delivered']:,}, each one audit entry and one payload, besides {figures['ended']} that an "
        f"expire ended before they were answered; {figures['pushes']:,} pushes, none made twice; {killed:,} SIGKILLs, "
        f"{figures['failed']:,} requests without a proper answer, {figures['repeated']:,} repetitions",
    )


def run_under_fire(load: Load, stack: Stack, seconds: float) -> tuple[Counter[str], int]:
    """Run clients while functions are killed; check the promises.

    Returns: the load's figures, and the number of killed functions.
    """
    others = set().union(*map(ids, aws.items(stack)))  # of tests before, which may have taken items away
    load.run(20)  # so that there are pushes to retrieve
    killer = Killer(stack.emulator.pid, seconds)
    killer.start()
    load.run_while(killer.is_alive)
    killer.join()
    load.use_up()
    assert killer.killed
    return load.check([item for item in aws.items(stack) if not ids(item) & others]), killer.killed


def ids(item: dict[str, Any]) -> set[str]:
    """Return the ids in an item: its own, and its push's."""
    return {item[name]["S"] for name in ("id", "push_id") if name in item}


class Killer(Thread):
    """Kills one function after another, at random, for some seconds."""

    def __init__(self, group: int, seconds: float) -> None:
        super().__init__()
        self._group = group
        self._seconds = seconds
        self.killed = 0

    def run(self) -> None:
        until = time.monotonic() + self._seconds
        while time.monotonic() < until:
            time.sleep(random.uniform(0.2, 1.5))
            workers = [line for line in processes.of_group(self._group) if "_worker.py" in line]
            if workers:
                with suppress(ProcessLookupError):
                    os.kill(int(random.choice(workers).partition(" ")[0]), signal.SIGKILL)
                    self.killed += 1
