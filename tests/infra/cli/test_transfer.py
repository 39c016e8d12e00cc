"""Transfers to and from a server that breaks off."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from secret_cli import api, transfer
from secret_cli.failure import Failure

CONTENT = bytes(range(256)) * 2000


@dataclass
class Storage:
    """One server in the place of S3."""

    url: str = ""
    breaks: int = 0  # number of transfers that break off in the middle
    refuses: bool = False
    got: list[bytes] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    monkeypatch.setattr(api, "PAUSES", (0.0, 0.0))
    storage = Storage()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if storage.breaks:
                storage.breaks -= 1
                self.rfile.read(1000)
                self.close_connection = True
                return
            storage.got.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(403 if storage.refuses else 204)
            self.end_headers()

        def do_GET(self) -> None:
            asked = self.headers.get("range", "")
            storage.ranges.append(asked)
            rest = CONTENT[int(asked.removeprefix("bytes=").removesuffix("-") or 0) :]
            self.send_response(206 if asked else 200)
            self.send_header("content-length", str(len(rest)))
            self.end_headers()
            if storage.breaks:
                storage.breaks -= 1
                rest = rest[: len(rest) // 2]
            self.wfile.write(rest)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        storage.url = f"http://127.0.0.1:{server.server_port}"
        yield storage
        server.shutdown()
        thread.join()


def upload(storage: Storage, folder: Path, count: int = 1) -> None:
    paths = [folder / f"{number}.bin" for number in range(count)]
    for path in paths:
        path.write_bytes(CONTENT)
    forms = [{"url": storage.url, "fields": {"key": "k"}}] * count
    transfer.upload_all(paths, forms, [len(CONTENT)] * count, lambda _, content: iter([content.read()]))


def download(storage: Storage, folder: Path) -> Path:
    [saved] = transfer.download_all([{"url": storage.url}], ["a.bin"], folder, lambda _, pieces: iter(pieces))
    return saved


def test_an_upload_that_breaks_off_is_sent_again_whole(storage: Storage, tmp_path: Path) -> None:
    storage.breaks = 2
    upload(storage, tmp_path)
    assert CONTENT in storage.got[0]
    assert b'name="key"\r\n\r\nk\r\n' in storage.got[0]


def test_an_upload_that_storage_refuses_fails(storage: Storage, tmp_path: Path) -> None:
    storage.refuses = True
    with pytest.raises(Failure, match="403"):
        upload(storage, tmp_path)


def test_one_failed_upload_does_not_stop_the_others(storage: Storage, tmp_path: Path) -> None:
    storage.breaks = 3  # all tries of one file, if it is the only one at work
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfer, "AT_ONCE", 1)
        with pytest.raises(Failure):
            upload(storage, tmp_path, count=3)
    assert len(storage.got) == 2


def test_a_download_goes_on_where_it_broke_off(storage: Storage, tmp_path: Path) -> None:
    storage.breaks = 2
    assert download(storage, tmp_path).read_bytes() == CONTENT
    assert storage.ranges == ["", f"bytes={len(CONTENT) // 2}-", f"bytes={len(CONTENT) * 3 // 4}-"]


def test_a_download_that_fails_leaves_nothing_behind(storage: Storage, tmp_path: Path) -> None:
    storage.breaks = 3
    with pytest.raises(Failure, match="broke off"):
        download(storage, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_download_overwrites_nothing_and_is_private(storage: Storage, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_text("mine")
    saved = download(storage, tmp_path)
    assert saved.name == "a (2).bin"
    assert saved.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "a.bin").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../.bashrc", "bashrc"),
        ("C:\\secret\\a.txt", "a.txt"),
        ("/", "file"),
        ("..", "file"),
        ("a\u202etxt.exe\n\x1b[2J", "atxt.exe[2J"),
        ("ü" * 300, "ü" * 100),
    ],
)
def test_a_name_stays_in_the_folder_and_shows_what_it_is(name: str, safe: str) -> None:
    assert transfer.safe_name(name) == safe
