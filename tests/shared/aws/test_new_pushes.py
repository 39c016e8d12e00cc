import pytest

from shared.aws import new_pushes
from shared.domain.audit import AuditKind
from shared.domain.seal import SealedSecret
from tests.drivers.client import Api
from tests.engines import resources
from tests.shared.aws.test_store import entry, read_push, seen_again


@pytest.mark.parametrize(("length", "apart"), [(512, 0), (513, 1)])
def test_a_label_of_more_than_512_bytes_is_an_item_of_its_own(bob: Api, length: int, apart: int) -> None:
    push = read_push(bob.push())._replace(id="another", label=b"x" * length, key_version="v1")

    new_pushes.create(push, SealedSecret("v1", b"", b"", b""), [entry(AuditKind.CREATION)])

    assert len([item for item in resources.items("Pushes") if item["id"]["S"] == "label another"]) == apart
    assert (seen_again(push).label is None) == bool(apart)
