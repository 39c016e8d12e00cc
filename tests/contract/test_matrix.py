"""Promise 8 as a matrix: every function's role against every action on every resource, decided by a policy evaluator.

test_permissions.py compares words; here IAM's own rules (moto's evaluator) say what the policies allow. PROVE=1 writes
the table into docs/permissions.md; without it, the page must be as the template has it.
"""

import json
from fnmatch import fnmatchcase

import pytest
from moto.iam.access_control import IAMPolicy, PermissionResult

from infra.build.permissions import Permission, as_list, resource_name, statements
from tests.contract import test_permissions
from tests.contract.test_permissions import LINKS, POLLING, used
from tests.meters import wire_tap
from tests.meters.proof import Prove

made = test_permissions.made  # the fixture: the calls of a life in which every function did all it does

# Resources as a request names them; what stands in no policy is another's, and out of everybody's reach.
RESOURCES = {
    "dynamodb": [
        *(table + index for table in ("Pushes", "ApiTokens") for index in ("", "/index/by_owner")),
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
# Beside those that any function needs.
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


@pytest.mark.prove
def test_a_role_allows_what_its_endpoint_needs_and_nothing_else(
    made: dict[str, list[wire_tap.Call]], prove: Prove
) -> None:
    needs = {name: used(calls) | LINKS.get(name, set()) | POLLING.get(name, set()) for name, calls in made.items()}
    actions = sorted({action for need in needs.values() for action, _ in need}.union(NEEDLESS))
    asked = [(action, resource) for action in actions for resource in RESOURCES[action.partition(":")[0]]]

    allowed = {name: {pair for pair in asked if is_allowed(name, *pair)} for name in needs}
    needed = {name: {pair for pair in asked if covers(need, *pair)} for name, need in needs.items()}

    assert allowed == needed
    count = sum(map(len, allowed.values()))
    pairs = f"{len(allowed)} functions x {len(asked)} actions on resources"
    prove("8", "A role allows what its endpoint needs and nothing else", f"{pairs}; {count} allowed, each needed")


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
    """One partition of names will do: two resources of the template never share one."""
    return f"arn:aws:any:::{name}"


def covers(need: set[Permission], action: str, resource: str) -> bool:
    return any(action == wanted and fnmatchcase(resource, pattern) for wanted, pattern in need)
