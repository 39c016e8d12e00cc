from shared.aws import keys
from shared.service import repeat_cookie
from tests.drivers.client import KEY, Api


def test_a_value_opens_for_its_own_push_alone(api: Api) -> None:
    one, other = api.push("a"), api.push("b")
    repeat = repeat_cookie.Repeat(KEY, "open\nsesame")
    sent = repeat_cookie.seal_repeat(one, repeat, keys.current().version)

    assert repeat_cookie.open_repeat(one, [sent]) == repeat
    assert repeat_cookie.open_repeat(other, [sent]) is None
