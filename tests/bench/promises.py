"""The cost of the promises: the write units of each, and the minimum without an audit log and without transactions."""

from collections.abc import Iterable, Iterator

from infra.figures import prices
from tests.bench import dollars, page, requests
from tests.bench.dollars import MILLION
from tests.bench.page import Section
from tests.bench.requests import Taken


def sections() -> Iterator[Section]:
    """Return one section, on an owned push from its create to its last view."""
    taken = requests.taken()
    plain = [taken[name] for name in ("create, owned, 1 KB", "view", "last view")]
    leased = [plain[0], taken["view with a lease"], taken["last view with a lease"]]
    rows = [*_writes(plain, leased), *_whole(plain)]
    yield Section("What the promises cost", _NOTE, tables=[page.table(_HEAD, rows)])


def indexes(taken: Taken) -> int:
    """Return the units of the owner's lists, which no transaction doubles."""
    return sum(count for table, count in taken.writes.units.items() if "/index/" in table)


def doubled(taken: Taken) -> float:
    """Return the units charged because the write is a transaction."""
    return (taken.writes.total - indexes(taken)) / 2


def recorded(taken: Taken) -> float:
    """Return the units of the audit entry as a plain write."""
    return taken.writes.units["AuditEntries"] / 2


def floor(taken: Taken) -> float:
    """Return the units without an audit log, by plain writes."""
    return taken.writes.total - doubled(taken) - recorded(taken)


def _writes(plain: list[Taken], leased: list[Taken]) -> Iterator[tuple[str, ...]]:
    def row(what: str, units: Iterable[float]) -> tuple[str, ...]:
        return (what, *(f"{MILLION * one * prices.WRITE_UNIT:.2f}" for one in units))

    yield row("all that is written", [one.writes.total for one in plain])
    yield row("– of it: one write or none (3), since a transaction is charged twice", map(doubled, plain))
    yield row("– of it: the audit entry (3), as a plain write", map(recorded, plain))
    yield row("– of it: the owner's lists", map(indexes, plain))
    yield row("– of it: a secret that goes by itself (5), as a plain write", map(_secret, plain))
    yield row("the floor: no audit log, no transaction", map(floor, plain))
    more = [one.writes.total - other.writes.total for one, other in zip(leased, plain, strict=True)]
    yield row("on top: a lost answer is given again (a lease)", more)


def _secret(taken: Taken) -> float:
    return taken.writes.units["Secrets"] / 2


def _whole(plain: list[Taken]) -> Iterator[tuple[str, ...]]:
    """Return the units of the whole request, and of the minimum without an entry."""
    yield ("the whole request", *(f"**{dollars.cost(one).total:.2f}**" for one in plain))
    yield ("the whole request at the floor", *(f"**{dollars.cost(one).total - _spared(one):.2f}**" for one in plain))


def _spared(taken: Taken) -> float:
    units = taken.writes.total - floor(taken)
    return MILLION * (units * prices.WRITE_UNIT + dollars.kept(taken, {"AuditEntries"}))


_HEAD = ("Dollars for a million", "create", "view", "last view")
_NOTE = f"""\
Writes, of an owned push of 1 KB; the promises have the numbers of `docs/proof.md`. The rest costs less: a strongly
consistent read of 4 KB is {MILLION * prices.READ_UNIT / 2:.2f} dollars a million more than another one, and to seal and
to open takes the processor's time only."""
