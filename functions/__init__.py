"""One module per endpoint: this list is the API."""
