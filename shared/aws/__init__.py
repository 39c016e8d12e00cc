"""Every call to AWS. What it takes and returns are domain values, never items of DynamoDB.

Raises: any function here may raise what AWS or the SDK raises (ClientError, BotoCoreError, PynamoDBException), or
Throttled or OutOfTime. The edges turn these into a 503. Docstrings list only what is raised beside these.
"""
