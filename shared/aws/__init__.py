"""Every call to AWS. What it takes and returns are domain values, never items of DynamoDB."""
