"""The cost of a million requests on AWS: measured units, counted bytes, and the prices of prices.py."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from infra.build import template
from infra.figures import costs, prices
from infra.figures.footprints import LOGGED
from shared.runtime.settings import current
from tests.bench import page, requests
from tests.bench.page import Section
from tests.bench.requests import Taken

MILLION = 1_000_000
FULL_CORE = 1769  # MB of memory with one full processor (AWS Lambda Developer Guide, "Configure memory")
ROUND_TRIP = 0.005  # seconds for a call to AWS: "single-digit milliseconds" in DynamoDB's documentation
LIFE = 7  # days, the default life of a push
MONTH = 30
PARTS = ("HTTP API", "Lambda", "writes", "reads", "logs", "sent", "kept")


@dataclass(frozen=True)
class Cost:
    """Dollars for a million requests, by part."""

    name: str
    parts: Mapping[str, float]

    @property
    def total(self) -> float:
        return sum(self.parts.values())

    @property
    def dominant(self) -> str:
        """Return the largest part and its share."""
        name = max(self.parts, key=lambda part: self.parts[part])
        return f"{name}, {100 * self.parts[name] / self.total:.0f} %"


def sections() -> Iterator[Section]:
    """Return sections on the cost of each request and of a browser's exchange."""
    found = [cost(one) for one in requests.taken().values()]
    exchange = together("A browser's exchange", [one for one in found if one.name.startswith("browser")])
    yield Section("Dollars for a million", _note(), tables=[_table([*found, exchange])], is_published=True)


def cost(taken: Taken) -> Cost:
    """Return the cost of a million such requests."""
    memory = float(template.defaults()["MemorySize"])
    return Cost(
        taken.name,
        {
            "HTTP API": MILLION * taken.requests * prices.GATEWAY_REQUEST,
            "Lambda": MILLION * (taken.requests * prices.FUNCTION_REQUEST + function(taken, memory)),
            "writes": MILLION * taken.writes.total * prices.WRITE_UNIT,
            "reads": MILLION * taken.reads * prices.READ_UNIT,
            "logs": MILLION * taken.requests * LOGGED / prices.GB * prices.LOG_GB,
            "sent": MILLION * taken.sent / prices.GB * prices.TRANSFER_GB,
            "kept": MILLION * kept(taken),
        },
    )


def seconds(taken: Taken, memory: float) -> float:
    """Return a function's duration: it waits for AWS, and its share of a processor depends on its memory in MB."""
    return taken.calls * ROUND_TRIP + taken.seconds / min(1, memory / FULL_CORE)


def function(taken: Taken, memory: float) -> float:
    """Return the dollars for memory during one such request."""
    return seconds(taken, memory) * memory / 1024 * prices.GB_SECOND


def kept(taken: Taken, tables: Collection[str] = ("Pushes", "Secrets", "AuditEntries")) -> float:
    """Return the dollars for data stored until it is purged: the record outlives the push."""
    is_owned = "anonymous" not in taken.name and "browser" not in taken.name
    days = {table: LIFE + current().retention("name:bob" if is_owned else None).days for table in costs.BACKED_UP}
    new = {"Pushes", "Secrets"} if "create" in taken.name or "send" in taken.name else set()
    total = 0.0
    for table in taken.writes.largest.keys() & {*new, "AuditEntries"} & set(tables):
        price = prices.TABLE_GB_MONTH + (prices.BACKUP_GB_MONTH if table in costs.BACKED_UP else 0)
        size = (taken.writes.largest[table] + costs.ITEM_OVERHEAD) / prices.GB
        total += size * price * days.get(table, LIFE) / MONTH
    return total


def together(name: str, found: list[Cost]) -> Cost:
    """Return the sum by part."""
    return Cost(name, {part: sum(one.parts[part] for one in found) for part in PARTS})


def _table(found: list[Cost]) -> str:
    rows = [(one.name, f"**{one.total:.2f}**", *(f"{one.parts[part]:.2f}" for part in PARTS), one.dominant)
            for one in found]  # fmt: skip
    return page.table(("A million of", "Dollars", *PARTS, "Most of it"), rows)


def _note() -> str:
    memory = template.defaults()["MemorySize"]
    return f"""\
Computed: units and calls are counted on the wire, bytes as sent, the processor's time as it was here (in this process,
by the project's own Python), each call as {ROUND_TRIP * 1000:.0f} ms of waiting, {memory} MB of memory, and
{LOGGED:,} bytes of log lines a request at most. `kept` is the record until it is purged, for a push of {LIFE}
days. Prices of us-east-1 as of {prices.AS_OF}, in `docs/costs.md`."""
