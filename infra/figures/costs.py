"""Generate docs/costs.md: the highest daily cost that strangers can cause, from the template's defaults.

Every number is an upper bound: each route busy all day at its full rate, with its most expensive request. footprints.py
has the data that a request leaves behind (measured by tests/contract/test_costs.py), prices.py the prices.
"""

from collections.abc import Callable, Iterator

from infra.build import template
from infra.figures import monitoring_costs, prices, provider_costs
from infra.figures.footprints import FOOTPRINTS, FOR_OWNERS, KB, LOGGED, PAGE, QUICK, READS, SLOW, Footprint
from infra.figures.prices import DAY, GB, MILLION, MONTH, Line
from shared.domain.limits import MAX_CODES_FROM_SOURCE, MAX_MAILS, MAX_NOTICES

LIFE = 90  # days, the longest life of a push
VIEWS = 100  # the most views of a push
ITEM_OVERHEAD = 100  # bytes that DynamoDB adds to each stored item
BACKED_UP = {"Pushes", "AuditEntries"}
LARGEST = 12  # times 512 KB in the largest create request or retrieve response: Lambda takes 6 MB


def retained_costs() -> list[Line]:
    """Return the costs of data left by anonymous requests: writes, storage, requests to S3."""
    tables = sorted({table for leaves in FOOTPRINTS.values() for table in leaves.units})
    puts, gets = _total(lambda leaves: leaves.puts), _total(lambda leaves: leaves.gets)
    messages = _total(lambda leaves: leaves.messages)
    size = _default("DailyAnonymousBytes") / GB
    return [
        *map(_writes, tables),
        *(line for line in map(_storage, tables) if line.dollars),
        Line("Requests to S3", f"{_millions(puts)} PUT and LIST, {_millions(gets)} GET", _s3(puts, gets)),
        Line("Messages of removals", _millions(messages), messages * prices.MESSAGE),
        Line(
            "Storage in S3", f"{size:,.1f} GB for {LIFE + 1} days", size * prices.BUCKET_GB_MONTH * (LIFE + 1) / MONTH
        ),
    ]


def request_costs() -> list[Line]:
    """Return the costs of the requests themselves."""
    small = sum(_a_day(rate) for rate in _rates().values() if rate not in ("CreateRate", "ViewRate"))
    large = sum(_a_day(rate) for rate in _rates().values()) - small
    count = small + large
    gb_seconds = _gb_seconds(small * QUICK + large * SLOW)
    events = _total(lambda leaves: "AuditEntries" in leaves.units)
    users = _a_day("FormRate")
    return [
        Line(
            "HTTP API",
            f"{_millions(small)}, and {_millions(large)} of 6 MB",
            (small + LARGEST * large) * prices.GATEWAY_REQUEST,
        ),
        Line(
            "Lambda",
            f"{_millions(small)} of {QUICK} s, {_millions(large)} of {SLOW} s",
            count * prices.FUNCTION_REQUEST + gb_seconds * prices.GB_SECOND,
        ),
        Line(
            "Events, each in a batch of its own",
            f"{_millions(events)}, published in {QUICK} s",
            events * (prices.EVENT + prices.FUNCTION_REQUEST) + _gb_seconds(events * QUICK) * prices.GB_SECOND,
        ),
        Line("Reads", f"{READS} units each", count * READS * prices.READ_UNIT),
        Line("Logs", f"{LOGGED:,} bytes each", count * LOGGED / GB * prices.LOG_GB),
        Line("Cognito", f"{users:,.0f} sign-ups, without another limit", users * prices.USER_MONTH),
    ]


def download_costs() -> list[Line]:
    """Return the costs of transfer: pages and responses to anybody."""
    pages = sum(_a_day(rate) for rate in _rates().values()) * PAGE / GB
    payloads = _default("DailyAnonymousBytes") * VIEWS / GB
    return [
        Line("Pages, assets and short answers", f"{pages:,.0f} GB, {PAGE // KB} KB each", pages * prices.TRANSFER_GB),
        Line("Anonymous payloads over 3 KB", f"{payloads:,.0f} GB, {VIEWS} views each", payloads * prices.TRANSFER_GB),
    ]


def account_costs() -> list[Line]:
    """What somebody does on one day with all the accounts that one address can make on a day."""
    made = MAX_CODES_FROM_SOURCE * 24
    files = made * _default("DailyFileBytes") / GB
    mails, later, notices = made * _default("FirstDayMails"), made * MAX_MAILS, made * MAX_NOTICES
    return [
        Line("Accounts of one address", f"{made} sign-ups, a code each", made * (prices.USER_MONTH + prices.MAIL)),
        Line("Mails with links, on their first day", f"{mails:,.0f}", mails * prices.MAIL),
        Line("Mails with links, on a later day", f"{later:,}", later * prices.MAIL),
        Line("Notices of views", f"{notices:,}", notices * prices.MAIL),
        Line(
            "Their files, kept",
            f"{files:,.0f} GB for {LIFE + 1} days",
            files * prices.BUCKET_GB_MONTH * (LIFE + 1) / MONTH,
        ),
        Line("Their files, sent", f"{files * VIEWS:,.0f} GB, once a view", files * VIEWS * prices.TRANSFER_GB),
    ]


def _gb_seconds(seconds: float) -> float:
    return seconds * _default("MemorySize") / KB


def _writes(table: str) -> Line:
    units, passing = _units(table)
    blown = f", `MaxWriteRequestUnits` lets {_millions(passing)} pass" if passing < units else ""
    return Line(f"Writes to {table}", f"{_millions(units)} units{blown}", passing * prices.WRITE_UNIT)


def _units(table: str) -> tuple[float, float]:
    """Return the write units requested in a day, and those that `MaxWriteRequestUnits` lets pass."""
    units = _total(lambda leaves: leaves.units.get(table, 0))
    return units, min(units, _default("MaxWriteRequestUnits") * DAY or units)


def _storage(table: str) -> Line:
    units, passing = _units(table)
    size = _total(lambda leaves: leaves.kept[table] + ITEM_OVERHEAD if table in leaves.kept else 0) / GB
    size *= passing / units  # throttled writes are not stored
    days = LIFE + int(template.environment()["ANONYMOUS_RETENTION_DAYS"])
    price = prices.TABLE_GB_MONTH + (prices.BACKUP_GB_MONTH if table in BACKED_UP else 0)
    return Line(f"Storage of {table}", f"{size:,.1f} GB for {days:.0f} days", size * price * days / MONTH)


def _s3(puts: float, gets: float) -> float:
    return puts * prices.PUT + gets * prices.GET


def _total(of: Callable[[Footprint], int]) -> float:
    """Return the footprint of a day of all routes that need no account."""
    anonymous = [rate for route, rate in _rates().items() if route not in FOR_OWNERS]
    return sum(_a_day(rate) * of(FOOTPRINTS[rate]) for rate in anonymous if rate in FOOTPRINTS)


def _rates() -> dict[str, str]:
    """Return the rate parameter of each route."""
    api = template.resources("AWS::Serverless::HttpApi")["Api"]
    own = {route: setting["ThrottlingRateLimit"]["Ref"] for route, setting in api["RouteSettings"].items()}
    return {route.key: own.get(route.key, "ThrottleRate") for route in template.routes()}


def _a_day(rate: str) -> float:
    return _default(rate) * DAY


def _default(parameter: str) -> float:
    return float(template.defaults()[parameter])


def _millions(number: float) -> str:
    return f"{number / MILLION:,.1f} million"


def page() -> str:
    """Return docs/costs.md."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield from _INTRODUCTION.format(
        **{name: f"{_default(name):,.0f}" for name in _SHOWN}, as_of=prices.AS_OF
    ).splitlines()
    yield from _section("Data left by anonymous requests", retained_costs())
    yield from _section("The requests themselves", request_costs())
    yield from _section("Transfer", download_costs())
    yield from _section("What account holders can cost", account_costs(), about=_OF_ACCOUNTS)
    yield from _section(
        "Monitoring and queues, by month", monitoring_costs.base_costs(), "in a month", monitoring_costs.ABOUT
    )
    yield from _section("CloudFront, by month", monitoring_costs.front_costs(), "in a month")
    yield from _section("The probe, by month", monitoring_costs.probe_costs(), "in a month")
    yield from _section(
        "Sign-in by a provider, by month", provider_costs.provider_costs(), "in a month", provider_costs.ABOUT
    )
    yield from ["", "## Prices", "", *prices.ABOUT.splitlines(), "", "| What | Dollars | Source |", "|---|---|---|"]
    yield from (f"| {what} | {dollars:,.4g} | {source} |" for what, dollars, source in prices.TABLE)
    yield ""


def _section(title: str, lines: list[Line], when: str = "on a day", about: str = "") -> list[str]:
    rows = [f"| {line.what} | {line.how} | {line.dollars:,.2f} |" for line in lines]
    total = f"| **Sum** | | **{sum(line.dollars for line in lines):,.2f}** |"
    words = [*about.splitlines(), ""] if about else []
    return ["", f"## {title}", "", *words, f"| What | How much {when} | Dollars |", "|---|---|---|", *rows, total]


_SHOWN = ("CreateRate", "ViewRate", "FormRate", "ThrottleRate", "MaxWriteRequestUnits")
_INTRODUCTION = """\
# What strangers can cost

Generated from the template's defaults by `make docs`. Each number is an upper bound:
every route busy all day at its full rate (requests a second: CreateRate {CreateRate}, ViewRate {ViewRate}, FormRate
{FormRate}, elsewhere ThrottleRate {ThrottleRate}, for each route), with its most expensive request. AWS treats
throttles and `MaxWriteRequestUnits` ({MaxWriteRequestUnits} a second for each table) as targets, not as exact limits.
Stored data is counted for its whole life: 90 days, and the record a day more.
Prices are those of us-east-1, on demand, as of {as_of}, without the free tier.

The service limits the first sum. The others depend on the rates alone: lower the rates, put AWS WAF or CloudFront
in front of the API, and set an AWS Budget. A link to a file works for five minutes, for any number of downloads: no
limit applies to them. Only CreateRate limits an owner's payloads over 3 KB."""
_OF_ACCOUNTS = """\
With `SignUp`, anybody creates accounts: 20 an hour from one IPv4 address or IPv6 /64. One account costs its share of
each line. `DailyFileBytes`, `FirstDayMails` and `SignUp` bound them. An address gets 20 mails with links a day,
whoever sends them."""
