"""GET /assets/{name}: the pages' script, word list and other assets, from our own domain."""

from pathlib import Path

from shared.web import pages, site
from shared.web.assets import TYPES


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Return a file of the assets directory, as listed when the function started."""
    name, cache_control = site.assets().resolve(request.parameter("name"))
    return pages.Asset(site.assets().content(name), TYPES[Path(name).suffix], cache_control)
