"""Virtual time: threads take turns, and one that sleeps hands over to the next one that wakes.

Tests can so measure milliseconds on AWS exactly, on any machine: nothing here waits in real time. Only one thread runs
at any moment, so moto in process is safe.
"""

import heapq
import itertools
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar
from unittest import mock

from shared.runtime import deadline

T = TypeVar("T")
_ELAPSED = deadline.elapsed


class VirtualTime:
    """Replaces the module `time`: `sleep` and `monotonic`, in seconds."""

    def __init__(self) -> None:
        self._now = 0.0
        self._sleepers: list[tuple[float, int, threading.Event]] = []
        self._order = itertools.count()
        self._all_done = threading.Event()

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        turn = self._turn_at(self._now + seconds)
        self._hand_over()
        turn.wait()

    def run(self, tasks: Sequence[Callable[[], T]]) -> list[tuple[T, float]]:
        """Run all at once; return each result and when it came. Raises the exception of any of them, after the last has
        ended.
        """
        outcomes: list[tuple[T, float]] = [None] * len(tasks)  # type: ignore[list-item]
        failures: list[BaseException] = []
        left = len(tasks)

        def run_one(number: int, turn: threading.Event) -> None:
            nonlocal left
            turn.wait()
            try:
                outcomes[number] = (tasks[number](), self._now)
            except BaseException as failure:  # noqa: BLE001 (raised again in the test's own thread)
                failures.append(failure)
            left -= 1
            if left:
                self._hand_over()
            else:
                self._all_done.set()

        for number in range(len(tasks)):
            threading.Thread(target=run_one, args=(number, self._turn_at(self._now)), daemon=True).start()
        self._all_done.clear()
        self._hand_over()
        self._all_done.wait()
        if failures:
            raise failures[0]
        return outcomes

    def _turn_at(self, moment: float) -> threading.Event:
        turn = threading.Event()
        heapq.heappush(self._sleepers, (moment, next(self._order), turn))
        return turn

    def _hand_over(self) -> None:
        self._now, _, turn = heapq.heappop(self._sleepers)
        turn.set()


@contextmanager
def standing() -> Iterator[None]:
    """Let requests take no time, so that their dates are those of their receipts; `passing` ends this."""
    with mock.patch.object(deadline, "elapsed", timedelta):
        yield


@contextmanager
def passing() -> Iterator[VirtualTime]:
    """Run the code under test in virtual time, with the same jitter in every run."""
    from shared.aws import backoff

    clock = VirtualTime()
    with (
        mock.patch.object(backoff, "time", clock),
        mock.patch.object(deadline, "time", clock),
        mock.patch.object(deadline, "elapsed", _ELAPSED),
        mock.patch.object(backoff, "_RANDOM", random.Random(7)),
    ):
        yield clock
