"""GET /assets/{name}: the style sheets and the script of the pages, from our own domain."""

from functools import cache
from pathlib import Path

from shared.domain import errors
from shared.web import pages

ASSETS = Path(__file__).parent / "assets"
TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
NAMES = {path.name for path in ASSETS.iterdir()}


@pages.for_nobody
def handler(request: pages.Request) -> pages.Answer:
    """Answer with a file of the list that was made when the function started."""
    name = request.parameter("name")
    if name not in NAMES:
        raise errors.NotFound
    return pages.Document(_content(name), TYPES[Path(name).suffix], "public, max-age=3600")


@cache
def _content(name: str) -> str:
    return (ASSETS / name).read_text()
