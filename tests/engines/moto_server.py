"""moto behind a single-threaded server in its own process: in process it lets racing writes through."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import Request, urlopen


@contextmanager
def serve() -> Iterator[str]:
    """Start a fresh server and yield its endpoint."""
    command = [sys.executable, "-m", "tests.engines.moto_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


def empty(endpoint: str) -> None:
    """Delete everything on a server."""
    urlopen(Request(f"{endpoint}/moto-api/reset", method="POST"), timeout=10).close()


def main() -> None:
    """Print the port, then serve until ended."""
    import logging

    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    from tests.engines import quick_moto

    quick_moto.hurry()
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=False)
    server.socket.listen(1024)
    print(server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
