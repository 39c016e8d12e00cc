"""Cold starts: import and first request of an endpoint, in separate processes, in seconds of processor time."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shared.domain import digests
from shared.identity import auth
from tests.bench import bundles, page, replayed, stage
from tests.bench.page import Row, Section
from tests.drivers import sender_key
from tests.drivers.client import START, Api
from tests.engines.resources import renew

ROUNDS = 11
ANCHOR = 'import boto3; boto3.client("dynamodb", region_name="us-east-1")'
BARE = """
import boto3
clients = {name: boto3.client(name, region_name="us-east-1") for name in ("dynamodb", "secretsmanager")}
"""
# The libraries without our code: the lower limit.
LIBRARIES = f"""
{ANCHOR}
import pynamodb.models, pynamodb.attributes, pynamodb.connection
from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
"""
BOUNDS = {"create": 1.25, "create, sealed": 1.25, "retrieve": 1.25, "list": 1.25, "status": 1.25, "reveal (page)": 1.45,
          "manage (page)": 1.45, "version": 0.45, "not_found": 0.45, "assets": 0.45, "redirect": 0.45,
          "the libraries alone": None, "the anchor in the bundle": None}  # fmt: skip
FIRST = {"create": 12.0, "retrieve": 24.0}  # milliseconds

Took = dict[str, list[dict[str, float]]]


def sections() -> Iterator[Section]:
    """Return sections on cold starts and on the first request."""
    with stage.installation(), TemporaryDirectory() as directory:
        bundles.install(Path(directory))
        took = _measured(Path(directory))
    total = {name: [one["answered"] for one in each] for name, each in took.items()}
    first = {name: [one["answered"] - one["imported"] for one in each] for name, each in took.items()}
    rows = [page.ratio(name, total[name], total["anchor"], bound) for name, bound in BOUNDS.items()]
    yield Section("Cold start", _NOTE, rows)
    yield Section("First request after the import", _NOTE_OF_FIRST, [*_firsts(first)])


def _firsts(first: dict[str, list[float]]) -> Iterator[Row]:
    for name, bound in FIRST.items():
        bare = f"{page.milliseconds(first[f'bare {name}'])} (the same calls by a bare client)"
        yield page.amount(name, [1000 * seconds for seconds in first[name]], "ms", bound, bare)


def _measured(untrimmed: Path) -> Took:
    jobs, made = _jobs() | {"anchor": {"code": ANCHOR, "directory": str(untrimmed)}}, _recorded()
    took: Took = {name: [] for name in (*jobs, *made)}
    for number in range(-1, ROUNDS):  # the first warms the disk's cache
        for name, job in (jobs | {name: _bare(*calls) for name, calls in made.items()}).items():
            found = stage.cold(job)
            if number >= 0:
                took[name].append(found)
    return took


def _jobs() -> dict[str, stage.Job]:
    api, bob = Api(), Api(token=auth.issue_api_token("name:bob@example.com", "bench", now=START))
    url_token, revealed = api.push(expire_after_views=100), api.push(expire_after_views=100)
    bob.push()
    return {
        "the anchor in the bundle": {"code": ANCHOR},
        "the libraries alone": {"code": LIBRARIES},
        "create": stage.create(api, "x" * 1000),
        "create, sealed": stage.create(api, sender_key.seal("x" * 1000), sealed_by="sender"),
        "retrieve": stage.retrieve(api, url_token),
        "list": stage.job(bob, "GET", "/api/v2/pushes/active"),
        "status": stage.by_manage_key("GET", "/api/v2/pushes/{0}/status"),
        "reveal (page)": stage.job(api, "POST", f"/p/{revealed}", headers=stage.FORM, body=b"a=b"),
        "manage (page)": stage.by_manage_key("GET", "/m/{0}/{1}"),
        "version": stage.job(api, "GET", "/api/v2/version"),
        "not_found": stage.job(api, "GET", "/nowhere", status=404),
        "assets": stage.job(api, "GET", "/assets/site.css"),
        "redirect": stage.job(api, "GET", "/api_tokens", status=301),
    }


def _recorded() -> dict[str, tuple[replayed.Calls, str]]:
    """Return the calls of a create and of a retrieve, each with the push's id."""
    api = Api()
    renew()  # so that it reads the instance key, like a new process
    create = replayed.calls(stage.create(api, "x" * 1000)["event"])
    url_token = api.push(expire_after_views=100)
    renew()
    retrieve = replayed.calls(stage.retrieve(api, url_token)["event"])
    return {"bare create": (create, id_of(create)), "bare retrieve": (retrieve, digests.digest(url_token))}


def _bare(made: replayed.Calls, push_id: str) -> stage.Job:
    """Return a job with these calls for another push."""
    is_create = not any(operation == "BatchGetItem" for operation, _ in made)
    other = secrets.token_hex(32) if is_create else digests.digest(Api().push(expire_after_views=100))
    calls = [(_service(operation), operation, parameters)
             for operation, parameters in replayed.of_another(made, push_id, other)]  # fmt: skip
    return {"code": BARE, "calls": calls}


def id_of(made: replayed.Calls) -> str:
    """Return the id of the push that these calls create."""
    [transaction] = [parameters for operation, parameters in made if operation == "TransactWriteItems"]
    puts: list[Any] = [action["Put"] for action in transaction["TransactItems"] if "Put" in action]
    return next(str(put["Item"]["id"]["S"]) for put in puts if "id" in put["Item"])


def _service(operation: str) -> str:
    return "secretsmanager" if operation == "GetSecretValue" else "dynamodb"


_NOTE = f"""\
Import and first request in a fresh process ({ROUNDS} of each, in turn), over `import boto3; boto3.client("dynamodb")`
in another: seconds of the processor, the start of Python included. Ours come from the bundle as it is deployed, the
anchor from the same releases as pip installs them, untrimmed; the last row is the anchor from the bundle."""
_NOTE_OF_FIRST = """\
Milliseconds of the processor from the end of the import to the answer, the instance key asked for on the way; beside it
a process that makes the same calls with clients made before, by botocore alone."""
