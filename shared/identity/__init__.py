"""Who asks: API tokens, sessions and accounts."""
