"""Compile the templates of a directory of pages into Python, beside them. The bundle has its own Jinja2 do it."""

import sys
from pathlib import Path

from shared.web import html, site


def compile_all(pages: Path) -> None:
    """Compile each template, or fail at a mistake in one."""
    site.set_directory(pages)
    compiled = pages / html.COMPILED
    html.environment(pages).compile_templates(compiled, zip=None, ignore_errors=False)


if __name__ == "__main__":
    compile_all(Path(sys.argv[1]))
