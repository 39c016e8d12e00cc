"""Sealed payloads too large for a DynamoDB item, in S3."""

from shared import aws, settings


def put_payload(push_id: str, ciphertext: bytes) -> None:
    """Keep the sealed payload of a push."""
    aws.client("s3").put_object(Bucket=settings.current().bucket, Key=_payload_key(push_id), Body=ciphertext)


def get_payload(push_id: str) -> bytes:
    """The sealed payload of a push."""
    answer = aws.client("s3").get_object(Bucket=settings.current().bucket, Key=_payload_key(push_id))
    ciphertext: bytes = answer["Body"].read()
    return ciphertext


def _payload_key(push_id: str) -> str:
    return f"{push_id}/payload"
