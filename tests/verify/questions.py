"""Questions that only an installation on AWS can answer. They are no claims: any answer is fine."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from tests.verify.installation import PUSHES, Installation

LIMIT = 1_048_576  # characters of a payload
FLOOD = 400  # requests; the default burst of a route is 200
AT_ONCE = 40
QUIET_ROUTE = "/api/v1/version.json"  # requested by HEAD, an own route without known users

Ask = Callable[[Installation], str]


class Question(NamedTuple):
    """A question and how to ask it; or why not from outside, and where to find the answer."""

    text: str
    ask: Ask | None
    elsewhere: str = ""


def longest_payload(owner: Installation) -> str:
    """Send the longest allowed payload, in the widest characters."""
    payload = "🔑" * LIMIT
    created = owner.create(payload)
    if created.status != 201:
        return f"refused with {created.status}: send such a payload as a form"
    came = owner.retrieve(created.json["url_token"]).json["payload"]
    return "taken, and comes back as it was" if came == payload else "taken, but it comes back CHANGED"


def body_of_seven_megabytes(owner: Installation) -> str:
    """Send a body that API Gateway takes and Lambda does not."""
    return _said(owner, b"x" * 7 * 1024 * 1024)


def broken_utf8(owner: Installation) -> str:
    """Send a body with a byte that is not UTF-8."""
    return _said(owner, b'{"push": {"payload": "caf\xe9"}}')


def first_object(owner: Installation) -> str:
    """Send a payload that is stored in S3."""
    created = owner.create("x" * 10_000)
    return "S3 takes it" if created.status == 201 else f"refused with {created.status}: see the functions' log"


def slashes(owner: Installation) -> str:
    """Request paths with a slash too many."""
    answers = {path: owner.get(path) for path in ("/api/v2/version/", "//api/v2/version")}
    reached = {path: answer.headers.get("location") == "/api/v2/version" for path, answer in answers.items()}
    return "; ".join(
        f"{path}: " + ("reaches our redirect" if reached[path] else f"does not; {answer.status}")
        for path, answer in answers.items()
    )


def rate_limit(owner: Installation) -> str:
    """Send more concurrent requests than one route takes, then one to another route."""
    impatient = owner.impatient()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = list(pool.map(lambda _: impatient.request("HEAD", QUIET_ROUTE).status, range(FLOOD)))
    other = impatient.get("/api/v2/version").status
    refused = statuses.count(429)
    if not refused:
        return f"none of {FLOOD} was refused: no rate limit, or a burst that is higher"
    return f"{refused} of {FLOOD} refused with 429, and a request to another route meanwhile got {other}"


def _said(owner: Installation, body: bytes) -> str:
    try:
        answer = owner.request("POST", PUSHES, headers={"content-type": "application/json"}, body=body)
    except OSError as error:
        return f"no answer, the connection was closed ({type(error).__name__})"
    return f"{answer.status} {answer.text[:80]}" if answer.status != 201 else "201, a push was created"


QUESTIONS = [
    Question("Does a payload of 1,048,576 four-byte characters, sent as JSON, arrive?", longest_payload),
    Question("What is the answer to a body between 6 and 10 MB?", body_of_seven_megabytes),
    Question("Are bytes that are not UTF-8 told from U+FFFD (400 if so)?", broken_utf8),
    Question("Does S3 take an object?", first_object),
    Question("Do /x/ and //x reach a route?", slashes),
    Question(
        "Does a client of the user pool without a refresh-token flow work?",
        None,
        "sign in at /users/sign_in, and look for failures of that route in the functions' log",
    ),
]
FLOODING = Question("Is the rate limit one for each route?", rate_limit)
QUIET = FLOODING._replace(ask=None, elsewhere="asked with FLOOD=1, which sends 400 requests to one route")
