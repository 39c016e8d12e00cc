"""The parts of an encrypted secret that become objects, to the byte; the boundary changes no response."""

import pytest

from shared.aws import files
from shared.domain.seal import SealedSecret
from shared.service import create

MOST = 3_584  # bytes: four kilobytes less the rest of the item


@pytest.mark.parametrize(
    ("payload", "listed", "apart"),
    [
        (MOST, None, []),
        (MOST + 1, None, [files.PAYLOAD]),
        (MOST - 100, 100, []),
        (MOST - 99, 100, [files.PAYLOAD]),
        (0, MOST, []),
        (1, MOST, [files.PAYLOAD]),
        (1, MOST + 1, [files.PAYLOAD, files.FILE_LIST]),
    ],
)
def test_a_part_too_large_for_the_item_is_an_object(payload: int, listed: int | None, apart: list[str]) -> None:
    sealed = SealedSecret("v1", b"", b"p" * payload, b"s" * 16, None if listed is None else b"l" * listed)

    kept, objects = create._split_large(sealed)

    assert list(objects) == apart
    assert (kept.payload is None, kept.files == b"") == (files.PAYLOAD in apart, files.FILE_LIST in apart)
    assert sum(map(len, [*objects.values(), kept.payload or b"", kept.files or b""])) == payload + (listed or 0)
