"""Everything else: the gateway's own 404 has neither the API's headers nor its error body."""

from shared import api, errors


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Answer 404, whatever it is and whoever asks; but a link that something was left on leads to itself without."""
    if request.mended_link is None:
        raise errors.NotFound
    return api.moved(request.mended_link)
