"""All calls to AWS. Arguments and return values are domain values, never DynamoDB items.

Raises: any function may raise the SDK's errors (ClientError, BotoCoreError, PynamoDBException), Throttled or OutOfTime.
`shared/web` turns these into status 503. Docstrings list only other errors.
"""
