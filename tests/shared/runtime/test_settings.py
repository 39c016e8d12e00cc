import itertools
from collections.abc import Mapping
from datetime import timedelta

import pytest

from functions import create_push
from infra.build import template
from shared.runtime import settings
from tests.drivers.client import Api, Context
from tests.engines import resources

SWITCHES = [
    "ANONYMOUS_ACCESS",
    "DELETABLE_BY_VIEWER",
    "RETRIEVAL_STEP",
    "URL_PUSHES",
    "QR_CODE_PUSHES",
    "FILE_ATTACHMENTS",
]


def test_every_setting_of_the_template_is_read_and_no_other() -> None:
    recorder = Recorder(resources.environment())

    settings.load(recorder)

    assert recorder.read == set(template.environment()) | {"AWS_REGION"}  # Lambda sets the last.


def test_the_template_s_defaults_are_the_contract_s() -> None:
    chosen = settings.load(resources.environment())

    assert chosen.anonymous_access is chosen.deletable_by_viewer is chosen.retrieval_step is True
    assert chosen.kinds == ("text", "file", "url", "qr")
    assert chosen.base_url == ""
    assert chosen.retention("bob@example.com") == timedelta(days=400)
    assert chosen.retention(None) == timedelta(days=1)


def test_a_missing_setting_is_named() -> None:
    for name in {*template.environment(), "AWS_REGION"}:
        with pytest.raises(LookupError, match=rf"missing from the environment: {name}$"):
            settings.load(without(resources.environment(), name))


def test_a_handler_without_settings_names_every_missing_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in resources.environment():
        monkeypatch.delenv(name, raising=False)
    settings.current.cache_clear()

    with pytest.raises(LookupError) as raised:
        create_push.handler(Api().event("POST", "/api/v2/pushes"), Context(20_000))

    assert all(name in str(raised.value) for name in {*template.environment(), "AWS_REGION"})


def test_a_switch_is_true_or_false() -> None:
    for name, value in itertools.product(SWITCHES, ["", "True", "1", "yes", " true"]):
        with pytest.raises(ValueError, match=name):
            settings.load(resources.environment(**{name: value}))


@pytest.mark.parametrize("name", ["DAYS", "VIEWS"])
@pytest.mark.parametrize("value", ["", "7", "0,1,2", "2,1,3", "1,3,2", "1,2,101", "1,2,3,4", "1, 2, 3", "1,2,٣"])
def test_bounds_are_in_order_or_named(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: must be minimum,default,maximum"):
        settings.load(resources.environment(**{name: value}))


def test_a_retention_is_a_number_of_days() -> None:
    names = ["OWNED_RETENTION_DAYS", "ANONYMOUS_RETENTION_DAYS"]
    for name, value in itertools.product(names, ["", "soon", "1.5"]):
        with pytest.raises(ValueError, match="invalid literal"):
            settings.load(resources.environment(**{name: value}))


def test_a_number_of_bytes_is_read_as_cloudformation_may_write_it() -> None:
    chosen = settings.load(resources.environment(DAILY_FILE_BYTES="5.36870912E9", DAILY_ANONYMOUS_BYTES="0"))

    assert (chosen.daily_file_bytes, chosen.daily_anonymous_bytes) == (5 * 2**30, 0)


@pytest.mark.parametrize(
    ("url_pushes", "qr_code_pushes", "kinds"),
    [
        ("true", "true", ("text", "file", "url", "qr")),
        ("true", "false", ("text", "file", "url")),
        ("false", "true", ("text", "file", "qr")),
        ("false", "false", ("text", "file")),
    ],
)
def test_the_kinds_are_those_switched_on(url_pushes: str, qr_code_pushes: str, kinds: tuple[str, ...]) -> None:
    chosen = settings.load(resources.environment(URL_PUSHES=url_pushes, QR_CODE_PUSHES=qr_code_pushes))

    assert chosen.kinds == kinds


def test_a_base_url_loses_its_last_slash() -> None:
    for given in ("https://push.example.com", "https://push.example.com/"):
        assert settings.load(resources.environment(BASE_URL=given)).base_url == "https://push.example.com"


def without(environ: Mapping[str, str], name: str) -> dict[str, str]:
    return {other: value for other, value in environ.items() if other != name}


class Recorder(dict[str, str]):
    """An environment that records the variables read."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(environ)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.read.add(name)
        return super().__getitem__(name)


def test_the_repr_of_settings_has_no_secrets() -> None:
    chosen = settings.load(resources.environment(ORIGIN_SECRET="MARKER-origin", PROBE_TOKEN="MARKER-token"))

    assert chosen.probe_token == "MARKER-token"
    assert "MARKER" not in f"{chosen} {chosen!r}"
