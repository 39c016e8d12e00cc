"""Clients for the AWS services other than DynamoDB, made where they are first used."""

from functools import cache
from typing import Any

from shared import settings


@cache
def client(service: str) -> Any:
    """A boto3 client that gives up well before the function's own time-out does."""
    # Loaded here: boto3 and a client cost a cold start most of a second, and few endpoints need one.
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=1,
        read_timeout=2,
        retries={"mode": "standard", "total_max_attempts": 3},
        # Or S3's links would be signed the old way, and name a host that sends newer regions' visitors elsewhere.
        signature_version="s3v4" if service == "s3" else None,
        s3={"addressing_style": "virtual"},
    )
    return boto3.client(service, region_name=settings.current().region, config=config)
