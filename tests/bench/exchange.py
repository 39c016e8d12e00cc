"""The number of requests of a browser from the sender's page to the revealed secret."""

from collections import Counter
from collections.abc import Iterator
from shutil import which

from playwright.sync_api import sync_playwright

from tests.bench import page, servers, stage
from tests.bench.page import Row, Section
from tests.drivers import browsing
from tests.drivers.client import match_route


def sections() -> Iterator[Section]:
    """Return one section, exact."""
    made = requests()
    listed = [(one, str(count)) for one, count in Counter(made).items()]
    rows = [Row("requests of the whole exchange", len(made), "requests", at_most=7)]
    yield Section("A browser's exchange", _NOTE, rows, [page.table(("Route", "Times"), listed)])


def requests() -> list[str]:
    """Return the routes requested by two fresh browsers, the sender's and the recipient's."""
    with stage.installation(), servers.plain("handlers") as port, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=which("chromium"), args=browsing.ARGUMENTS)
        sender, recipient = (chromium.new_context(base_url=f"http://127.0.0.1:{port}").new_page() for _ in range(2))
        with browsing.requests(sender, recipient) as made:
            browsing.reveal(recipient, browsing.send(sender))
            shown = browsing.payload(recipient)
        chromium.close()
    assert shown == "s3cret"
    return [match_route(*one.split(" "))[0] for one in made]


_NOTE = """\
Two browsers with nothing in their caches: one opens the sender's page and makes a link, the other opens the link and
reveals the secret. `tests/browser/test_requests.py` keeps it."""
