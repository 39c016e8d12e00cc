"""Valid idempotency keys, and the values derived from one."""

from datetime import UTC, date, datetime, timedelta

import pytest

from shared.domain import errors, idempotency, networks, seal, url_tokens
from shared.domain.file import NewFile
from shared.domain.mail import Mailing
from shared.domain.new_push import NewPush
from tests.drivers.client import KEY, OTHER_KEY


@pytest.mark.parametrize("key", ["a" * 16, "a" * 255, "!" * 16, "~" * 16, "123e4567-e89b-12d3-a456-426614174000"])
def test_16_to_255_visible_characters_are_a_key(key: str) -> None:
    assert idempotency.is_key(key)
    assert idempotency.check_key(key) == key


@pytest.mark.parametrize("key", ["", "a" * 15, "a" * 256, " " * 16, "a" * 16 + "\n", "ä" * 16, "a" * 15 + "\x7f"])
def test_nothing_else_is(key: str) -> None:
    assert not idempotency.is_key(key)
    with pytest.raises(errors.MalformedRequest) as refused:
        idempotency.check_key(key)
    assert not key.strip() or key not in str(refused.value)


def test_a_new_key_is_a_key_and_another_each_time() -> None:
    keys = {idempotency.new_key() for _ in range(3)}

    assert len(keys) == 3
    assert all(idempotency.is_key(key) and len(key) == 32 for key in keys)


INSTANCE_KEY, OTHER_INSTANCE_KEY = seal.InstanceKey("v1", b"k" * 64), seal.InstanceKey("v2", b"j" * 64)
DAY = date(2026, 1, 2)
FILE = NewFile("a", "text/plain", 1, b"x")
NEW = NewPush(
    "text",
    "s3cret",
    None,
    "",
    "",
    timedelta(days=1),
    1,
    1,
    deletable_by_viewer=True,
    retrieval_step=True,
    files=(FILE,),
)
NAMED = (KEY, "account:1", b"", DAY, INSTANCE_KEY)


def test_a_url_token_is_the_same_for_the_same_request_and_looks_as_any() -> None:
    url_token = idempotency.url_token(*NAMED)

    assert url_token == idempotency.url_token(*NAMED)
    assert len(url_token) == url_tokens.LENGTH
    assert set(url_token) <= set(url_tokens.ALPHABET)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, OTHER_KEY),
        (1, "account:2"),
        (1, None),
        (1, "account:1" + KEY),
        (2, b"m"),
        (3, date(2026, 1, 3)),
        (4, OTHER_INSTANCE_KEY),
    ],
)
def test_any_other_part_gives_another_url_token(place: int, value: object) -> None:
    other = [*NAMED[:place], value, *NAMED[place + 1 :]]

    assert idempotency.url_token(*other) != idempotency.url_token(*NAMED)  # type: ignore[arg-type]


def test_every_character_of_a_url_token_varies() -> None:
    made = [idempotency.url_token(f"{KEY}{number}", None, b"", DAY, INSTANCE_KEY) for number in range(300)]

    assert all(len({url_token[place] for url_token in made}) > 30 for place in range(url_tokens.LENGTH))


def test_an_owner_called_anonymous_is_none() -> None:
    assert idempotency.url_token(KEY, "anonymous", b"", DAY, INSTANCE_KEY) != idempotency.url_token(
        KEY, None, b"", DAY, INSTANCE_KEY
    )


OTHERS = [
    NEW._replace(kind="qr"),
    NEW._replace(payload="s3cret "),
    NEW._replace(passphrase=""),
    NEW._replace(name="n"),
    NEW._replace(note="n"),
    NEW._replace(lifetime=timedelta(hours=1)),
    NEW._replace(expire_after_days=2),
    NEW._replace(expire_after_views=2),
    NEW._replace(deletable_by_viewer=False),
    NEW._replace(retrieval_step=False),
    NEW._replace(mailing=Mailing(("a@example.com",), "de")),
    NEW._replace(notify_when_viewed=False),
    NEW._replace(networks=networks.pack(["192.0.2.1"])),
    NEW._replace(sealed_key_id=b"\1\2\3\4"),
    NEW._replace(files=()),
    NEW._replace(files=(FILE, FILE)),
    NEW._replace(files=(FILE._replace(filename="b"),)),
    NEW._replace(files=(FILE._replace(content_type="text/html"),)),
    NEW._replace(files=(FILE._replace(size=2),)),
    NEW._replace(files=(FILE._replace(content=b"y"),)),
    NEW._replace(files=(FILE._replace(content=b""),)),
    NEW._replace(files=(FILE._replace(content=None),)),
]


@pytest.mark.parametrize("other", OTHERS)
def test_any_difference_gives_another_mac(other: NewPush) -> None:
    assert idempotency.body_mac(other, KEY, INSTANCE_KEY) != idempotency.body_mac(NEW, KEY, INSTANCE_KEY)


def test_every_field_of_a_new_push_tells_bodies_apart() -> None:
    differing = {name for other in OTHERS for name in NewPush._fields if getattr(other, name) != getattr(NEW, name)}

    assert differing == set(NewPush._fields)


def test_empty_files_and_declared_files_differ() -> None:
    empty, later = (NEW._replace(files=(FILE._replace(content=content, size=0),)) for content in (b"", None))

    assert idempotency.body_mac(empty, KEY, INSTANCE_KEY) != idempotency.body_mac(later, KEY, INSTANCE_KEY)


def test_a_mac_has_sixteen_bytes_and_needs_both_keys() -> None:
    assert len(idempotency.body_mac(NEW, KEY, INSTANCE_KEY)) == 16
    assert idempotency.body_mac(NEW, KEY, INSTANCE_KEY) == idempotency.body_mac(NEW._replace(), KEY, INSTANCE_KEY)
    assert idempotency.body_mac(NEW, KEY, INSTANCE_KEY) != idempotency.body_mac(NEW, KEY, OTHER_INSTANCE_KEY)
    assert idempotency.body_mac(NEW, KEY, INSTANCE_KEY) != idempotency.body_mac(NEW, OTHER_KEY, INSTANCE_KEY)


@pytest.mark.parametrize(
    ("now", "days"),
    [
        ((12, 0, 0), [2, 1]),
        ((0, 0, 0), [2, 1]),
        ((23, 58, 59), [2, 1]),
        ((23, 59, 0), [2, 1, 3]),
        ((23, 59, 59), [2, 1, 3]),
    ],
)
def test_a_twin_may_be_of_the_day_before_and_near_midnight_of_the_next(
    now: tuple[int, int, int], days: list[int]
) -> None:
    hour, minute, second = now

    found = idempotency.possible_days(datetime(2026, 1, 2, hour, minute, second, tzinfo=UTC))

    assert [day.day for day in found] == days
