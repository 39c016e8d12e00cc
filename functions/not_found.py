"""Everything else: the gateway's own 404 has neither the API's headers nor its error body."""

from typing import NoReturn

from shared import api, errors


@api.endpoint
def handler(_request: api.Request) -> NoReturn:
    """Answer 404, whatever it is and whoever asks."""
    raise errors.NotFound
