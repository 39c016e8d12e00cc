"""Push files of any size: declare them, then upload them to S3 directly, with a progress bar.

    python -m infra.operator.push_file big.iso --days 1 --views 1
    python -m infra.operator.push_file --url https://push.example.com a.zip b.zip   # API token: PUSH_API_TOKEN

Without --url it uses the running local stack and the demo account's API token. It retries requests for a while: the
create with the same Idempotency-Key, so that there is one push, a file with the same form. Exit status: 0 for success,
1 for a rejected or failed upload, 2 for wrong arguments, before anything is sent.
"""

import argparse
import html
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from rich.progress import Progress

from infra.local import DEMO
from infra.operator import http_retry, push_arguments
from shared.domain import idempotency

_TIMEOUT = httpx.Timeout(30)
_UPLOAD_TIMEOUT = httpx.Timeout(60, read=300)  # read: seconds without progress, not those of a whole upload
_INTERRUPTED = 130  # as in shells: 128 and the signal's number

Created = dict[str, Any]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and print the link."""
    options = push_arguments.parse(__doc__, arguments)
    url, token = _target(options.url)
    try:
        with _client(token) as client:
            created = _create(client, f"{url}/api/v2/pushes", options)
            try:
                _bring_all(options.files, created["uploads"])
            except BaseException:
                _end(client, f"{url}/api/v2/pushes/{created['url_token']}")
                raise
    except OSError as error:  # a file that was removed or changed after the arguments were checked
        sys.exit(f"{error.filename}: {error.strerror or error}.")
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(_INTERRUPTED)
    print(created["html_url"])
    print(created["json_url"], file=sys.stderr)


def _client(token: str) -> httpx.Client:
    try:
        return httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=_TIMEOUT)
    except (ValueError, httpx.InvalidURL) as error:
        sys.exit(f"The proxy set in the environment cannot be used: {error}.")


def _create(client: httpx.Client, endpoint: str, options: argparse.Namespace) -> Created:
    declared = [{"filename": path.name, "size": path.stat().st_size} for path in options.files]
    push = {"files": declared, "expire_after_days": options.days, "expire_after_views": options.views}
    key = {"Idempotency-Key": idempotency.new_key()}  # one for this run: a retry creates no second push
    answer = _send(f"{endpoint} cannot be reached", lambda: client.post(endpoint, json={"push": push}, headers=key))
    document = _document(answer)
    if answer.status_code != httpx.codes.CREATED:
        sys.exit(f"{endpoint} refused with {answer.status_code}: {_sentence(answer.status_code, document)}")
    if not _is_created(document, len(declared)):
        sys.exit(f"{endpoint} did not respond like this API. Is the URL the installation's own?")
    created: Created = document
    return created


def _bring_all(paths: list[Path], uploads: list[dict[str, Any]]) -> None:
    with Progress() as progress:
        for path, upload in zip(paths, uploads, strict=True):
            _bring(path, upload, progress)


def _bring(path: Path, upload: dict[str, Any], progress: Progress) -> None:
    """POST the form with the file as its last field. The file is streamed, so memory use stays flat.

    The form can be sent many times, so a failed upload starts again.
    """
    task = progress.add_task(path.name)

    def send() -> httpx.Response:
        with progress.open(path, "rb", task_id=task) as content:  # from the start, like the bar
            files = {"file": (path.name, content)}
            return httpx.post(upload["url"], data=upload["fields"], files=files, timeout=_UPLOAD_TIMEOUT)

    answer = _send(f"{path} could not be uploaded to S3", send)
    if not answer.is_success:
        sys.exit(f"S3 refused {path} with {answer.status_code}: {_s3_sentence(answer.text)}")


def _end(client: httpx.Client, push: str) -> None:
    """End the push, because a push without all its files can never be retrieved."""
    try:
        ended = client.delete(push).is_success
    except httpx.HTTPError:
        ended = False
    now = "was ended again" if ended else "stays incomplete: nobody can retrieve it, and it expires by its days"
    print(
        f"Not all files arrived. The push {now}. Fix the cause below, then run the command again.",
        file=sys.stderr,
    )


def _send(what: str, send: Callable[[], httpx.Response]) -> httpx.Response:
    """Return the response to an idempotent request; on failure exit with a sentence that starts with `what`."""
    try:
        return http_retry.answer(send, what)
    except httpx.TimeoutException:
        sys.exit(f"{what}: no response in time. Try again, or use a faster connection.")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        sys.exit(f"{what}: {error or type(error).__name__}. Check the URL, connection and proxy, then try again.")


def _document(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _is_created(document: Any, files: int) -> bool:
    """Return whether a response has everything for uploading this many files."""
    if not isinstance(document, dict) or not {"html_url", "json_url", "url_token", "uploads"} <= document.keys():
        return False
    uploads = document["uploads"]
    if not isinstance(uploads, list) or len(uploads) != files:
        return False
    return all(isinstance(form, dict) and isinstance(form.get("fields"), dict) and "url" in form for form in uploads)


def _sentence(status: int, document: Any) -> str:
    """Return the service's error and advice."""
    if status == httpx.codes.UNAUTHORIZED:
        return "the API token is not valid. Create another one at /users/token, and set PUSH_API_TOKEN to it."
    if not isinstance(document, dict):
        return "without a reason. Is the URL the installation's own, without a path?"
    if sentence := document.get("error") or document.get("message"):
        return str(sentence)
    return "; ".join(
        f"{field} {', '.join(map(str, messages))}" for field, messages in document.items() if isinstance(messages, list)
    )


def _s3_sentence(text: str) -> str:
    """Return the reason in S3's XML."""
    elements = dict(re.findall(r"<(Code|Message)>([^<]*)<", text[:10_000]))
    if not elements:
        return "without a reason. Try again."
    reason = html.unescape(f"{elements.get('Message', '').rstrip('.')} ({elements.get('Code', 'no code')})")
    return f"{reason}. A form accepts only the file's size and is valid for an hour: do not change the file."


def _target(url: str | None) -> tuple[str, str]:
    if url:
        token = os.environ.get("PUSH_API_TOKEN", "").strip()
        if not token:
            sys.exit("Put the API token into the environment variable PUSH_API_TOKEN.")
        if not re.fullmatch(r"[!-~]+", token):
            sys.exit("PUSH_API_TOKEN contains a character that no API token has. Copy it again from /users/token.")
        return url.rstrip("/"), token
    if not DEMO.exists():
        sys.exit("No local stack is running here. Start one with: make run")
    try:
        demo = json.loads(DEMO.read_text())
        return demo["base_url"], demo["api_token"]
    except (OSError, ValueError, LookupError, TypeError):
        sys.exit(f"{DEMO} cannot be read. Restart the local stack with: make run")


if __name__ == "__main__":
    main()
