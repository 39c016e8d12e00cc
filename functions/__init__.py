"""One module per endpoint: this list is the API."""

from shared.runtime import process

process.pause_garbage_collection()
