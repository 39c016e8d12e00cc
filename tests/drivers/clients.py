"""The tested public clients of Password Pusher: docs/clients.md is this table, and test_clients.py tests it.

A recording has a request of that version, taken from its sources and the known behaviour of its HTTP library.
"""

from dataclasses import dataclass, field
from typing import Literal

from tests.drivers.replay import request

SECRET = "s3cret & 100%"
ENCODED = "s3cret+%26+100%25"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
PAIR = {"X-User-Email": "bob@example.com", "X-User-Token": "<token>"}
BEARER = {"Authorization": "Bearer <token>"}


@dataclass(frozen=True)
class Client:
    """A client: how it was tested, its requests, and what works. `follows` are later requests and statuses."""

    name: str
    version: str
    speaks: Literal["v1", "v2", "v1 and v2", "none"]
    tried: str  # the test module that runs it, or "replayed"
    works: str
    create: bytes = b""
    status: int = 201
    payload: str = SECRET
    follows: tuple[tuple[bytes, int], ...] = field(default=())


def form(line: str, body: str, **headers: str) -> bytes:
    return request(line, {"Content-Type": FORM} | headers, body.encode())


def json(line: str, body: str, **headers: str) -> bytes:
    return request(line, {"Content-Type": JSON} | headers, body.encode())


def multipart(line: str, boundary: str, parts: list[tuple[str, str]], **headers: str) -> bytes:
    """Return a multipart body of parts with their own headers. Some clients quote the boundary."""
    bare = boundary.strip('"')
    body = "".join(f"--{bare}\r\n{head}\r\n\r\n{content}\r\n" for head, content in parts) + f"--{bare}--\r\n"
    return request(line, {"Content-Type": f"multipart/form-data; boundary={boundary}"} | headers, body.encode())


def named(*names: str) -> str:
    return "; ".join(["Content-Disposition: form-data", *names])


ALL = "all"
CREATE = "POST /p.json"
RUBY = {"Accept-Encoding": "gzip;q=1.0,deflate;q=0.6,identity;q=0.3", "Accept": "*/*", "User-Agent": "Ruby"}
DOTNET = '"a2b0fca5-6f0e-4d5c-9c2e-3c6b9d1f7a10"'
GO = "5b1d4b6f0c1e2a7d8f9e0a1b2c3d4e5f60718293a4b5c6d7e8f9"
CURL = "------------------------d74496d66958873e"
TEXT_PART = "Content-Type: text/plain; charset=utf-8\r\n"
# PowerShell 7 sends a body with a GET if it has one, and `$null | ConvertTo-Json` is one.
GET_WITH_NULL = [
    (json("GET /p/<url_token>/preview.json", "null", **PAIR), 200),
    (json("GET /p/<url_token>/audit.json", "null", **PAIR), 200),
    (json("GET /p/active.json", "null", **PAIR), 200),
    (json("GET /p/expired.json", "null", **PAIR), 200),
    (json("GET /api/v1/version.json", "null", **PAIR), 200),
    (json("GET /p/<url_token>.json", "null", **PAIR), 200),
    (json("DELETE /p/<url_token>.json", "null", **PAIR), 200),
]
EXTENSION_GET = {"Accept": "application/json", "Origin": "chrome-extension://pwpush", "Sec-Fetch-Site": "none"}

CLIENTS = [
    Client(
        "pwpush (official command line)",
        "0.16.7",
        "v2",
        "tests/e2e/test_pwpush.py",
        "all but `request` (Password Pusher Pro)",
    ),
    Client(
        "pwpush (official command line)",
        "0.10.0, 0.13.1",
        "v1",
        "tests/e2e/test_pwpush_v1.py",
        "push, push-file, expire, audit as JSON (its table wants a key that API v1 dropped), list from 0.13.1 on",
    ),
    Client("pwpush-mcp", "0.5.0", "v2", "tests/e2e/test_pwpush_mcp.py", ALL),
    Client(
        "Password Pusher browser extension (official)",
        "0.5.0",
        "v2",
        "replayed; run in Chromium by hand on 2026-11-28",
        "its check of the server, push, show QR",
        json(
            "POST /api/v2/pushes",
            '{"push":{"payload":"s3cret & 100%","expire_after_views":5,"retrieval_step":false,"expire_after_days":7}}',
            **EXTENSION_GET,
        ),
        follows=(
            (request("GET /api/v2/version", EXTENSION_GET), 200),
            (request("GET /api/v2/accounts", EXTENSION_GET | BEARER), 404),
            (request("GET /api/v2/requests", EXTENSION_GET | BEARER), 404),
            (request("GET /p/<url_token>/preview", EXTENSION_GET | {"Accept": "text/html"}), 200),
        ),
    ),
    Client(
        "PassPushPosh, and with it CIPP up to 10.8",
        "38d096d",
        "v1",
        "replayed",
        ALL,
        json(
            CREATE,
            '{\r\n  "password": {\r\n    "retrieval_step": true,\r\n    "payload": "s3cret & 100%",\r\n'
            '    "expire_after_days": 3,\r\n    "deletable_by_viewer": false\r\n  }\r\n}',
            **PAIR,
        ),
        follows=tuple(GET_WITH_NULL),
    ),
    Client(
        "PwPoSh",
        "7511059",
        "v1",
        "replayed",
        ALL,
        form(
            CREATE,
            f"password%5Bpayload%5D={ENCODED}&password%5Bexpire_after_days%5D=7&password%5Bexpire_after_views%5D=1"
            "&password%5Bdeletable_by_viewer%5D=1&password%5Bretrieval_step%5D=1",
            **{"Content-Type": f"{FORM};charset=UTF-8"},
        ),
        follows=((request("DELETE /p/<url_token>.json", {}), 200),),
    ),
    Client(
        "PS-PwUtils",
        "afcc3e2",
        "v1",
        "replayed",
        ALL,
        json(
            CREATE,
            '{\r\n    "password":  {\r\n                     "payload":  "s3cret \\u0026 100%",\r\n'
            '                     "expire_after_days":  7,\r\n                     "deletable_by_viewer":  true\r\n'
            "                 }\r\n}",
        ),
    ),
    Client(
        "KpPwpush",
        "01bdf0d",
        "v1",
        "replayed",
        ALL,
        json(
            CREATE,
            '{"password":{"note":"","payload":"s3cret & 100%","expire_after_days":7,"expire_after_views":5,'
            '"deletable_by_viewer":true,"retrieval_step":false}}',
        ),
        follows=((request("GET /r/<url_token>/preview.json", {}), 200), (request("GET /p/<url_token>.json", {}), 200)),
    ),
    Client(
        "PowerShell 5.1, Invoke-RestMethod with a hash table",
        "5.1",
        "v1",
        "replayed",
        ALL,
        form(
            CREATE,
            f"password%5bexpire_after_days%5d=2&password%5bpayload%5d={ENCODED}&password%5bretrieval_step%5d=true",
            **{"User-Agent": "Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1"},
        ),
    ),
    Client(
        "PowerShell 7.4, Invoke-RestMethod -Form",
        "7.4",
        "v1",
        "replayed",
        ALL,
        multipart(
            "POST /f.json",
            DOTNET,
            [
                (named('name="file_push[payload]"'), SECRET),
                (
                    "Content-Type: application/octet-stream\r\n"
                    + named('name="file_push[files][]"', "filename=a.txt", "filename*=utf-8''a.txt"),
                    "hello",
                ),
            ],
            **BEARER,
        ),
    ),
    Client(
        "BSOD_Dump_sender (.NET MultipartFormDataContent)",
        "1.0",
        "v1",
        "replayed",
        ALL,
        multipart(
            "POST /f.json",
            DOTNET,
            [
                (TEXT_PART + named('name="file_push[payload]"'), SECRET),
                (TEXT_PART + named('name="file_push[expire_after_days]"'), "3"),
                (named('name="file_push[files][]"', "filename=BSOD.zip", "filename*=utf-8''BSOD.zip"), "PK"),
            ],
            **PAIR,
        ),
        follows=((request("GET /f/<url_token>", {}), 301),),
    ),
    Client(
        "pwpush-dotnet",
        "bcb40b9",
        "v1",
        "replayed",
        "pwpush and pwget; it does not encode, so a payload with & or + arrives as another",
        form(
            CREATE,
            "password[payload]=s3cret&password[passphrase]=&password[expire_after_days]=1"
            "&password[expire_after_views]=5&password[deletable_by_viewer]=True",
        ),
        payload="s3cret",
        follows=((request("GET /p/<url_token>.json", {}), 200),),
    ),
    Client(
        "terraform-provider-pwpush (grulicht)",
        "0d51e23",
        "v1",
        "replayed",
        ALL,
        multipart(
            CREATE,
            GO,
            [
                (named('name="password[payload]"'), SECRET),
                (named('name="password[kind]"'), "file"),
                (named('name="password[retrieval_step]"'), "true"),
                (
                    named('name="password[files][]"', 'filename="a.txt"')
                    + "\r\nContent-Type: application/octet-stream",
                    "hello",
                ),
            ],
            **PAIR,
            **{"User-Agent": "Go-http-client/1.1", "Accept-Encoding": "gzip"},
        ),
        follows=((request("DELETE /p/<url_token>.json", PAIR), 200),),
    ),
    Client(
        "terraform-provider-pwpusher (plexinc)",
        "6d48207",
        "none",
        "replayed",
        "nothing: it sends no wrapper",
        json(CREATE, '{"payload":"s3cret","passphrase":null,"deletable_by_viewer":true,"kind":"text"}'),
        status=400,
    ),
    Client(
        "pwpush-cli (liquid-metal, Rust)",
        "49d3e10",
        "v1",
        "replayed",
        "push; it does not encode, so a payload with & or + arrives as another",
        request(CREATE, PAIR, b"password[payload]=s3cret&password[note]=n&password[expire_after_days]=5"),
        payload="s3cret",
    ),
    Client(
        "PwPush-PHP (Guzzle), the push",
        "103b30c",
        "none",
        "replayed",
        "get and delete; not push, which has the payload beside the wrapper",
        json(CREATE, '{"payload":"s3cret","password":{"expire_after_days":2}}'),
        status=422,
    ),
    Client(
        "PHP, curl with http_build_query",
        "8",
        "v1",
        "replayed",
        ALL,
        form(
            CREATE,
            f"password%5Bpayload%5D={ENCODED}&password%5Bexpire_after_days%5D=2&password%5Bexpire_after_views%5D=10",
            **PAIR,
        ),
    ),
    Client(
        "Ruby, Net::HTTP.post_form",
        "3",
        "v1",
        "replayed",
        ALL,
        form(CREATE, f"password%5Bpayload%5D={ENCODED}&password%5Bexpire_after_days%5D=60", **RUBY),
    ),
    Client(
        "Python, requests with a dictionary (abkierstein/pwpush 1.1 and others)",
        "2",
        "v1",
        "replayed",
        ALL,
        form(CREATE, f"password%5Bpayload%5D={ENCODED}&password%5Bexpire_after_days%5D=2", Accept="*/*"),
    ),
    Client(
        "Python, requests with params=",
        "2",
        "none",
        "replayed",
        "nothing: a secret in a URL is not read",
        request(f"POST /p.json?password%5Bpayload%5D={ENCODED}", {"Content-Length": "0"}),
        status=400,
    ),
    Client(
        "keypirinha-PwPush",
        "38884c2",
        "v1",
        "replayed",
        "its links too, which have a language in them",
        multipart(
            "POST /f.json",
            "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
            [
                (named('name="file_push[payload]"'), SECRET),
                (named('name="file_push[files][]"', 'filename="a.txt"'), "hello"),
            ],
            **PAIR,
        ),
        follows=((request("GET /en/f/<url_token>", {}), 301),),
    ),
    Client(
        "PWPush Chrome extension (lcwiek)",
        "06d5462",
        "v1",
        "replayed",
        ALL,
        form(
            CREATE,
            f"password%5Bpayload%5D={ENCODED}&password%5Bexpire_after_days%5D=14&password%5Bexpire_after_views%5D=100"
            "&password%5Bdeletable_by_viewer%5D=false&password%5Bpassphrase%5D=&password%5Bnote%5D=",
            Origin="chrome-extension://pwpush",
            **BEARER,
        ),
    ),
    Client(
        "Raycast pwpush (Mouxy)",
        "0436661",
        "v1",
        "replayed",
        ALL,
        json(
            CREATE,
            '{"password":{"payload":"s3cret & 100%","expire_after_days":1,"expire_after_views":10}}',
            Accept=JSON,
            **BEARER,
        ),
    ),
    Client(
        "Raycast pwpush (its store)",
        "5351362",
        "v2",
        "replayed",
        "all but its option that recipients must sign in (422)",
        json(
            "POST /api/v2/pushes",
            '{"push":{"payload":"s3cret & 100%","kind":"text","expire_after_duration":6,"expire_after_views":10,'
            '"deletable_by_viewer":true,"retrieval_step":false,"authenticated_recipients":false}}',
            Accept=JSON,
            **BEARER,
        ),
        follows=(
            (
                json(
                    "POST /api/v2/pushes",
                    '{"push":{"payload":"s3cret","kind":"text","authenticated_recipients":true}}',
                    Accept=JSON,
                    **BEARER,
                ),
                422,
            ),
            (request("GET /api/v2/workspaces", BEARER | {"Accept": JSON}), 404),
            (request("DELETE /api/v2/pushes/<url_token>", BEARER | {"Accept": JSON}), 200),
        ),
    ),
    Client(
        "a page's own script, fetch with URLSearchParams",
        "2026",
        "v1",
        "replayed",
        "from any origin, by CORS",
        form(CREATE, f"password%5Bpayload%5D={ENCODED}", Origin="https://intranet.example"),
        follows=((request("OPTIONS /p.json", {"Origin": "https://a.example"}), 204),),
    ),
    Client(
        "curl -F",
        "8",
        "v1",
        "replayed",
        ALL,
        multipart(CREATE, CURL, [(named('name="password[payload]"'), SECRET)], Accept="*/*"),
    ),
    Client(
        "curl --data-urlencode",
        "8",
        "v1",
        "replayed",
        ALL,
        form(CREATE, "password[payload]=s3cret%20%26%20100%25", Accept="*/*"),
    ),
    Client(
        "pwpush-cli (lnfnunes, Node)",
        "0.8.1",
        "v1",
        "replayed",
        "what it sends, were it not for its fixed host",
        form(CREATE, f"password%5Bpayload%5D={ENCODED}&password%5Bdeletable_by_viewer%5D=on", Accept="text/html"),
    ),
]
