"""Clients for AWS services other than DynamoDB, created on first use."""

from functools import cache
from typing import Any

from shared.aws.connection import session
from shared.runtime import deadline, settings


@cache
def client(service: str) -> Any:
    """Return a boto3 client with timeouts shorter than the invocation's time."""
    return _create_client(service, deadline.CONNECT_TIMEOUT, deadline.READ_TIMEOUT, deadline.TRIES)


@cache
def single_try_client(service: str) -> Any:
    """Return a client with one short try, for non-critical calls."""
    return _create_client(service, deadline.CONNECT_TIMEOUT / 2, deadline.READ_TIMEOUT / 2, 1)


def _create_client(service: str, connect_timeout: float, read_timeout: float, tries: int) -> Any:
    from botocore.config import Config

    config = Config(
        connect_timeout=connect_timeout,
        read_timeout=read_timeout,
        retries={"mode": "standard", "total_max_attempts": tries},
        # Without these, S3's links would use an old signature and a host that redirects in newer regions.
        signature_version="s3v4" if service == "s3" else None,
        s3={"addressing_style": "virtual"},
    )
    return _boto3().client(service, region_name=settings.current().region, config=config)


@cache
def _boto3() -> Any:
    # loaded here: importing boto3 slows a cold start, and not every endpoint needs it
    import boto3

    return boto3.Session(botocore_session=session())
