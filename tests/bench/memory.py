"""The peak memory of a process, from its start to the end of its first request."""

from collections.abc import Iterator

from shared.identity import auth
from tests.bench import page, stage
from tests.bench.page import Section
from tests.drivers import form_data
from tests.drivers.client import START, Api

ROUNDS = 5
MB = 1000  # KB, as the kernel counts
MIB = 1024 * 1024


def sections() -> Iterator[Section]:
    """Return one section: creates, small and of the largest size."""
    with stage.installation():
        jobs = {
            "create of 1 KB": (stage.create(Api(), "x" * 1000), 60),
            "create of 1 MiB of four-byte characters": (stage.create(Api(), "😀" * MIB), 110),
            "form with a file of 4 MiB": (_form(), 90),
            "boto3 and a client": ({"code": _ANCHOR}, None),
        }
        rows = [page.amount(what, [stage.cold(job)["peak"] / MB for _ in range(ROUNDS)], "MB", bound)
                for what, (job, bound) in jobs.items()]  # fmt: skip
    yield Section("Peak memory", _NOTE, rows)


def _form() -> stage.Job:
    file = form_data.file("a.bin", b"\0" * (4 * MIB), "Content-Type: application/octet-stream")
    body = form_data.form(form_data.field("payload", "x"), file)
    bob = Api(token=auth.issue_api_token("name:bob", "bench", now=START))
    return stage.job(bob, "POST", "/api/v2/pushes", status=201, headers={"content-type": form_data.TYPE}, body=body)


_ANCHOR = 'import boto3; boto3.client("dynamodb", region_name="us-east-1")'
_NOTE = """\
The high-water mark of a fresh process (Linux, `VmHWM`) after its first request, the event included as Lambda hands it
over; on AWS its runtime's own 15 to 20 MB come on top."""
