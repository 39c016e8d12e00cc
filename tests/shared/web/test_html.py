import os
import subprocess
import sys

import pytest

from infra.build import template
from tests.engines import resources

VALUES: dict[str, object] = {
    "sentence": "x",
    "owner": None,
    "form_token": "",
    "path": "/",
    "locale_query": "",
    "is_refused": False,
    "place": {},
    "offers_languages": True,
}


@pytest.mark.parametrize(
    ("tag", "loaded"), [("de", "de root"), ("pt-BR", "pt pt_BR root"), ("en", "en en_001 en_GB root")]
)
def test_a_cold_start_loads_one_language(tag: str, loaded: str) -> None:
    show = (
        "from functions import pages; from shared.web import html; from babel import localedata;"
        f"html.render('refused.html', {VALUES}, '{tag}');"
        "print(*sorted(localedata._cache))"
    )
    environment = resources.environment() | {"PATH": os.environ["PATH"]}

    shown = subprocess.run(
        [sys.executable, "-c", show], cwd=template.ROOT, env=environment, capture_output=True, text=True, check=True
    )

    assert shown.stdout.strip() == loaded
