"""Push files of any size: declare them, then bring them to S3 directly, with a progress bar.

    python -m infra.push_file big.iso --days 1 --views 1
    python -m infra.push_file --url https://push.example.com a.zip b.zip     # the API token from PUSH_API_TOKEN

Without --url it speaks to the running local stack, with the demo account's API token.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx
from rich.progress import Progress

from infra.local import DEMO

_HALF_AN_HOUR = 1800.0


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says, and print the link."""
    chosen = _parser().parse_args(arguments)
    url, token = _target(chosen.url)
    declared = [{"filename": path.name, "size": path.stat().st_size} for path in chosen.files]
    push = {"files": declared, "expire_after_days": chosen.days, "expire_after_views": chosen.views}
    with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
        created = _checked(client.post(f"{url}/api/v2/pushes", json={"push": push})).json()
    with Progress() as progress:
        for path, upload in zip(chosen.files, created["uploads"], strict=True):
            _bring(path, upload, progress)
    print(created["html_url"])
    print(created["json_url"], file=sys.stderr)


def _bring(path: Path, upload: dict[str, Any], progress: Progress) -> None:
    """POST the form with the file as its last field; the file is read as it is sent, so memory stays flat."""
    with progress.open(path, "rb", description=path.name) as content:
        files = {"file": (path.name, content)}
        _checked(httpx.post(upload["url"], data=upload["fields"], files=files, timeout=_HALF_AN_HOUR))


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_error:
        sys.exit(f"Refused with {answer.status_code}: {answer.text[:500]}")
    return answer


def _target(url: str | None) -> tuple[str, str]:
    if url:
        if token := os.environ.get("PUSH_API_TOKEN"):
            return url.rstrip("/"), token
        sys.exit("Put the API token into the environment variable PUSH_API_TOKEN.")
    if not DEMO.exists():
        sys.exit("No local stack is running here. Start one with: make run")
    demo = json.loads(DEMO.read_text())
    return demo["base_url"], demo["api_token"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="at most 10")
    parser.add_argument("--url", help="the installation; the local stack when left out")
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--views", type=int, default=5)
    return parser


if __name__ == "__main__":
    main()
