"""What an operator runs: accounts, API tokens, large files, and what a deployment leaves behind."""
