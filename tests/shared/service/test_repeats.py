from datetime import timedelta

from shared.aws import keys
from shared.service import repeats
from tests.drivers.client import KEY, START, Api


def test_a_value_opens_for_its_own_push_alone(api: Api) -> None:
    one, other = api.push("a"), api.push("b")
    repeat = repeats.Repeat(KEY, "open sesame", START + timedelta(minutes=1))
    sent = repeats.seal_repeat(one, repeat, keys.current().version)

    assert repeats.open_repeat(one, [sent]) == repeat
    assert repeats.open_repeat(other, [sent]) is None
