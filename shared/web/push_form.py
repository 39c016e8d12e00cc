"""A page's form that creates a push: its limits, its text and files, and the response to it."""

import json
from collections.abc import Mapping
from typing import Any

from shared.domain import limits
from shared.domain.new_push import Created
from shared.domain.sentence import Sentence
from shared.web import body, pages, statuses, wire

# Lambda accepts events up to 6 MB, and base64 makes a multipart form a third larger. Beyond that, the gateway returns
# a JSON error, and the sender loses the input.
MAX_FORM_BYTES = 4_400_000
# With JavaScript, larger files go directly to S3, which shows progress and can be resumed.
DIRECT_ABOVE = 1024 * 1024
LIMITS = {
    "inline_bytes": limits.MAX_INLINE_BYTES,
    "form_bytes": MAX_FORM_BYTES,
    "direct_above": DIRECT_ABOVE,
    "max_files": limits.MAX_FILES,
}
TOO_MUCH_WITHOUT_SCRIPT = Sentence("are too large together for a form without JavaScript")


def text(entered: Any) -> Any:
    """Return a field's text with the line breaks of the sender's system."""
    # Browsers send line breaks as CR LF, which would break an SSH key or a script.
    return entered.replace("\r\n", "\n") if isinstance(entered, str) else entered


def files(parameters: Mapping[str, Any], form: Mapping[str, str]) -> Any:
    """Return the files of the form, or those that the page's script declares to upload."""
    return body.json_list(form["direct"]) if "direct" in form else parameters.get("files", [])


def show_created(request: pages.Request, created: Created, page: str, cookie: str | None = None) -> pages.Answer:
    """Return the redirect to the next page; for the page's script, this page and the uploads as JSON."""
    if "application/json" not in request.header("accept"):
        return pages.Redirect(page, cookie=cookie)
    content = json.dumps({"preview": page, "uploads": wire.uploads(created)})
    return pages.Asset(content, statuses.HEADERS["content-type"], "no-store", 201, cookie)
