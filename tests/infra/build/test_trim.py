"""Trimming the bundle's data does not change the functions' behaviour."""

import gzip
import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import babel
import botocore
import pytest
from botocore.model import ServiceModel
from botocore.regions import EndpointResolver

from infra.build import trim

DATA = Path(botocore.__file__).parent / "data"
BABEL = Path(babel.__file__).parent
REGIONS = ("us-east-1", "eu-central-1", "cn-north-1", "us-gov-west-1")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return botocore's trimmed data of the services that the functions call."""
    copied = tmp_path_factory.mktemp("data")
    shutil.copy(DATA / "endpoints.json", copied)
    for service in trim.SERVICES:
        shutil.copytree(DATA / service, copied / service)
    trim.services(copied)
    return copied


def model(data: Path, service: str) -> ServiceModel:
    newest = max((data / service).iterdir())
    return ServiceModel(json.loads(gzip.decompress((newest / "service-2.json.gz").read_bytes())))


def vars_of(operation: Any) -> dict[str, Any]:
    """Return the parts of an operation that botocore reads for a call."""
    names = (
        *("http", "auth_type", "endpoint", "static_context_parameters", "context_parameters"),
        *("operation_context_parameters", "request_compression", "http_checksum", "unsigned_payload"),
    )
    return {name: getattr(operation, name) for name in names}


@pytest.mark.parametrize("service", sorted(trim.SERVICES))
def test_every_operation_keeps_its_parameters_and_result(data: Path, service: str) -> None:
    whole, trimmed = model(DATA, service), model(data, service)

    assert trimmed.operation_names == whole.operation_names
    assert trimmed.client_context_parameters == whole.client_context_parameters
    for name in whole.operation_names:
        of_it, of_trimmed = (vars_of(each.operation_model(name)) for each in (whole, trimmed))
        assert of_trimmed == of_it
    for name in whole.shape_names:
        before, after = whole.shape_for(name), trimmed.shape_for(name)
        assert (after.type_name, after.metadata, after.serialization) == (
            before.type_name,
            before.metadata,
            before.serialization,
        )
        assert list(getattr(after, "members", ())) == list(getattr(before, "members", ()))
        assert after.documentation == ""


def test_every_service_is_found_in_every_region_where_it_was(data: Path) -> None:
    whole, trimmed = (EndpointResolver(json.loads((path / "endpoints.json").read_text())) for path in (DATA, data))

    for service in trim.SERVICES:
        for region in REGIONS:
            assert trimmed.construct_endpoint(service, region) == whole.construct_endpoint(service, region)


def test_the_data_is_much_smaller(data: Path) -> None:
    def size(of: Path) -> int:
        return sum(next((of / one).glob("20*/service-2.json.gz")).stat().st_size for one in trim.SERVICES)

    assert size(data) * 5 < size(DATA)
    assert (data / "endpoints.json").stat().st_size * 10 < (DATA / "endpoints.json").stat().st_size


def test_a_member_called_documentation_stays() -> None:
    described: Any = {"members": {"documentation": {"shape": "String", "documentation": "What it is."}}}

    assert trim._without_documentation(described) == {"members": {"documentation": {"shape": "String"}}}


def test_locale_data_shown_on_pages_stays(tmp_path: Path) -> None:
    (tmp_path / "locale-data").mkdir()
    shutil.copy(BABEL / "global.dat", tmp_path)
    shutil.copy(BABEL / "locale-data" / "de.dat", tmp_path / "locale-data")

    trim.locales(tmp_path)

    kept = pickle.loads((tmp_path / "locale-data" / "de.dat").read_bytes())
    assert {unit.partition("-")[0] for unit in kept["unit_patterns"]} == {"digital", "duration"}
    assert kept["date_formats"]["medium"].pattern == "dd.MM.y"
    assert "territories" not in kept
