"""Compile the templates of a directory of pages to Python files next to them, with the bundle's Jinja2."""

import sys
from pathlib import Path

from shared.web import html, site


def compile_all(pages: Path) -> None:
    """Compile each template. Raises: jinja2.TemplateError, if one has a mistake."""
    site.set_directory(pages)
    compiled = pages / html.COMPILED
    html.environment(pages).compile_templates(compiled, zip=None, ignore_errors=False)


if __name__ == "__main__":
    compile_all(Path(sys.argv[1]))
