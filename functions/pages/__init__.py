"""Lambda handlers of the pages, one module per page or family of forms."""

from pathlib import Path

from shared.web import site

site.set_directory(Path(__file__).parent)
