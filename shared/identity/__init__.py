"""Authentication: API tokens, sessions and accounts."""
