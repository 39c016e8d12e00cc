"""Promise 8 as a matrix: every function's role against every action on every resource, by a policy evaluator.

test_permissions.py compares words; here IAM's own rules (moto's evaluator) decide on the policies. PROVE=1 writes the
table to docs/permissions.md; otherwise the page must match the template.
"""

import json
import re
from collections import defaultdict
from fnmatch import fnmatchcase

from moto.iam.access_control import IAMPolicy, PermissionResult

from infra.build import template
from infra.build.permissions import Permission, as_list, resource_name, statements
from tests.contract import test_permissions
from tests.contract.test_permissions import LINKS, POLLING, used, writes
from tests.doubles.fine_grained_access import ATTRIBUTES, LEADING_KEYS, RETURN_VALUES, WRITES, Access, grants, may
from tests.meters import wire_tap
from tests.meters.proof import Prove

made = test_permissions.made  # the fixture: the calls of a life in which every function did all its work

# Resources as a request names them; those in no policy belong to others and must be out of reach.
RESOURCES = {
    "dynamodb": [
        *(table + index for table in ("Pushes", "ApiTokens", "Asks") for index in ("", "/index/by_owner")),
        *(
            "Pushes/index/active_by_creation",
            "Secrets",
            "AuditEntries",
            "Secrets.StreamArn",
            "AuditEntries.StreamArn",
            "Quotas",
            "AnotherTable",
        ),
    ],
    "s3": [
        "Bucket",
        "Bucket/ID/ATTEMPT/payload",
        "Bucket/ID/ATTEMPT/list",
        "Bucket/ID/ATTEMPT/files/0",
        "Bucket/ID/ATTEMPT/files/0/STAMP",
        "Bucket/other",
        "AnotherBucket/ID/ATTEMPT/payload",
    ],
    "sqs": [
        *("Removals", "FailedRemovals", "FailedSchedules", "FailedEvents", "Mails", "FailedMails"),
        *("Notices", "FailedNotices", "AnotherQueue"),
    ],
    "ses": ["MailIdentityArn", "MailReports", "AnotherIdentity"],
    "events": ["Events", "AnotherBus"],
    "secretsmanager": ["InstanceKey", "AnotherSecret"],
    "cognito-idp": ["UserPool", "AnotherUserPool"],
}
# Besides those that any function needs.
NEEDLESS = [
    *(f"dynamodb:{action}" for action in ("GetItem", "Scan", "BatchWriteItem", "UpdateTable", "DeleteTable")),
    *(f"dynamodb:{action}" for action in ("ExportTableToPointInTime", "CreateBackup", "UpdateTimeToLive")),
    *(
        f"s3:{action}"
        for action in ("ListAllMyBuckets", "DeleteBucket", "PutBucketPolicy", "PutLifecycleConfiguration")
    ),
    *("s3:GetObjectVersion", "s3:PutObjectAcl", "sqs:PurgeQueue", "sqs:DeleteQueue", "sqs:SetQueueAttributes"),
    *(f"cognito-idp:Admin{action}" for action in ("DeleteUser", "ConfirmSignUp", "InitiateAuth", "CreateUser")),
    *(f"cognito-idp:Admin{action}" for action in ("SetUserMFAPreference", "DisableUser", "UpdateUserAttributes")),
    *(f"cognito-idp:{action}" for action in ("ListUsers", "UpdateUserPool", "UpdateUserPoolClient")),
    *(f"secretsmanager:{action}" for action in ("PutSecretValue", "DeleteSecret", "ListSecrets", "UpdateSecret")),
]


def test_a_role_allows_exactly_its_endpoint_s_needs(made: dict[str, list[wire_tap.Call]], prove: Prove) -> None:
    needs = {name: used(calls) | LINKS.get(name, set()) | POLLING.get(name, set()) for name, calls in made.items()}
    actions = sorted({action for need in needs.values() for action, _ in need}.union(NEEDLESS))
    asked = [(action, resource) for action in actions for resource in RESOURCES[action.partition(":")[0]]]

    allowed = {name: {pair for pair in asked if is_allowed(name, *pair)} for name in needs}
    needed = {name: {pair for pair in asked if covers(need, *pair)} for name, need in needs.items()}

    assert allowed == needed
    count = sum(map(len, allowed.values()))
    pairs = f"{len(allowed)} functions x {len(asked)} actions on resources"
    prove("8", "A role allows what its endpoint needs and nothing else", f"{pairs}; {count} allowed, each needed")


Touched = tuple[str, str, str, str]  # action, table, kind of key, attribute


def test_a_role_may_write_only_the_needed_keys_and_attributes(
    made: dict[str, list[wire_tap.Call]], prove: Prove
) -> None:
    """A statement that several functions share is needed if one of them needs it."""
    needed = needed_writes(made)
    accesses = [access for _, access in writes(made)]
    keys = {kind(key): key for access in accesses for key in access.context[LEADING_KEYS]} | {"other": "other"}
    attributes = {name for access in accesses for name in access.context[ATTRIBUTES]} | {"other"}
    asked = [
        (f"dynamodb:{action}", table, name, attribute)
        for action in WRITES.values()
        for table in template.resources("AWS::DynamoDB::Table")
        for name in keys
        for attribute in attributes
    ]

    for function in made:
        allowed = {
            (action, table, name, attribute)
            for action, table, name, attribute in asked
            if may(function, Access(action, table, {LEADING_KEYS: [keys[name]], ATTRIBUTES: [attribute]}))
        }
        assert allowed == needed[function], function
        for action, table, name, attribute in allowed:
            answer = {LEADING_KEYS: [keys[name]], ATTRIBUTES: [attribute], RETURN_VALUES: ["ALL_OLD"]}
            assert not may(function, Access(action, table, answer))
    touched = sum(map(len, needed.values()))
    pairs = f"{len(made)} functions x {len(asked):,} attributes under kinds of keys"
    prove("8", "A role writes only the keys and attributes that it needs", f"{pairs}; {touched} allowed, each needed")


def needed_writes(made: dict[str, list[wire_tap.Call]]) -> dict[str, set[Touched]]:
    by_statement: dict[str, set[Touched]] = defaultdict(set)
    for function, access in writes(made):
        [key] = access.context[LEADING_KEYS]
        touched = {(access.action, access.table, kind(key), name) for name in access.context[ATTRIBUTES]}
        for one in statements(function):
            if grants(one, access):
                by_statement[json.dumps(one)] |= touched
    return {name: set().union(*(by_statement[json.dumps(one)] for one in statements(name))) for name in made}


def kind(key: str) -> str:
    """Return `owner`, `lease`, `label` or the name of a quota; nothing for an id or a digest."""
    return "owner" if key.startswith("owner ") else re.sub(r"( -?\d+)? ?[0-9a-f]{64}$", "", key)


def is_allowed(function: str, action: str, resource: str) -> bool:
    written = [
        {
            "Effect": one["Effect"],
            "Action": one["Action"],
            "Resource": [*map(arn, map(resource_name, as_list(one["Resource"])))],
        }
        for one in statements(function)
    ]
    if not written:
        return False
    policy = IAMPolicy({"policy_document": json.dumps({"Version": "2012-10-17", "Statement": written})})
    return bool(policy.is_action_permitted(action, resource=arn(resource)) == PermissionResult.PERMITTED)


def arn(name: str) -> str:
    """Return an ARN. One partition is enough: no two resources of the template share a name."""
    return f"arn:aws:any:::{name}"


def covers(need: set[Permission], action: str, resource: str) -> bool:
    return any(action == wanted and fnmatchcase(resource, pattern) for wanted, pattern in need)
