"""What only an operator's credentials show of an installation: `make verify … STACK=name`. It only reads."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import boto3

from infra.build import conditions, template
from infra.operator import installation
from shared.domain import digests
from tests.verify.installation import Installation

_STREAMS = ("ScheduleRemoval", "PublishEvents")
_WORKERS = (*_STREAMS, "RemoveObjects", "SendMail", "SendNotice", "NoteMailReturn")
_RECENT = timedelta(minutes=15)
_LATE = 120_000  # milliseconds; what a run of `make verify` wrote is read within seconds
_PROVIDER = "Oidc"  # its name in the user pool
_DEAD_LETTERS = "Failed"  # what the names of dead-letter queues start with


class Stack(NamedTuple):
    """A deployed stack: names, ARNs or URLs of its resources by logical id, and its parameters."""

    name: str
    ids: Mapping[str, str]
    parameters: Mapping[str, str]


class Claim(NamedTuple):
    """A claim about a stack, and the function that finds its violations."""

    text: str
    faults: Callable[[Stack], Iterable[str]]


def find(name: str) -> Stack:
    """Find a stack in the region that is set. Exits where there is no region, no valid credential, or no such stack."""
    installation.use_region()
    installation.print_account(name)
    ids = installation.find_resources(name)
    [stack] = boto3.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
    given = {one["ParameterKey"]: one["ParameterValue"] for one in stack.get("Parameters", [])}
    return Stack(name, ids, template.defaults() | given)


def late_streams(stack: Stack) -> Iterator[str]:
    """Yield each stream with old unread records: no file is removed, or no event and no mail goes out."""
    for function in _STREAMS:
        age = _metric("AWS/Lambda", "IteratorAge", "Maximum", FunctionName=stack.ids[function])
        if age > _LATE:
            yield f"{function} is {age / 1000:.0f} s behind"


def failing_workers(stack: Stack) -> Iterator[str]:
    """Yield each background function that crashed, and the amount of work that failed and will be retried."""
    for function in _WORKERS:
        if function in stack.ids:
            crashes = _metric("AWS/Lambda", "Errors", "Sum", FunctionName=stack.ids[function])
            if crashes:
                yield f"{function} crashed {crashes:.0f} times"
    if failed := _metric(stack.name, "WorkFailed", "Sum"):
        yield f"{failed:.0f} records or messages failed"


def dead_letters(stack: Stack) -> Iterator[str]:
    """Yield each dead-letter queue with messages."""
    sqs = boto3.client("sqs")
    for name in (one for one in template.resources("AWS::SQS::Queue") if one.startswith(_DEAD_LETTERS)):
        if name in stack.ids:
            asked = {"QueueUrl": stack.ids[name], "AttributeNames": ["ApproximateNumberOfMessages"]}
            number = sqs.get_queue_attributes(**asked)["Attributes"]["ApproximateNumberOfMessages"]
            if int(number):
                yield f"{name} has {number}"


def firing_alarms(stack: Stack) -> Iterator[str]:
    """Yield the name of each firing alarm."""
    alarms = {stack.ids[name]: name for name in template.resources("AWS::CloudWatch::Alarm") if name in stack.ids}
    pages = boto3.client("cloudwatch").get_paginator("describe_alarms").paginate(AlarmNames=list(alarms))
    found = (one for page in pages for one in page["MetricAlarms"])
    yield from (alarms[one["AlarmName"]] for one in found if one["StateValue"] == "ALARM")


def unconfirmed_mail(stack: Stack) -> Iterator[str]:
    """Yield a fault if nobody gets the alarms' mails."""
    if stack.parameters["AlarmTopicArn"]:
        return
    pages = boto3.client("sns").get_paginator("list_subscriptions_by_topic").paginate(TopicArn=stack.ids["AlarmTopic"])
    if not any(one["SubscriptionArn"].startswith("arn:") for page in pages for one in page["Subscriptions"]):
        yield "AlarmMail is empty, or nobody has confirmed AWS's first mail"


def unsafe_tables(stack: Stack) -> Iterator[str]:
    """Yield each table that lacks the template's TTL, point-in-time recovery or deletion protection."""
    dynamodb = boto3.client("dynamodb")
    wanted = conditions.resolve(template.load(), stack.parameters)["Resources"]
    for name in template.resources("AWS::DynamoDB::Table"):
        table, asked = wanted[name]["Properties"], {"TableName": stack.ids[name]}
        ttl = dynamodb.describe_time_to_live(**asked)["TimeToLiveDescription"]
        if ttl["TimeToLiveStatus"] not in ("ENABLED", "ENABLING"):
            yield f"{name} has no TTL"
        backups = dynamodb.describe_continuous_backups(**asked)["ContinuousBackupsDescription"]
        recovery = backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
        if table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] and recovery != "ENABLED":
            yield f"{name} has no point-in-time recovery"
        described = dynamodb.describe_table(**asked)["Table"]
        if table.get("DeletionProtectionEnabled") and not described.get("DeletionProtectionEnabled"):
            yield f"{name} may be deleted"


def missing_access_log(stack: Stack) -> Iterator[str]:
    """Yield a fault if the gateway writes no lines: its resource policy may not have fitted into the account's."""
    found = boto3.client("logs").describe_log_streams(logGroupName=stack.ids["AccessLogs"], limit=1)
    if not found["logStreams"]:
        yield "it has none"


def unprotected_accounts(stack: Stack) -> Iterator[str]:
    """Yield a fault if the user pool may be deleted although DeletionProtection is on."""
    if stack.parameters["DeletionProtection"] == "true":
        pool = boto3.client("cognito-idp").describe_user_pool(UserPoolId=stack.ids["UserPool"])["UserPool"]
        if pool.get("DeletionProtection") != "ACTIVE":
            yield "the user pool may be deleted"


def open_hosted_pages(stack: Stack) -> Iterator[str]:
    """App clients for which Cognito's domain, if there is one, publishes pages of its own to sign up and sign in."""
    cognito, pool = boto3.client("cognito-idp"), {"UserPoolId": stack.ids["UserPool"]}
    for page in cognito.get_paginator("list_user_pool_clients").paginate(**pool):
        for one in page["UserPoolClients"]:
            client = cognito.describe_user_pool_client(**pool, ClientId=one["ClientId"])["UserPoolClient"]
            providers = client.get("SupportedIdentityProviders", ["COGNITO"])
            if client.get("AllowedOAuthFlows") and providers != [_PROVIDER]:
                yield f"{client['ClientName']} offers {', '.join(providers)}"


def kept_keys(owner: Installation, stack: Stack) -> Iterator[str]:
    """Yield a fault if the key of a push is still stored after its last view."""
    url_token = owner.push("s3cret", expire_after_views=1)
    owner.retrieve(url_token)
    key = {"id": {"S": digests.digest(url_token)}}
    found = boto3.client("dynamodb").get_item(TableName=stack.ids["Secrets"], Key=key, ConsistentRead=True)
    if "wrapped_key" in found.get("Item", {}):
        yield "the item in Secrets still has its wrapped key"


def claims(owner: Installation) -> list[Claim]:
    """Return all claims; the first makes a push, which `owner` ends with its others."""
    return [
        Claim("the last view of a push destroys its key", lambda stack: kept_keys(owner, stack)),
        Claim("both streams are read within two minutes", late_streams),
        Claim("no background work failed in the last quarter of an hour", failing_workers),
        Claim("the dead-letter queues are empty", dead_letters),
        Claim("no alarm fires", firing_alarms),
        Claim("somebody hears of alarms", unconfirmed_mail),
        Claim("the tables have TTL, recovery and protection as deployed", unsafe_tables),
        Claim("the access log has lines", missing_access_log),
        Claim("the accounts are protected as deployed", unprotected_accounts),
        Claim("no app client opens Cognito's own sign-up page", open_hosted_pages),
    ]


def _metric(namespace: str, name: str, statistic: str, **dimensions: str) -> float:
    """Return the largest value, or the sum, of a metric in the last quarter of an hour; 0 where there is none."""
    now = datetime.now(UTC)
    found = boto3.client("cloudwatch").get_metric_statistics(
        Namespace=namespace,
        MetricName=name,
        Dimensions=[{"Name": key, "Value": value} for key, value in dimensions.items()],
        StartTime=now - _RECENT,
        EndTime=now,
        Period=60,
        Statistics=[statistic],
    )
    values: list[Any] = [one[statistic] for one in found["Datapoints"]]
    return float(max(values, default=0) if statistic == "Maximum" else sum(values))
