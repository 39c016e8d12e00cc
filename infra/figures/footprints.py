"""The most that one request leaves behind, for infra/figures/costs.py; tests/contract/test_costs.py measures it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

KB = 1024
# Upper bounds for a request: seconds with and without a passphrase, bytes of logs, read units, bytes of a page.
SLOW, QUICK, LOGGED, READS, PAGE = 0.5, 0.1, 2_000, 4, 32 * KB


@dataclass(frozen=True)
class Footprint:
    """The most that one request leaves behind: write units and bytes by table, requests to S3, messages."""

    units: Mapping[str, int]
    kept: Mapping[str, int] = field(default_factory=dict)
    puts: int = 0
    gets: int = 0
    messages: int = 0


# By the rate of their routes. A create includes the end of its push: the secret loses its key, and is deleted with its
# S3 objects after the leases (a LIST, three messages). A secret has 4 KB or an object; both are counted. So is the
# check for a repeated request (another one for two minutes a day).
FOOTPRINTS = {
    "CreateRate": Footprint(
        units={"Pushes": 2 + 2, "Secrets": 8 + 8 + 4, "AuditEntries": 6, "Quotas": 2},
        kept={"Pushes": KB, "Secrets": 4 * KB, "AuditEntries": 3 * KB},
        puts=2,
        messages=3,
    ),
    # A lease of half a KB stays for a day or two; the entries stay for 91 days.
    "ViewRate": Footprint(units={"Pushes": 2, "Secrets": 2, "AuditEntries": 6}, kept={"AuditEntries": 3 * KB}, gets=1),
    "FormRate": Footprint(units={"Quotas": 4}),
}
# Without a session, an API token, a mailed token, an owner's ask or a provider's code these do nothing.
FOR_OWNERS = {
    "GET /users/sign_in/callback",
    "POST /api/v2/pushes/{url_token}/notify_emails",
    "POST /api/v2/pushes/{url_token}/notify_emails.json",
    "POST /users/token",
    "POST /users/account",
    "POST /pushes/{id}",
    "POST /asks/{id}",
    "POST /notices/{token}",
    "POST /f.json",
    "POST /r.json",
    "POST /api/v2/asks",
    "POST /a/{ask_token}",
    "POST /api/v2/asks.json",
    "DELETE /api/v2/asks/{ask_token}",
}
