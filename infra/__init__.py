"""What deploys and operates the service, but is no part of it."""
