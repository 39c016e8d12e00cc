"""Clients for the AWS services other than DynamoDB, made where they are first used."""

from functools import cache
from typing import Any

from shared import deadline, settings


@cache
def client(service: str, *, is_impatient: bool = False) -> Any:
    """A boto3 client that gives up before the function's time is over; an impatient one, after one short try."""
    # Loaded here: boto3 and a client cost a cold start most of a second, and few endpoints need one.
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=deadline.CONNECT_TIMEOUT / 2 if is_impatient else deadline.CONNECT_TIMEOUT,
        read_timeout=deadline.READ_TIMEOUT / 2 if is_impatient else deadline.READ_TIMEOUT,
        retries={"mode": "standard", "total_max_attempts": 1 if is_impatient else deadline.TRIES},
        # Without these, S3's links would be signed the old way and name a host that redirects in newer regions.
        signature_version="s3v4" if service == "s3" else None,
        s3={"addressing_style": "virtual"},
    )
    service_client = boto3.client(service, region_name=settings.current().region, config=config)
    service_client.meta.events.register_first("before-send.*.*", deadline.check)
    return service_client
