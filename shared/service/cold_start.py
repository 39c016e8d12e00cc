"""What a function makes in Lambda's init phase, so that its first request need not wait for it."""

import codecs
import os
from typing import Literal

from shared.aws import clients
from shared.aws.connection import connection

Service = Literal["cognito-idp", "dynamodb", "events", "s3", "secretsmanager", "sesv2", "sqs"]


def make_clients(*services: Service) -> None:
    """Make the clients of the services that most requests of a function call; the others are made when first used.

    Outside of Lambda nothing is made: tests and tools have no settings yet when they import a handler.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" not in os.environ:
        return
    codecs.lookup("idna")  # Python loads it for the first address of a host that it looks for
    for service in services:
        _ = connection().client if service == "dynamodb" else clients.client(service)
