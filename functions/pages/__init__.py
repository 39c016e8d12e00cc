"""The pages for those who would rather click, one module per page or family of forms."""

from pathlib import Path

from shared.web import site

site.set_directory(Path(__file__).parent)
