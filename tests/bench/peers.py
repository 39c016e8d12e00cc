"""A create and a retrieve over HTTP: our handlers on a durable DynamoDB, compared with SnapPass on a durable Redis."""

import json
import pickle
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode, urlsplit

from shared.domain import digests
from tests.bench import page, replayed, servers, stage
from tests.bench.cold import id_of
from tests.bench.page import Section
from tests.drivers.client import Api

ROUNDS, UNCOUNTED = 220, 20
PAYLOAD = "x" * 100  # a long password
BOUNDS = {"create": 1.8, "retrieve": 2.8}
JSON = {"content-type": "application/json", "accept": "application/json"}
Took = dict[str, dict[str, list[float]]]
FORM = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}


@dataclass
class Client:
    """A client with one persistent connection, and the seconds of each request."""

    port: int
    took: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._connection = HTTPConnection("127.0.0.1", self.port)

    def ask(self, what: str, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> str:
        """Return the body of a response; it must be a success."""
        started = time.perf_counter()
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        self.took.setdefault(what, []).append(time.perf_counter() - started)
        assert answer.status < 300, text
        return text


def sections() -> Iterator[Section]:
    """Return one section; without SnapPass or Redis, a note and our own figures only."""
    missing = servers.missing()
    took = _measured(with_snappass=not missing)
    ours, bare = took["handlers"], took["bare"]
    rows = [page.ratio(f"{what}, over the same calls by botocore alone", ours[what], bare[what]) for what in BOUNDS]
    if missing:
        yield Section("Beside SnapPass", f"{_NOTE}\n\n**Not measured**: {', '.join(missing)} is not here.", rows)
        return
    theirs = took["snappass"]
    rows += [page.ratio(f"{what}, over SnapPass", ours[what], theirs[what], bound) for what, bound in BOUNDS.items()]
    rows += [page.ratio(f"{what} by botocore alone, over SnapPass", bare[what], theirs[what]) for what in BOUNDS]
    yield Section("Beside SnapPass", _NOTE, rows)


def _measured(*, with_snappass: bool) -> Took:
    with (
        TemporaryDirectory() as directory,
        stage.installation(stage.DURABLE),
        servers.plain("handlers") as ours,
        servers.plain("bare") as bare,
        _snappass(Path(directory)) if with_snappass else nullcontext() as theirs,
    ):
        clients = {"handlers": Client(ours), "bare": Client(bare)}
        acts = [_ours(clients["handlers"]), _bare(clients["bare"])]
        if theirs:
            clients["snappass"] = Client(theirs)
            acts.append(_theirs(clients["snappass"]))
        for _ in range(ROUNDS):
            for act in acts:
                act()
    return {name: {what: took[UNCOUNTED:] for what, took in client.took.items()} for name, client in clients.items()}


@contextmanager
def _snappass(directory: Path) -> Iterator[int]:
    with (
        servers.redis(directory) as address,
        servers.plain("snappass", servers.SNAPPASS, REDIS_URL=address, NO_SSL="True") as port,
    ):
        yield port


def _ours(client: Client) -> Callable[[], None]:
    body = json.dumps({"push": {"payload": PAYLOAD, "expire_after_views": 1}}).encode()

    def act() -> None:
        url_token = json.loads(client.ask("create", "POST", "/api/v2/pushes", JSON, body))["url_token"]
        assert json.loads(client.ask("retrieve", "GET", f"/api/v2/pushes/{url_token}", JSON))["payload"] == PAYLOAD

    return act


def _bare(client: Client) -> Callable[[], None]:
    api = Api()
    create = replayed.without_key(stage.create(api, PAYLOAD, expire_after_views=1)["event"])
    url_token = api.push(PAYLOAD, expire_after_views=1)
    retrieve = replayed.without_key(stage.retrieve(api, url_token)["event"])

    def act() -> None:
        new = secrets.token_hex(32)
        for what, calls, old in (("create", create, id_of(create)), ("retrieve", retrieve, digests.digest(url_token))):
            client.ask(what, "POST", "/", JSON, pickle.dumps(replayed.of_another(calls, old, new)))

    return act


def _theirs(client: Client) -> Callable[[], None]:
    body = urlencode({"password": PAYLOAD, "ttl": "week"}).encode()

    def act() -> None:
        link: dict[str, Any] = json.loads(client.ask("create", "POST", "/", FORM, body))
        shown = client.ask("retrieve", "POST", urlsplit(link["link"]).path, FORM, b"a=b")
        assert PAYLOAD in shown

    return act


_NOTE = f"""\
Over HTTP on one machine, in turn ({ROUNDS - UNCOUNTED} rounds), each behind the same plain WSGI server: our handlers on
a DynamoDB that has each write on the disk before it answers (roto, `--durable`), and SnapPass on a Redis that has, too
(`appendfsync always`). A push has {len(PAYLOAD)} characters and one view: claim, audit entry and the end of its key are
one write. SnapPass keeps no record and counts nothing: it reads, then deletes. The bounds were set on a machine where
botocore alone took 1.5 and 2.4 times as long as SnapPass; the last two rows say what it takes here."""
