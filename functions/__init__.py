"""Lambda handlers of the API, the streams, the queues and the schedule, one module each."""

from shared.runtime import process

process.pause_garbage_collection()
