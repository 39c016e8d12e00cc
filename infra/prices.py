"""AWS's list prices, for infra/costs.py: dollars, us-east-1, on demand, first step of volume, no free tier.

Known as of 2025 from AWS's price pages, not asked for again since: look there before you rely on a sum.
"""

AS_OF = "2025"

DYNAMODB = "aws.amazon.com/dynamodb/pricing/on-demand"
S3 = "aws.amazon.com/s3/pricing"
LAMBDA = "aws.amazon.com/lambda/pricing"

WRITE_UNIT = 0.625e-6  # since 2024-11-01
READ_UNIT = 0.125e-6
TABLE_GB_MONTH = 0.25
BACKUP_GB_MONTH = 0.20  # point-in-time recovery
PUT = 5.0e-6  # S3 Standard; LIST costs the same
GET = 0.4e-6
BUCKET_GB_MONTH = 0.023
MESSAGE = 0.4e-6
EVENT = 1.0e-6  # EventBridge, a custom event of up to 64 KB
GATEWAY_REQUEST = 1.0e-6  # HTTP API, for each 512 KB begun
FUNCTION_REQUEST = 0.2e-6
GB_SECOND = 13.3334e-6  # arm64
LOG_GB = 0.50
USER_MONTH = 0.015  # Essentials; the first 10,000 of a month are free
TRANSFER_GB = 0.09

TABLE = [
    ("DynamoDB, a million write units", WRITE_UNIT * 1e6, DYNAMODB),
    ("DynamoDB, a million read units", READ_UNIT * 1e6, DYNAMODB),
    ("DynamoDB, storage, GB-month", TABLE_GB_MONTH, DYNAMODB),
    ("DynamoDB, point-in-time recovery, GB-month", BACKUP_GB_MONTH, DYNAMODB),
    ("S3, a million PUT or LIST", PUT * 1e6, S3),
    ("S3, a million GET", GET * 1e6, S3),
    ("S3, storage, GB-month", BUCKET_GB_MONTH, S3),
    ("SQS, a million requests", MESSAGE * 1e6, "aws.amazon.com/sqs/pricing"),
    ("EventBridge, a million events", EVENT * 1e6, "aws.amazon.com/eventbridge/pricing"),
    ("HTTP API, a million requests of 512 KB", GATEWAY_REQUEST * 1e6, "aws.amazon.com/api-gateway/pricing"),
    ("Lambda, a million requests", FUNCTION_REQUEST * 1e6, LAMBDA),
    ("Lambda on arm64, a million GB-seconds", GB_SECOND * 1e6, LAMBDA),
    ("CloudWatch Logs, GB", LOG_GB, "aws.amazon.com/cloudwatch/pricing"),
    ("Cognito Essentials, a user of a month", USER_MONTH, "aws.amazon.com/cognito/pricing"),
    ("Transfer to the internet, GB", TRANSFER_GB, "aws.amazon.com/ec2/pricing/on-demand"),
]
