"""What one request leaves behind at most, for infra/costs.py; tests/contract/test_costs.py measures it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

KB = 1024


@dataclass(frozen=True)
class Leaves:
    """What one request leaves behind at most: write units and bytes by table, requests to S3, messages."""

    units: Mapping[str, int]
    kept: Mapping[str, int] = field(default_factory=dict)
    puts: int = 0
    gets: int = 0
    messages: int = 0


# By the rate of their routes. A create is charged for the end of its push as well, which comes once: the secret goes,
# and what it had in S3 (a LIST, three messages). A secret has 8 KB or an object; both are charged.
LEAVES = {
    "CreateRate": Leaves(
        units={"Pushes": 2, "Secrets": 16 + 16, "AuditEntries": 6, "Quotas": 1},
        kept={"Pushes": KB, "Secrets": 8 * KB, "AuditEntries": 3 * KB},
        puts=2,
        messages=3,
    ),
    "ViewRate": Leaves(units={"Pushes": 2, "Secrets": 1, "AuditEntries": 6}, kept={"AuditEntries": 3 * KB}, gets=1),
    "FormRate": Leaves(units={"Quotas": 4}),
}
# Without a session or an API token these do nothing.
FOR_OWNERS = {"POST /users/token", "POST /pushes/{id}", "POST /f.json", "POST /r.json"}
