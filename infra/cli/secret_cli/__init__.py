"""A command line for the secret-sharing service."""
