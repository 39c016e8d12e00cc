"""Commands for operators: accounts, API tokens, large files, and work after a failure."""
