"""Commands for operators: accounts, API tokens, the instance key, and work after a failure."""
