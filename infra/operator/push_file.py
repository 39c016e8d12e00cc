"""Push files of any size: declare them, then bring them to S3 directly, with a progress bar.

    python -m infra.operator.push_file big.iso --days 1 --views 1
    python -m infra.operator.push_file --url https://push.example.com a.zip b.zip   # API token: PUSH_API_TOKEN

Without --url it speaks to the running local stack, with the demo account's API token. A request that gets no answer is
sent again for a while: the create with the same Idempotency-Key, so that it makes one push, a file by the same form. It
ends with 0 when all is brought, with 1 when it was refused or cut off, and with 2, before anything is sent, when the
arguments are wrong.
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
_UPLOAD_TIMEOUT = httpx.Timeout(60, read=300)  # seconds in which nothing moves, not those of a whole upload
_INTERRUPTED = 130  # as shells have it: 128 and the signal's number

Created = dict[str, Any]


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says, and print the link."""
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
    except OSError as error:  # a file that went, or changed, after the arguments were checked
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
        sys.exit(f"The proxy that the environment names cannot be used: {error}.")


def _create(client: httpx.Client, endpoint: str, options: argparse.Namespace) -> Created:
    declared = [{"filename": path.name, "size": path.stat().st_size} for path in options.files]
    push = {"files": declared, "expire_after_days": options.days, "expire_after_views": options.views}
    key = {"Idempotency-Key": idempotency.new_key()}  # of this run: sent again, it makes no second push
    answer = _send(f"{endpoint} cannot be reached", lambda: client.post(endpoint, json={"push": push}, headers=key))
    document = _document(answer)
    if answer.status_code != httpx.codes.CREATED:
        sys.exit(f"{endpoint} refused with {answer.status_code}: {_sentence(answer.status_code, document)}")
    if not _is_created(document, len(declared)):
        sys.exit(f"{endpoint} answered, but not as this API does. Is the URL the installation's own?")
    created: Created = document
    return created


def _bring_all(paths: list[Path], uploads: list[dict[str, Any]]) -> None:
    with Progress() as progress:
        for path, upload in zip(paths, uploads, strict=True):
            _bring(path, upload, progress)


def _bring(path: Path, upload: dict[str, Any], progress: Progress) -> None:
    """POST the form with the file as its last field; the file is read as it is sent, so memory stays flat.

    The form takes the file as often as it is sent, so an upload that breaks off begins anew.
    """
    task = progress.add_task(path.name)

    def send() -> httpx.Response:
        with progress.open(path, "rb", task_id=task) as content:  # from the start, as the bar is then
            files = {"file": (path.name, content)}
            return httpx.post(upload["url"], data=upload["fields"], files=files, timeout=_UPLOAD_TIMEOUT)

    answer = _send(f"{path} could not be brought to S3", send)
    if not answer.is_success:
        sys.exit(f"S3 refused {path} with {answer.status_code}: {_s3_sentence(answer.text)}")


def _end(client: httpx.Client, push: str) -> None:
    """End the push, since one that lacks files can never be retrieved."""
    try:
        ended = client.delete(push).is_success
    except httpx.HTTPError:
        ended = False
    now = "was ended again" if ended else "stays unfinished: nobody gets anything of it, and it ends by its days"
    print(
        f"Not all files arrived. The push {now}. Mend the cause that follows, and run the command anew.",
        file=sys.stderr,
    )


def _send(what: str, send: Callable[[], httpx.Response]) -> httpx.Response:
    """The answer to a request that may be sent again; a failure ends the program with a sentence that begins so."""
    try:
        return http_retry.answer(send, what)
    except httpx.TimeoutException:
        sys.exit(f"{what}: no answer in time. Try again, or from a better line.")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        sys.exit(f"{what}: {error or type(error).__name__}. Check the URL, the line and any proxy, then try again.")


def _document(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _is_created(document: Any, files: int) -> bool:
    """Whether an answer has all that is needed to upload so many files."""
    if not isinstance(document, dict) or not {"html_url", "json_url", "url_token", "uploads"} <= document.keys():
        return False
    uploads = document["uploads"]
    if not isinstance(uploads, list) or len(uploads) != files:
        return False
    return all(isinstance(form, dict) and isinstance(form.get("fields"), dict) and "url" in form for form in uploads)


def _sentence(status: int, document: Any) -> str:
    """What the service said, and what to do about it."""
    if status == httpx.codes.UNAUTHORIZED:
        return "the API token is not valid. Make another one at /users/token, and put it into PUSH_API_TOKEN."
    if not isinstance(document, dict):
        return "without a reason. Is the URL the installation's own, without a path?"
    if sentence := document.get("error") or document.get("message"):
        return str(sentence)
    return "; ".join(
        f"{field} {', '.join(map(str, messages))}" for field, messages in document.items() if isinstance(messages, list)
    )


def _s3_sentence(text: str) -> str:
    """The reason that S3 gives in its XML."""
    elements = dict(re.findall(r"<(Code|Message)>([^<]*)<", text[:10_000]))
    if not elements:
        return "without a reason. Try again."
    reason = html.unescape(f"{elements.get('Message', '').rstrip('.')} ({elements.get('Code', 'no code')})")
    return f"{reason}. A form takes its own size, for an hour: leave the file as it is meanwhile."


def _target(url: str | None) -> tuple[str, str]:
    if url:
        token = os.environ.get("PUSH_API_TOKEN", "").strip()
        if not token:
            sys.exit("Put the API token into the environment variable PUSH_API_TOKEN.")
        if not re.fullmatch(r"[!-~]+", token):
            sys.exit("PUSH_API_TOKEN holds what no API token has. Copy it anew from /users/token.")
        return url.rstrip("/"), token
    if not DEMO.exists():
        sys.exit("No local stack is running here. Start one with: make run")
    try:
        demo = json.loads(DEMO.read_text())
        return demo["base_url"], demo["api_token"]
    except (OSError, ValueError, LookupError, TypeError):
        sys.exit(f"{DEMO} cannot be read. Start the local stack anew with: make run")


if __name__ == "__main__":
    main()
