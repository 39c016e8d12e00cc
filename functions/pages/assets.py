"""GET /assets/{name}: the script of the sender's form and what it asks for, from our own domain."""

from pathlib import Path

from shared.web import pages, site
from shared.web.assets import TYPES


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Answer with a file of the list that was made when the function started."""
    name, cache_control = site.assets().resolve(request.parameter("name"))
    return pages.Asset(site.assets().content(name), TYPES[Path(name).suffix], cache_control)
