"""One module per endpoint: this list is the API."""

from shared import process

process.loading()
