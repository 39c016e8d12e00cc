"""What stands in the way at 10, 1,000 and 100,000 requests a second, on paper: docs/scale.md.

    python -m infra.figures.scale > docs/scale.md

The demand is computed from what a push's life writes (test_scale.py measures it), the costs from prices.py,
the rest from AWS's quotas as documented and from simulate.py. Nothing of it was measured on AWS.
"""

from pathlib import Path
from typing import NamedTuple

from infra.build import template
from infra.figures import costs, prices, simulate
from infra.figures.footprints import KB

SIZES = (10, 1_000, 100_000)  # requests a second
REQUESTS = 10  # of a push's life: a create, two views (the second is the last), seven that only read
CREATES, VIEWS = 1, 2
# Write units of the life of an owner's push of a KB with two views, by table and index.
LIFE = {
    "Pushes": 6,
    "Pushes/index/by_owner": 3,
    "Pushes/index/active_by_creation": 2,
    "Secrets": 8,
    "AuditEntries": 6,
}
PARTITION = 1_000  # write units a second of one partition, and so of one key
KEPT, SIZE = 90, 4 * KB  # days and bytes that a push is counted to stay with
TEXT = Path(__file__).with_suffix(".md")


class Quota(NamedTuple):
    """A bound of AWS or of the template's defaults: how much it lets pass, and how to raise it."""

    what: str
    bound: float
    raised: str


def demand(rate: float) -> dict[str, float]:
    """What so many requests a second ask for, by the name of the bound that stands in the way."""
    pushes = rate / REQUESTS
    busiest = max(units for table, units in LIFE.items() if "/" not in table)
    return {
        "CreateRate": CREATES * pushes,
        "ViewRate": VIEWS * pushes,
        "ThrottleRate": (REQUESTS - CREATES - VIEWS) * pushes,
        "MaxWriteRequestUnits": busiest * pushes,
        "functions": rate * costs.QUICK,
        "gateway": rate,
        "new table": busiest * pushes,
        "table": busiest * pushes,
        "events": (CREATES + VIEWS) * pushes,
        "logs": rate * costs.LOGGED / 1_000_000,
    }


def quotas() -> dict[str, Quota]:
    """The bounds, in the order in which a request meets them. AWS's are defaults of an account that is in use."""
    ours = {name: float(template.defaults()[name]) for name in ("CreateRate", "ViewRate", "ThrottleRate")}
    fuse = float(template.defaults()["MaxWriteRequestUnits"])
    parameter = "a parameter, for each route by itself"
    return {
        "gateway": Quota("HTTP API, requests a second of account and region", 10_000, "Service Quotas"),
        **{name: Quota(f"`{name}`, requests a second of one route", bound, parameter) for name, bound in ours.items()},
        "functions": Quota("Lambda, functions at once of account and region", 1_000, "Service Quotas"),
        "MaxWriteRequestUnits": Quota("`MaxWriteRequestUnits`, write units a second of a table", fuse, "a parameter"),
        "new table": Quota("a new table, write units a second", 4_000, "`WarmWrites`, or half an hour of growth"),
        "table": Quota("DynamoDB, write units a second of a table", 40_000, "Service Quotas"),
        "events": Quota("EventBridge, events a second of account and region (us-east-1)", 10_000, "Service Quotas"),
        "logs": Quota("CloudWatch Logs, MB a second, no fixed bound", float("inf"), "–"),
    }


def breaks_first(rate: float) -> list[str]:
    """The bounds that so many requests a second do not fit into, the tightest first."""
    asked, bounds = demand(rate), quotas()
    over = {name: asked[name] / quota.bound for name, quota in bounds.items() if asked[name] > quota.bound}
    return sorted(over, key=lambda name: -over[name])


def dollars(rate: float) -> dict[str, float]:
    """Dollars of a day at so many requests a second, by part; storage as it is after the days that it is kept."""
    requests = rate * costs.DAY
    pushes = requests / REQUESTS
    gb_seconds = requests * costs.QUICK * float(template.defaults()["MemorySize"]) / KB
    kept = pushes * KEPT * SIZE / costs.GB
    return {
        "HTTP API": requests * prices.GATEWAY_REQUEST,
        "Lambda": requests * prices.FUNCTION_REQUEST + gb_seconds * prices.GB_SECOND,
        "Writes": pushes * sum(LIFE.values()) * prices.WRITE_UNIT,
        "Reads": requests * costs.READS * prices.READ_UNIT,
        "Logs": requests * costs.LOGGED / costs.GB * prices.LOG_GB,
        "Storage, with backups": kept * (prices.TABLE_GB_MONTH + prices.BACKUP_GB_MONTH) / costs.MONTH,
        "Sent out": requests * costs.PAGE / costs.GB * prices.TRANSFER_GB,
    }


def page() -> str:
    """docs/scale.md: the words of scale.md beside this, with the tables."""
    return TEXT.read_text().format(
        bounds=_bounds(),
        conflicts=_table(
            ["Held for, ms", "callers a second", "half wait, s", "one of 100 waits, s", "tries a view", "answered 503"],
            simulate.conflict_rows(),
        ),
        bursts=_table(
            ["Callers", "half wait, s", "the last waits, s", "tries a view", "answered 503"], simulate.burst_rows()
        ),
        lag=_table(
            ["A batch of 100 takes, s", "records a second", "of what it can", "half lag, s", "one of 100 lags, s"],
            simulate.lag_rows(),
        ),
        dollars=_dollars(),
    )


def _bounds() -> str:
    rows = [_bound(name, quota) for name, quota in quotas().items()]
    lines = [_table(["Bound", "lets pass", *(f"at {size:,}" for size in SIZES), "raised by"], rows)]
    for size in SIZES:
        over = [quotas()[name].what.partition(",")[0] for name in breaks_first(size)]
        lines.append(
            f"- **{size:,} requests a second**: " + (", then ".join(over) or "nothing stands in the way") + ".\n"
        )
    return "".join(lines[:1]) + "\n" + "".join(lines[1:])


def _dollars() -> str:
    sums = {size: dollars(size) for size in SIZES}
    rows = [(part, *(f"{sums[size][part]:,.2f}" for size in SIZES)) for part in sums[SIZES[0]]]
    total = ("**Sum**", *(f"**{sum(sums[size].values()):,.2f}**" for size in SIZES))
    return _table(["What", *(f"at {size:,}" for size in SIZES)], [*rows, total])


def _bound(name: str, quota: Quota) -> tuple[str, ...]:
    asked = [demand(size)[name] for size in SIZES]
    shown = [f"**{one:,.0f}**" if one > quota.bound else f"{one:,.1f}".removesuffix(".0") for one in asked]
    return quota.what, f"{quota.bound:,.0f}" if quota.bound < float("inf") else "–", *shown, quota.raised


def _table(head: list[str], rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
