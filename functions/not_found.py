"""Everything else: the gateway's own 404 has neither the API's headers nor its error body."""

from shared import api

handler = api.endpoint(api.not_found)
