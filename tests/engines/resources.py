"""The tests' replacement of AWS, created from the template: settings, tables, bucket, instance key."""

import os
from functools import cache
from typing import Any

import boto3

from infra.build import template

REGION = "us-east-1"
QUEUE_URL = f"https://sqs.{REGION}.amazonaws.com/123456789012/test-Removals"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": REGION}
_TABLE_SETTINGS = ("BillingMode", "AttributeDefinitions", "KeySchema")
_INDEX_SETTINGS = ("IndexName", "KeySchema", "Projection")


def environment(**changes: str) -> dict[str, str]:
    """Return the functions' variables: the parameters' defaults, and a name for each resource."""
    defaults = template.defaults()
    # What is neither text nor a plain reference is off by default.
    references = {name: value.get("Ref") for name, value in settings().items() if isinstance(value, dict)}
    variables = {name: defaults.get(one, f"test-{one}") if one else "" for name, one in references.items()}
    variables |= {name: value for name, value in settings().items() if isinstance(value, str)}
    tests_own = {"BUCKET": "test-bucket", "REMOVAL_QUEUE_URL": QUEUE_URL, "PASSPHRASE_COST": "cheapest"}
    tests_own["MAIL_REPORTS"] = "test-MailReports"
    return CREDENTIALS | variables | tests_own | changes


def settings() -> dict[str, Any]:
    return template.environment()


def build(**how: Any) -> None:
    """Create the template's resources; `how` goes to every client. Nothing here deletes items by TTL."""
    dynamodb = client("dynamodb", **how)
    for name, table in template.resources("AWS::DynamoDB::Table").items():
        wanted = {key: table[key] for key in _TABLE_SETTINGS}
        indexes = [{key: index[key] for key in _INDEX_SETTINGS} for index in table.get("GlobalSecondaryIndexes", [])]
        dynamodb.create_table(
            TableName=f"test-{name}", **wanted, **({"GlobalSecondaryIndexes": indexes} if indexes else {})
        )
    client("s3", **how).create_bucket(Bucket="test-bucket")
    client("sqs", **how).create_queue(QueueName="test-Removals")
    client("secretsmanager", **how).create_secret(Name="test-InstanceKey", SecretString="k" * 64)


def client(service: str, **how: Any) -> Any:
    own = f"AWS_ENDPOINT_URL_{service.upper()}"  # S3's, where the bucket has an address of its own (serving.py)
    return _client(service, os.environ.get(own) or os.environ.get("AWS_ENDPOINT_URL"), **how)


@cache
def _client(service: str, _endpoint: str | None, **how: Any) -> Any:
    # Kept from test to test: creating three of them takes longer than most tests.
    return boto3.client(service, region_name=REGION, **how)


def items(table: str, **how: Any) -> list[dict[str, Any]]:
    """Return every raw item of a table, by the table's logical id."""
    pages = client("dynamodb", **how).get_paginator("scan").paginate(TableName=f"test-{table}")
    return [item for page in pages for item in page["Items"]]


def object_keys() -> list[str]:
    """Return the key of every object in the bucket."""
    return [found["Key"] for found in client("s3").list_objects_v2(Bucket="test-bucket").get("Contents", [])]


def empty() -> None:
    """Delete the items and objects of earlier tests from a shared installation."""
    for name, table in template.resources("AWS::DynamoDB::Table").items():
        keys = [key["AttributeName"] for key in table["KeySchema"]]
        for item in items(name):
            client("dynamodb").delete_item(TableName=f"test-{name}", Key={key: item[key] for key in keys})
    s3 = client("s3")
    for found in s3.list_objects_v2(Bucket="test-bucket").get("Contents", []):
        s3.delete_object(Bucket="test-bucket", Key=found["Key"])


def stored() -> dict[str, int]:
    """Return the number of items in each table and of objects in the bucket."""
    if "AWS_ENDPOINT_URL" not in os.environ:
        return _stored_in_process()
    counts = {name: len(items(name)) for name in template.resources("AWS::DynamoDB::Table")}
    return counts | {"Bucket": len(object_keys())}


def _stored_in_process() -> dict[str, int]:
    # Fuzzing calls this before and after each of thousands of requests; seven calls take longer than the request.
    from moto.core.models import DEFAULT_ACCOUNT_ID
    from moto.dynamodb.models import dynamodb_backends
    from moto.s3.models import s3_backends

    tables = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables
    counts = {name: len(tables[f"test-{name}"]) for name in template.resources("AWS::DynamoDB::Table")}
    return counts | {"Bucket": len(s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets["test-bucket"].keys)}


def fill_log(push_id: str, entries: int) -> None:
    """Set the number of audit entries of a push; writing so many would take a minute."""
    set_number(push_id, "entries", entries)


def set_number(push_id: str, attribute: str, number: int) -> None:
    """Set a counter of a push."""
    client("dynamodb").update_item(
        TableName="test-Pushes",
        Key={"id": {"S": push_id}},
        UpdateExpression=f"SET {attribute} = :number",
        ExpressionAttributeValues={":number": {"N": str(number)}},
    )


def renew() -> None:
    """Make the code under test read its settings and keys again."""
    from shared.aws import cognito, keys
    from shared.identity import account_status
    from shared.runtime import settings

    for cached in (keys.version, keys.of_days, settings.current, cognito.client_secret):
        cached.cache_clear()
    keys.forget_current()
    account_status.reset()


def forget() -> None:
    """Make the code under test create its clients again, too, for another engine."""
    from shared.aws import clients
    from shared.aws.connection import connection, session

    renew()
    # A session keeps its first credentials, and moto's are invalid on another engine.
    for made in (session, clients._boto3, clients.client, clients.single_try_client):
        made.cache_clear()
    connection()._client = None


def set_environment() -> None:
    """Set exactly the functions' variables in the environment, and no other AWS variable."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ.update(environment())
