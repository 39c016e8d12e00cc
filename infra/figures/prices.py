"""AWS's list prices, for infra/figures/costs.py: dollars, us-east-1, on demand, first step of volume, no free tier.

Compared in November 2026 with quotes of AWS's price list in public repositories, because AWS's own pages load prices by
script. The dates are those of the list.
"""

from typing import NamedTuple

AS_OF = "September 2026"
DAY = 86_400  # seconds
MONTH = 30  # days
GB, MILLION = 1024**3, 1_000_000

DYNAMODB = "aws.amazon.com/dynamodb/pricing/on-demand"
S3 = "aws.amazon.com/s3/pricing, 2026-09-18"
LAMBDA = "aws.amazon.com/lambda/pricing, 2026-09-19"
CLOUDWATCH = "aws.amazon.com/cloudwatch/pricing, 2026-09-22"
LISTED = ", 2026-09-11"
UNDATED = ", of 2025: not found with a date for this region"

# Above the table.
ABOUT = """\
A date is the date of AWS's public price list with this price for us-east-1, as quoted by public repositories that read
the list by its API. AWS's own pages load prices by script, and we could not check them: do so before you rely on a
sum."""

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
USER_MONTH = 0.0055  # Lite; the first 10,000 of a month are free
PROVIDER_USER_MONTH = 0.015  # by OIDC or SAML, in every tier; the first 50 of a month are free
TRANSFER_GB = 0.09
METRIC_MONTH = 0.30  # custom, by name and dimensions; billed for the hours in which it gets values
ALARM_METRIC_MONTH = 0.10  # a metric of an alarm with a period of a minute or more
DASHBOARD_MONTH = 3.0
MAIL = 0.1e-3
SCANNED_GB = 0.005  # CloudWatch Logs Insights
SECRET_MONTH = 0.40
WEB_ACL_MONTH, RULE_MONTH = 5.0, 1.0
FIREWALL_REQUEST = 0.6e-6
CLOUDFRONT_REQUEST = 1.0e-6  # HTTPS, North America and Europe

TABLE = [
    ("DynamoDB, a million write units", WRITE_UNIT * 1e6, DYNAMODB + LISTED),
    ("DynamoDB, a million read units", READ_UNIT * 1e6, DYNAMODB + LISTED),
    ("DynamoDB, storage, GB-month", TABLE_GB_MONTH, DYNAMODB + LISTED),
    ("DynamoDB, point-in-time recovery, GB-month", BACKUP_GB_MONTH, DYNAMODB + UNDATED),
    ("S3, a million PUT or LIST", PUT * 1e6, S3),
    ("S3, a million GET", GET * 1e6, S3),
    ("S3, storage, GB-month", BUCKET_GB_MONTH, S3),
    ("SQS, a million requests", MESSAGE * 1e6, "aws.amazon.com/sqs/pricing" + UNDATED),
    ("EventBridge, a million events", EVENT * 1e6, "aws.amazon.com/eventbridge/pricing" + UNDATED),
    ("HTTP API, a million requests of 512 KB", GATEWAY_REQUEST * 1e6, "aws.amazon.com/api-gateway/pricing, 2026-09-21"),
    ("Lambda, a million requests", FUNCTION_REQUEST * 1e6, LAMBDA),
    ("Lambda on arm64, a million GB-seconds", GB_SECOND * 1e6, LAMBDA),
    ("CloudWatch Logs, GB", LOG_GB, CLOUDWATCH),
    ("Cognito Lite, a user of a month", USER_MONTH, "aws.amazon.com/cognito/pricing, 2026-09-20"),
    ("Cognito, a user of a month by OIDC", PROVIDER_USER_MONTH, "aws.amazon.com/cognito/pricing, 2026-09-06"),
    ("Transfer to the internet, GB", TRANSFER_GB, "aws.amazon.com/ec2/pricing/on-demand, 2026-09-16"),
    ("SES, a thousand mails", MAIL * 1e3, "aws.amazon.com/ses/pricing" + UNDATED),
    ("CloudWatch, a metric of our own, month", METRIC_MONTH, "aws.amazon.com/cloudwatch/pricing" + UNDATED),
    ("CloudWatch, a metric of an alarm, month", ALARM_METRIC_MONTH, CLOUDWATCH),
    ("CloudWatch, a dashboard, month", DASHBOARD_MONTH, "aws.amazon.com/cloudwatch/pricing" + UNDATED),
    ("CloudWatch Logs Insights, GB read", SCANNED_GB, "aws.amazon.com/cloudwatch/pricing" + UNDATED),
    ("AWS WAF, a web ACL, month", WEB_ACL_MONTH, "aws.amazon.com/waf/pricing" + UNDATED),
    ("AWS WAF, a rule, month", RULE_MONTH, "aws.amazon.com/waf/pricing" + UNDATED),
    ("AWS WAF, a million requests", FIREWALL_REQUEST * 1e6, "aws.amazon.com/waf/pricing" + UNDATED),
    ("CloudFront, a million requests", CLOUDFRONT_REQUEST * 1e6, "aws.amazon.com/cloudfront/pricing" + UNDATED),
    ("Secrets Manager, a secret, month", SECRET_MONTH, "aws.amazon.com/secrets-manager/pricing, September 2026"),
]


class Line(NamedTuple):
    """A row of a cost table."""

    what: str
    how: str
    dollars: float
