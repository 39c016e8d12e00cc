"""The cheapest memory size for a create and a retrieve, calculated, and the cost of a passphrase."""

import os
from collections.abc import Iterator
from functools import partial
from statistics import median
from unittest import mock

from shared.runtime import settings as shared_settings
from tests.bench import dollars, page, requests, stage
from tests.bench.page import Section
from tests.bench.requests import Taken
from tests.drivers.client import START, Api

# MB: the first is the template's minimum, because a strong passphrase takes 128 for itself; beyond the last a function
# has a second processor, and one request cannot use it.
MEMORY = (256, 512, 1024, 1769)
COSTS = ("standard", "strong")
ROUNDS = 7
NAMES = {"create": "create, anonymous, 1 KB", "retrieve": "view"}


def sections() -> Iterator[Section]:
    """Return one section, computed from measurements."""
    taken = {what: requests.taken()[name] for what, name in NAMES.items()}
    with stage.installation():
        for cost in COSTS:
            taken |= {f"{what}, passphrase {cost}": one for what, one in _with_passphrase(cost).items()}
    head = ("Memory, MB", *(f"{what}: ms, dollars" for what in taken))
    rows = [(f"{memory:,}", *(_cell(one, memory) for one in taken.values())) for memory in MEMORY]
    cheapest = {what: min(MEMORY, key=partial(_dollars, one)) for what, one in taken.items()}
    found = ", ".join(f"{what} {memory} MB" for what, memory in cheapest.items())
    used = ", ".join(f"{what} {page.number(1000 * one.seconds)} ms" for what, one in taken.items())
    yield Section("Memory", _NOTE.format(used=used, found=found), tables=[page.table(head, rows)])


def _cell(taken: Taken, memory: int) -> str:
    took = dollars.seconds(taken, memory)
    return f"{1000 * took:,.0f}, {_dollars(taken, memory):.2f}"


def _dollars(taken: Taken, memory: int) -> float:
    return dollars.MILLION * dollars.function(taken, memory)


def _with_passphrase(cost: str) -> dict[str, Taken]:
    """Time a create and a retrieve with a passphrase at this cost; the calls are the same without one."""
    with mock.patch.dict(os.environ, {"PASSPHRASE_COST": cost}):
        shared_settings.current.cache_clear()
        api = Api(now=START)
        tokens = [api.push(passphrase="p") for _ in range(ROUNDS)]
        creates = [requests.seconds(lambda: api.push(passphrase="p")) for _ in range(ROUNDS)]
        views = [requests.seconds(lambda token=token: api.retrieve(token, "p")) for token in tokens]  # type: ignore[misc]
    shared_settings.current.cache_clear()
    plain = requests.taken()
    timed = {"create": creates, "retrieve": views}
    return {what: Taken(what, seconds=median(timed[what]), calls=plain[NAMES[what]].calls) for what in NAMES}


_NOTE = """\
Milliseconds of one, dollars of a million for the function's memory while it runs (not for the request itself). The
processor's share goes by the memory, up to a whole one at 1,769 MB, so the work costs the same everywhere and the
waiting for AWS costs by the memory. The template takes no less than 256 MB: `strong` takes 128 for the passphrase
alone, and a push of 1 MiB what the section on peak memory says.

Cheapest of these: {found}.

The processor's time here: {used}."""
