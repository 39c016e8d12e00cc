"""Create clients in Lambda's init phase, so that the first request is faster."""

import codecs
import os
from typing import Literal

from shared.aws import clients
from shared.aws.connection import connection

Service = Literal["cognito-idp", "dynamodb", "events", "s3", "secretsmanager", "sesv2", "sqs"]


def make_clients(*services: Service) -> None:
    """Create the clients for a function's most frequent calls; others are created on first use.

    Outside of Lambda this does nothing: tests and tools have no settings yet when they import a handler.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" not in os.environ:
        return
    codecs.lookup("idna")  # Python loads this codec at the first host name lookup
    for service in services:
        _ = connection().client if service == "dynamodb" else clients.client(service)
