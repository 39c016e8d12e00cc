"""The environment of the bench: an engine with the template's tables, and processes that run the bundle's code."""

import json
import os
import pickle
import subprocess
from base64 import b64encode
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any
from urllib.parse import urlencode

from infra.build import catalogues
from infra.build.compile_catalogues import compile_all
from shared.aws import tokens
from shared.domain import owners
from shared.identity import auth
from shared.runtime import settings
from tests.bench import bundles, pythons
from tests.drivers.client import START, Api, handler_module
from tests.engines import over_http, resources

HERE = Path(__file__).parent
IN_MEMORY, DURABLE = "--ephemeral", "--durable"
FORM = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
Job = dict[str, Any]


@contextmanager
def installation(storage: str = IN_MEMORY) -> Iterator[None]:
    """Run an empty installation on roto, used by this process and its children."""
    resources.set_environment()
    compile_all(catalogues.LOCALES)
    with (
        TemporaryDirectory() as directory,
        over_http.roto(Path(directory), storage) as endpoints,
        over_http.use(endpoints),
    ):
        resources.build()
        yield


def cold(job: Job) -> dict[str, float]:
    """Return the measurements of a job in a fresh process (inside_cold.py), in its directory or else in the bundle."""
    text = json.dumps(job, default=lambda value: {"bytes in base64": b64encode(value).decode()})
    found: dict[str, float] = _inside("inside_cold.py", text.encode(), job.get("directory"))
    return found


def do(sets: Sequence[Sequence[tuple[Job, Job]]]) -> None:
    """Run sets of pairs concurrently, each set in its own process."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(pairs, sets))


def pairs(wanted: Sequence[tuple[Job, Job]]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the seconds of both jobs of each pair in one process: elapsed and of the processor (inside_pairs.py)."""
    modules = sorted({job["module"] for pair in wanted for job in pair if "module" in job})
    took = _inside("inside_pairs.py", pickle.dumps({"modules": modules, "pairs": list(wanted)}))
    return [(tuple(one), tuple(other)) for one, other in took]


def _inside(program: str, wanted: bytes, directory: str | None = None) -> Any:
    python, _ = pythons.runtime()
    # It has the settings and AWS's address, and appears to be a Lambda function, so that clients are created early.
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ours |= {"AWS_LAMBDA_FUNCTION_NAME": "bench"}
    command = [python, "-c", (HERE / program).read_text()]
    where = directory or bundles.runnable()
    # Logs go to a file: reading each line from a pipe would wake this process and take processor time.
    with TemporaryFile() as printed:
        done = subprocess.run(
            command, input=wanted, cwd=where, env=ours, stdout=printed, stderr=subprocess.PIPE, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        printed.seek(0)
        return json.loads(printed.readlines()[-1])


def job(api: Api, method: str, path: str, *, status: int = 200, **request: Any) -> Job:
    """Return a request as a job: the event, the module of its handler, and the expected status."""
    event = api.event(method, path, **request)
    return {"module": handler_module(event["routeKey"]), "event": event, "status": status}


def create(api: Api, payload: str, **fields: Any) -> Job:
    """Return a create as a job."""
    push = {"payload": payload, "expire_after_views": 100, **fields}
    body = json.dumps({"push": push}, ensure_ascii=False).encode()
    headers = {"content-type": "application/json"}
    return job(api, "POST", "/api/v2/pushes", status=201, headers=headers, body=body)


def asker() -> Api:
    """Return the owner of an account with a confirmed address: nobody else may create asks."""
    cognito, address = resources.client("cognito-idp"), "ann@example.com"
    pool = cognito.create_user_pool(PoolName="bench", UsernameAttributes=["email"])["UserPool"]["Id"]
    attributes = [{"Name": "email", "Value": address}, {"Name": "email_verified", "Value": "true"}]
    made = cognito.admin_create_user(UserPoolId=pool, Username=address, UserAttributes=attributes)
    cognito.admin_set_user_password(UserPoolId=pool, Username=address, Password="Correct horse 1!", Permanent=True)
    os.environ["USER_POOL_ID"] = pool
    settings.current.cache_clear()
    owner = f"account:{made['User']['Username']}"
    tokens.record_account_check(owners.locator(owner), now=START)
    return Api(token=auth.issue_api_token(owner, "bench", now=START))


def create_ask(owner: Api) -> Job:
    """Return the create of an ask as a job."""
    headers = {"content-type": "application/json"}
    body = json.dumps({"ask": {"message": "The password, please"}}).encode()
    return job(owner, "POST", "/api/v2/asks", status=201, headers=headers, body=body)


def answer(ask_token: str, ip: str, payload: str) -> Job:
    """Return the form that answers an ask, as a job."""
    body = urlencode({"push[payload]": payload}).encode()
    return job(Api(ip=ip), "POST", f"/a/{ask_token}", status=303, headers=FORM, body=body)


def retrieve(api: Api, url_token: str) -> Job:
    """Return a retrieve as a job."""
    return job(api, "GET", f"/api/v2/pushes/{url_token}")


def by_manage_key(method: str, path: str) -> Job:
    """Return a request about a new anonymous push, to a path with its token {0} and its manage key {1}, as a job."""
    url_token, key = Api().create("x" * 1000).json["manage_url"].split("/")[-2:]
    return job(Api(), method, path.format(url_token, key), headers={"x-manage-key": key})
