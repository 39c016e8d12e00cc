"""GET /assets/{name}: the pages' script, word list and other assets, from our own domain."""

from pathlib import Path

from shared.web import pages, site
from shared.web.assets import TYPES

_FOR_A_DAY = "public, max-age=86400"
# Browsers and crawlers ask for these without a link. The pages name their icon themselves.
_UNLINKED = {"/favicon.ico": ("", 204), "/robots.txt": ("User-agent: *\nDisallow: /\n", 200)}


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Return a file of the assets directory, as listed when the function started; or the answer for a crawler."""
    if unlinked := _UNLINKED.get(request.path):
        content, status = unlinked
        return pages.Asset(content, TYPES[".txt"], _FOR_A_DAY, status)
    name, cache_control = site.assets().resolve(request.parameter("name"))
    return pages.Asset(site.assets().content(name), TYPES[Path(name).suffix], cache_control)
