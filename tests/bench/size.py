"""The size of the deployed bundle."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from tests.bench import bundles, page
from tests.bench.page import Row, Section

MB = 1_000_000
LARGEST = 10


def sections() -> Iterator[Section]:
    """Return one section, exact."""
    with TemporaryDirectory() as directory:
        target = Path(directory) / "bundle.zip"
        size = bundles.zipped(bundles.deployed(), target)
        parts = _parts(target)
    rows = [Row("zipped", size / MB, "MB", at_most=10.5)]
    shares = [(name, f"{part / MB:.2f}", f"{100 * part / size:.0f} %") for name, part in parts.most_common(LARGEST)]
    yield Section("The bundle", _NOTE, rows, [page.table(("Largest parts", "MB, zipped", "Share"), shares)])


def _parts(target: Path) -> Counter[str]:
    parts: Counter[str] = Counter()
    with ZipFile(target) as packed:
        for one in packed.infolist():
            parts[one.filename.split("/")[0]] += one.compress_size
    return parts


_NOTE = (
    "What every function gets, built for the template's runtime and architecture, with its bytecode, as SAM zips it."
)
