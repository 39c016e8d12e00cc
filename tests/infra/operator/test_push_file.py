"""push_file with failing servers: it exits with a sentence and a status, never with a traceback."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from rich.progress import Progress

from infra.operator import http_retry, push_file
from shared.domain import idempotency

S3_REFUSAL = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code>'
    "<Message>Invalid according to Policy: Policy expired.</Message><RequestId>MARKER</RequestId></Error>"
)


CREATE = "/api/v2/pushes"
Ended = Callable[..., tuple[int, str]]


@dataclass
class Server:
    """The service and S3 in one: it answers as configured and records its requests."""

    url: str = ""
    create: tuple[int, str] = (201, "")
    upload: tuple[int, str] = (204, "")
    end: int = 200
    asked: list[tuple[str, bytes]] = field(default_factory=list)
    cut: dict[str, int] = field(default_factory=dict)  # number of further requests to a path without a response
    keys: list[str] = field(default_factory=list)
    retry_after: str = ""

    def answer(self, asked: str, body: bytes) -> tuple[int, str]:
        self.asked.append((asked, body))
        method, path = asked.split()
        if method == "DELETE":
            return self.end, "{}"
        if path == "/s3":
            return self.upload
        status, text = self.create
        return status, text or self.created(len(json.loads(body)["push"]["files"]))

    def created(self, files: int) -> str:
        uploads = [{"url": f"{self.url}/s3", "fields": {"key": "k"}}] * files
        return json.dumps({"html_url": "LINK", "json_url": "JSON", "url_token": "T", "uploads": uploads})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            told.keys.append(self.headers.get("idempotency-key", ""))
            status, text = told.answer(f"{self.command} {self.path}", body)
            if told.cut.get(self.path, 0):
                told.cut[self.path] -= 1
                self.close_connection = True
                return
            self.send_response(status)
            if told.retry_after:
                self.send_header("retry-after", told.retry_after)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        do_POST = do_DELETE = do  # noqa: N815 (the library's names)

        def log_message(self, *_: Any) -> None:
            pass

    monkeypatch.setenv("PUSH_API_TOKEN", "SECRET-TOKEN")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        told.url = f"http://127.0.0.1:{listening.server_port}"
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield told
        listening.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses in seconds, recorded instead of spent."""
    waits: list[float] = []
    monkeypatch.setattr("infra.operator.http_retry.time.sleep", waits.append)
    return waits


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.bin"
    path.write_bytes(b"content")
    return path


@pytest.fixture
def ended(capsys: pytest.CaptureFixture[str]) -> Ended:
    """Run a failing push; return its exit status and its output."""

    def ended(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ending:
            push_file.main(list(arguments))
        code = ending.value.code
        said = "".join(capsys.readouterr()) + (code if isinstance(code, str) else "")
        assert "SECRET-TOKEN" not in said
        return (1 if isinstance(code, str) else int(code or 0)), said

    return ended


def test_files_are_declared_and_brought_and_the_link_is_printed(
    server: Server, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    push_file.main([str(file), str(file), "--url", f"{server.url}/", "--days", "1", "--views", "2"])

    declared = json.loads(server.asked[0][1])["push"]
    assert declared == {
        "files": [{"filename": "a.bin", "size": 7}] * 2,
        "expire_after_days": 1,
        "expire_after_views": 2,
    }
    assert [asked for asked, _ in server.asked] == ["POST /api/v2/pushes", "POST /s3", "POST /s3"]
    assert b"content" in server.asked[1][1]
    assert "LINK\n" in capsys.readouterr().out


def test_a_create_without_a_response_is_repeated_with_its_key(
    server: Server, file: Path, waits: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    server.cut = {CREATE: 3}

    push_file.main([str(file), "--url", server.url])

    said = capsys.readouterr()
    [key] = set(server.keys[:4])
    assert [asked for asked, _ in server.asked] == [f"POST {CREATE}"] * 4 + ["POST /s3"]
    assert len({body for asked, body in server.asked if asked == f"POST {CREATE}"}) == 1
    assert idempotency.is_key(key)
    assert key not in said.out + said.err
    assert "LINK\n" in said.out
    assert waits == [pytest.approx(1.125 * pause, rel=0.12) for pause in http_retry.PAUSES[:3]]


def test_each_run_has_a_key_of_its_own_and_s3_sees_none(server: Server, file: Path) -> None:
    for _ in range(2):
        push_file.main([str(file), "--url", server.url])

    first, to_s3, second, _ = server.keys
    assert first != second
    assert to_s3 == ""


@pytest.mark.parametrize("path", [CREATE, "/s3"])
def test_a_request_without_any_response_is_given_up(server: Server, file: Path, path: str, ended: Ended) -> None:
    server.cut = {path: 99}

    code, told = ended(str(file), "--url", server.url)

    assert code == 1
    assert [asked for asked, _ in server.asked].count(f"POST {path}") == len(http_retry.PAUSES) + 1
    assert "Check the URL, connection and proxy" in told


@pytest.mark.parametrize(("status", "tries"), [(400, 1), (401, 1), (422, 1), (429, 1), (500, 5), (502, 5), (503, 5)])
def test_only_a_service_that_cannot_answer_is_asked_again(
    server: Server, file: Path, status: int, tries: int, ended: Ended
) -> None:
    server.create = (status, '{"error": "No."}')

    code, told = ended(str(file), "--url", server.url)

    assert (code, len(server.asked)) == (1, tries)
    assert f"refused with {status}" in told


@pytest.mark.parametrize(("said", "seconds"), [("20", 20), ("9999", 60), ("0", 1), ("soon", 1)])
def test_it_waits_as_long_as_the_service_says_within_reason(
    server: Server, waits: list[float], said: str, seconds: float, ended: Ended
) -> None:
    server.create, server.retry_after = (503, '{"error": "No."}'), said

    ended(__file__, "--url", server.url)

    assert waits[0] == pytest.approx(1.125 * seconds, rel=0.12)


def test_an_upload_that_breaks_off_is_brought_again_by_the_same_form(
    server: Server, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bars = Progress()
    monkeypatch.setattr(push_file, "Progress", lambda: bars)
    server.cut = {"/s3": 2}

    push_file.main([str(file), "--url", server.url])

    assert [bar.completed for bar in bars.tasks] == [len(b"content")]
    uploads = [body for asked, body in server.asked if asked == "POST /s3"]
    assert [body.count(b"content\r\n") for body in uploads] == [1, 1, 1]
    assert "LINK\n" in capsys.readouterr().out
    assert "DELETE" not in repr([asked for asked, _ in server.asked])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.bin"], "missing.bin cannot be read: No such file"),
        (["."], "is not a file"),
        (["pipe"], "is not a file"),
        (["a.bin"] * 11, "11 files are too many"),
        (["huge.bin"], "split it"),
        (["b\udcff.bin"], "not UTF-8"),
        (["nul\0.bin"], "cannot be read"),
        (["a.bin", "--days", "0"], "not from 1 to 90"),
        (["a.bin", "--days", "91"], "not from 1 to 90"),
        (["a.bin", "--views", "101"], "not from 1 to 100"),
        (["a.bin", "--views", "soon"], "not from 1 to 100"),
        (["a.bin", "--views", "9" * 5_000], "views"),
        (["a.bin", "--url", "push.example.com"], "is not a URL like https://"),
        (["a.bin", "--url", "ftp://push.example.com"], "is not a URL like https://"),
        (["a.bin", "--url", "http://[::1"], "is not a URL like https://"),
        (["a.bin", "--url", "https://"], "is not a URL like https://"),
        (["a.bin", "--url", "http://x:99999"], "is not a URL like https://"),
    ],
    ids=lambda value: " ".join(value)[:30].encode("ascii", "replace").decode() if isinstance(value, list) else "",
)
def test_wrong_arguments_end_it_before_anything_is_sent(
    server: Server,
    file: Path,
    arguments: list[str],
    said: str,
    ended: Ended,
) -> None:
    os.mkfifo("pipe")
    with Path("huge.bin").open("wb") as huge:
        huge.truncate(5 * 1024**3 + 1)  # a hole: it takes no space

    status, told = ended(*(["--url", server.url] if "--url" not in arguments else []), *arguments)

    assert (status, server.asked) == (2, [])
    assert said in told


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, '{"error": "An API token is required."}'), "Create another one at /users/token"),
        ((413, '{"error": "A file may hold at most 1 bytes."}'), "413: A file may hold at most 1 bytes."),
        ((422, '{"files": ["number 1 needs a name", "x"], "kind": ["y"]}'), "files number 1 needs a name, x; kind y"),
        ((429, '{"message": "Too Many Requests"}'), "429: Too Many Requests"),
        ((503, "<html>"), "503: without a reason"),
        ((404, "[]"), "404: without a reason"),
        ((301, " "), "refused with 301"),
        ((201, "no JSON"), "did not respond like this API"),
        ((201, "[]"), "did not respond like this API"),
        ((201, '{"html_url": "", "json_url": "", "url_token": "", "uploads": []}'), "did not respond like this API"),
        (
            (201, '{"html_url": "", "json_url": "", "url_token": "", "uploads": [{"url": ""}]}'),
            "did not respond like this API",
        ),
    ],
)
def test_a_refusal_of_the_service_is_a_sentence(
    server: Server, file: Path, answer: tuple[int, str], said: str, ended: Ended
) -> None:
    server.create = answer

    code, told = ended(str(file), "--url", server.url)

    assert code == 1
    assert said in told


@pytest.mark.parametrize(("end", "said"), [(200, "was ended again"), (503, "stays incomplete")])
def test_a_refusal_of_s3_is_a_sentence_and_the_push_is_ended(
    server: Server, file: Path, end: int, said: str, ended: Ended
) -> None:
    server.upload, server.end = (403, S3_REFUSAL), end

    code, told = ended(str(file), "--url", server.url)

    assert code == 1
    assert "403: Invalid according to Policy: Policy expired (AccessDenied)." in told
    assert "<" not in told
    assert "MARKER" not in told
    assert said in told
    assert server.asked[-1][0] == "DELETE /api/v2/pushes/T"


def test_an_unreachable_server_is_a_sentence(server: Server, file: Path, ended: Ended) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        code, told = ended(str(file), "--url", f"http://127.0.0.1:{taken.getsockname()[1]}")

    assert code == 1
    assert "cannot be reached: [Errno 111] Connection refused. Check" in told


def test_no_answer_in_time_is_a_sentence(
    server: Server, file: Path, monkeypatch: pytest.MonkeyPatch, ended: Ended
) -> None:
    monkeypatch.setattr(push_file, "_TIMEOUT", httpx.Timeout(0.1))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        code, told = ended(str(file), "--url", f"http://127.0.0.1:{silent.getsockname()[1]}")

    assert code == 1
    assert "no response in time" in told


def test_a_file_that_vanishes_during_the_run_is_a_sentence(
    server: Server, file: Path, monkeypatch: pytest.MonkeyPatch, ended: Ended
) -> None:
    answer = server.answer

    def remove_first(*asked: Any) -> tuple[int, str]:
        file.unlink(missing_ok=True)
        return answer(*asked)

    monkeypatch.setattr(server, "answer", remove_first)

    code, told = ended(str(file), "--url", server.url)

    assert code == 1
    assert "No such file or directory" in told
    assert server.asked[-1][0] == "DELETE /api/v2/pushes/T"


def test_ctrl_c_ends_the_push_and_says_so(
    server: Server, file: Path, monkeypatch: pytest.MonkeyPatch, ended: Ended
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(push_file, "_bring_all", interrupt)

    code, told = ended(str(file), "--url", server.url)

    assert code == 130
    assert "Interrupted." in told
    assert server.asked[-1][0] == "DELETE /api/v2/pushes/T"


@pytest.mark.parametrize(("token", "said"), [("", "Put the API token"), (" ", "Put the API token"), ("ü\n", "again")])
def test_a_missing_or_impossible_token_gets_an_error(
    server: Server, token: str, said: str, monkeypatch: pytest.MonkeyPatch, ended: Ended
) -> None:
    monkeypatch.setenv("PUSH_API_TOKEN", token)

    code, told = ended(__file__, "--url", server.url)

    assert (code, server.asked) == (1, [])
    assert said in told


@pytest.mark.parametrize(("demo", "said"), [(None, "make run"), ("{", "cannot be read"), ("[]", "cannot be read")])
def test_without_a_url_the_local_stack_must_be_running(
    file: Path, demo: str | None, said: str, monkeypatch: pytest.MonkeyPatch, ended: Ended
) -> None:
    place = file.parent / "demo.json"
    monkeypatch.setattr(push_file, "DEMO", place)
    if demo is not None:
        place.write_text(demo)

    code, told = ended(str(file))

    assert code == 1
    assert said in told


def test_a_proxy_that_cannot_be_used_is_a_sentence(
    server: Server, file: Path, monkeypatch: pytest.MonkeyPatch, ended: Ended
) -> None:
    monkeypatch.setenv("http_proxy", "nonsense://x")

    code, told = ended(str(file), "--url", server.url)

    assert (code, server.asked) == (1, [])
    assert "proxy" in told
