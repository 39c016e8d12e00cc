"""Hidden fields forged by a visitor with the cookie and all of our code, but without a server key."""

import base64
import re
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from shared.aws import tokens
from shared.domain import digests, errors, owners
from shared.domain.token import ApiToken, Session
from shared.identity import auth
from shared.runtime import settings
from shared.web import request
from shared.web.cookies import FORM, SESSION
from tests.conftest import PASSWORD, Configure
from tests.doubles import lagging
from tests.doubles.cognito import Cognito
from tests.drivers import visitor
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api
from tests.engines import resources
from tests.functions.pages.test_account import ANN
from tests.functions.pages.test_my_account import NEW, PAGE, act, begin, turned_on
from tests.infra.operator.test_account import run
from tests.meters import wire_tap

pytestmark = pytest.mark.prove(
    "all", "A visitor who rewrites what a page gave them signs nobody in, and gets nothing that outlives an end", "moto"
)

HOUR = timedelta(hours=1)
# Before 0.9.1 a forged date gave a session that outlived all of these.
MINUTES_AFTER = [0, 5, 30, 59, 61]
CODE = "/users/two_factor"


@pytest.fixture
def today(ann: Browser) -> Browser:
    """Return Ann, ten minutes ago: an operator's command reads the real clock."""
    ann.api.now = datetime.now(UTC) - timedelta(minutes=10)
    return ann.visit("/users/sign_in").submit("/users/sign_in", email=ANN, password=PASSWORD)


def guesses(owner: str) -> list[str]:
    """Return values that somebody might know and take for a secret of the server."""
    known = settings.current()
    return [known.user_pool_client_id, known.user_pool_id, known.instance_key_arn, owner, owners.locator(owner), ANN]


def asking_for_code(now: datetime, password: str = PASSWORD) -> Browser:
    """Return a visitor who has entered the right password and must enter the code."""
    return Browser(Api(now=now)).visit("/users/sign_in").submit("/users/sign_in", email=ANN, password=password)


def username_of(owner: str) -> str:
    return str(owners.account_sub(owner))


def signed_in_by(states: Iterable[str], browser: Browser, code: str) -> list[Browser]:
    """Send each state with the right code; return the browsers that got a session."""
    shown, signed_in = browser.page, []
    for forged in states:
        attempt = Browser(browser.api, dict(browser.cookies), page=shown).submit(CODE, state=forged, code=code)
        assert attempt.page.status in (200, 401)
        signed_in += [attempt] if SESSION in attempt.cookies else []
    return signed_in


class Intruder:
    """An attacker with the password and the codes: all their sessions, and an API token from each."""

    def __init__(self, owner: str, now: datetime, next_code: Callable[[], str], password: str = PASSWORD) -> None:
        browser = asking_for_code(now, password)
        cookie, usernames = browser.cookies[FORM], [username_of(owner), ANN]
        forgeries = visitor.forged_sign_ins(visitor.state(browser), cookie, usernames, [visitor.FAR_FUTURE])
        self.browsers = signed_in_by(forgeries, browser, next_code())
        honest = asking_for_code(now, password)
        self.browsers.append(honest.submit(CODE, code=next_code()))
        pages = [browser.visit("/users/token").submit("", name="x").page.text for browser in self.browsers]
        self.tokens = [re.findall(r'id="token" [^>]*value="([^"]+)"', page)[0] for page in pages]
        assert self.is_in(now) == (True, True)

    def is_in(self, now: datetime) -> tuple[bool, bool]:
        """Return whether any of their sessions or API tokens works."""
        sessions = [Browser(Api(now=now), dict(one.cookies)).visit("/pushes").at for one in self.browsers]
        statuses = [Api(now=now, token=token).active().status for token in self.tokens]
        return "/pushes" in sessions, 200 in statuses


# ---------------------------------------------------------------- reading and forging


def test_no_hidden_field_opens_under_a_key_that_a_visitor_can_derive(ann: Browser, people: Cognito) -> None:
    owner, set_up = ann.owner, act(ann, "begin", password=PASSWORD)
    opened = [(visitor.state(set_up), ann.session, visitor.SET_UP)]
    turned_on(ann, people)
    asked = asking_for_code(ann.api.now)
    opened.append((visitor.state(asked), asked.cookies[FORM], visitor.SECOND_STEP))

    assert [visitor.read_field(*one, guesses(owner)) for one in opened] == [[], []]


def test_cognitos_access_token_and_session_stand_on_no_page(ann: Browser, people: Cognito) -> None:
    with wire_tap.calls() as calls:
        secret = begin(ann)
        pages = [ann.page.text, base64.urlsafe_b64decode(visitor.state(ann)).decode("latin-1")]
        pages.append(ann.submit(PAGE, code=people.next_code(secret)).page.text)
        asked = asking_for_code(ann.api.now + HOUR)
        pages += [asked.page.text, base64.urlsafe_b64decode(visitor.state(asked)).decode("latin-1")]
        asked.submit(CODE, code=people.next_code(secret))

    [token] = {sent["AccessToken"] for name, sent in calls if name == "AssociateSoftwareToken"}
    [session] = {sent["Session"] for name, sent in calls if name == "RespondToAuthChallenge"}
    assert not [text for text in pages if token in text or session in text]


def test_a_rewritten_state_signs_nobody_in_and_asks_cognito_nothing(ann: Browser, people: Cognito) -> None:
    owner, secret = ann.owner, turned_on(ann, people)
    browser = asking_for_code(ann.api.now)
    moments = [visitor.TOMORROW, visitor.FAR_FUTURE, visitor.LONG_AGO, ann.api.now.isoformat()]
    usernames = [username_of(owner), ANN]
    field, cookie = visitor.state(browser), browser.cookies[FORM]
    states = [
        *visitor.rewrite_field(field),
        *visitor.forged_sign_ins(field, cookie, usernames, moments, guesses(owner)),
    ]

    with wire_tap.calls() as calls:
        signed_in = signed_in_by(states, browser, people.next_code(secret))

    assert signed_in == []
    assert [name for name, _ in calls if name in ("RespondToAuthChallenge", "UpdateItem", "PutItem")] == []
    assert browser.submit(CODE, code=people.next_code(secret)).owner == owner


@pytest.mark.parametrize("shape", visitor.STRANGE_SHAPES, ids=repr)
def test_a_state_of_a_strange_shape_says_to_sign_in_again(ann: Browser, people: Cognito, shape: object) -> None:
    turned_on(ann, people)
    browser = asking_for_code(ann.api.now)

    for forged in visitor.sealed(browser.cookies[FORM], visitor.SECOND_STEP, shape):
        page = Browser(browser.api, dict(browser.cookies), page=browser.page).submit(CODE, state=forged).page

        assert (page.status, "Please begin again." in page.text, 'name="password"' in page.text) == (401, True, True)


@pytest.mark.parametrize("shape", visitor.STRANGE_SHAPES, ids=repr)
def test_a_set_up_of_a_strange_shape_says_to_begin_again(ann: Browser, people: Cognito, shape: object) -> None:
    begin(ann)
    shown = ann.page
    for forged in visitor.sealed(ann.session, visitor.SET_UP, shape):
        page = Browser(ann.api, dict(ann.cookies), PAGE, page=shown).submit(PAGE, state=forged, code="123456").page

        assert (page.status, "Please begin again." in page.text) == (401, True)


def test_a_rewritten_set_up_turns_nothing_on(ann: Browser, people: Cognito) -> None:
    secret, shown = begin(ann), ann.page
    moments = (START.isoformat(), visitor.FAR_FUTURE)
    plain = [["token", secret], *([moment, "token", secret] for moment in moments)]
    states = [state for one in plain for state in visitor.sealed(ann.session, visitor.SET_UP, one, guesses(ann.owner))]
    states += visitor.rewrite_field(visitor.state(ann))

    browsers = [Browser(ann.api, dict(ann.cookies), PAGE, page=shown) for _ in states]
    code = people.next_code(secret)
    statuses = {
        one.submit(PAGE, state=state, code=code).page.status for one, state in zip(browsers, states, strict=True)
    }

    assert statuses == {401}
    assert asking_for_code(ann.api.now + HOUR).at == "/pushes"


def test_a_state_works_neither_with_another_cookie_nor_in_another_form(ann: Browser, people: Cognito) -> None:
    begin(ann)
    set_up = visitor.state(ann)
    secret = turned_on(ann, people)
    first, second = asking_for_code(ann.api.now), asking_for_code(ann.api.now)

    shown, states = first.page, (visitor.state(second), set_up)
    tried = [Browser(first.api, dict(first.cookies), page=shown) for _ in states]
    for browser, state in zip(tried, states, strict=True):
        browser.submit(CODE, state=state, code=people.next_code(secret))

    assert [(one.page.status, SESSION in one.cookies) for one in tried] == [(401, False)] * 2


def test_a_state_is_worth_nothing_after_three_minutes(ann: Browser, people: Cognito) -> None:
    secret = turned_on(ann, people)
    browser = asking_for_code(ann.api.now)
    browser.api.tick(minutes=3)

    page = browser.submit(CODE, code=people.next_code(secret)).page

    assert (page.status, "Please begin again." in page.text) == (401, True)


def test_a_set_up_is_worth_nothing_after_half_an_hour(ann: Browser, people: Cognito) -> None:
    secret = begin(ann)
    ann.api.tick(minutes=30)

    assert ann.submit(PAGE, code=people.next_code(secret)).page.status == 401


# ---------------------------------------------------------------- the end of an intruder's sessions


@pytest.fixture
def intruder(ann: Browser, people: Cognito) -> Intruder:
    """An intruder with the password and the app's secret; Ann has two-factor sign-in."""
    secret = turned_on(ann, people)
    ann.api.tick(minutes=1)
    return Intruder(ann.owner, ann.api.now, lambda: people.next_code(secret))


def change_password(ann: Browser, people: Cognito) -> None:
    [secret] = people.apps._confirmed.values()
    act(ann, "password", password=PASSWORD, new_password=NEW, code=people.next_code(secret))
    assert "Your password is changed." in ann.page.text


def set_new_password_by_mail(ann: Browser, people: Cognito) -> None:
    browser = Browser(ann.api).visit("/users/password").submit("/users/password", email=ANN)
    browser.submit("/users/new_password", code=people.code(ANN), password=NEW)
    assert browser.at == "/users/sign_in"


@pytest.mark.parametrize("end", [change_password, set_new_password_by_mail])
@pytest.mark.parametrize("later", [timedelta(minutes=1), timedelta(days=300)], ids=str)
def test_a_new_password_ends_all_that_an_intruder_could_get(
    ann: Browser, people: Cognito, intruder: Intruder, end: Callable[[Browser, Cognito], None], later: timedelta
) -> None:
    ann.api.tick(minutes=1)

    end(ann, people)

    assert intruder.is_in(ann.api.now + later) == (False, False)


def test_session_hours_end_every_session_that_an_intruder_could_get(ann: Browser, intruder: Intruder) -> None:
    begun = ann.api.now

    ends = [intruder.is_in(begun + later)[0] for later in (11 * HOUR, 12 * HOUR, 720 * HOUR, timedelta(days=300))]

    assert ends == [True, False, False, False]


def test_a_shorter_setting_ends_sessions_that_are_open(ann: Browser, configure: Configure) -> None:
    configure(SESSION_HOURS="1")

    seen = [Browser(Api(now=START + later), dict(ann.cookies)).visit("/pushes").at for later in (HOUR / 2, HOUR)]

    assert seen == ["/pushes", "/users/sign_in"]


@pytest.mark.parametrize("command", ["end-two-factor", "disable"])
def test_an_operators_command_ends_at_once_all_that_an_intruder_could_get(
    today: Browser, people: Cognito, command: str
) -> None:
    secret = turned_on(today, people)
    intruder = Intruder(today.owner, today.api.now, lambda: people.next_code(secret))

    run(command, "--account", ANN)
    now = datetime.now(UTC)

    for minutes in MINUTES_AFTER:
        assert intruder.is_in(now + timedelta(minutes=minutes)) == (False, False)


def test_an_intruder_with_the_password_alone_gets_nothing_that_lasts(ann: Browser, people: Cognito) -> None:
    """Without two-factor sign-in, the intruder turns it on with their own app, and off again."""
    intruder = asking_for_code(ann.api.now)
    secret = turned_on(intruder, people)
    forging = Intruder(intruder.owner, intruder.api.now, lambda: people.next_code(secret))
    last = forging.browsers[0]
    last.api.tick(minutes=1)
    act(last, "end", password=PASSWORD, code=people.next_code(secret))
    assert "Two-factor sign-in is off." in last.page.text
    forging.browsers += [last, intruder]
    ann.api.now = last.api.now + timedelta(minutes=1)

    set_new_password_by_mail(ann, people)

    for later in (timedelta(minutes=1), timedelta(days=400)):
        assert forging.is_in(ann.api.now + later) == (False, False)


# ---------------------------------------------------------------- the quota of codes


def test_a_stranger_can_not_spend_the_codes_of_somebody(ann: Browser, people: Cognito) -> None:
    owner, secret = ann.owner, turned_on(ann, people)
    stranger = Browser(Api(now=ann.api.now)).visit("/users/sign_in")
    cookie, moments = stranger.cookies[FORM], [ann.api.now.isoformat()]
    states = list(visitor.forged_sign_ins("", cookie, [username_of(owner)], moments)) * 12

    for state in states:
        fields = {"form_token": auth.form_token(cookie), "state": state, "code": "000000"}
        assert stranger._request("POST", CODE, urlencode(fields).encode()).page.status == 401

    assert asking_for_code(ann.api.now).submit(CODE, code=people.next_code(secret)).at == "/pushes"


def test_codes_are_counted_for_the_account_however_its_address_is_spelled(ann: Browser, people: Cognito) -> None:
    secret = turned_on(ann, people)
    spellings = ["Ann@example.com", " ann@example.com ", "ANN@EXAMPLE.COM", ANN] * 3

    statuses = []
    for spelling in spellings[:10]:
        browser = Browser(Api(now=ann.api.now)).visit("/users/sign_in")
        browser.submit("/users/sign_in", email=spelling, password=PASSWORD)
        statuses.append(browser.submit(CODE, code="000000").page.status)

    assert statuses == [422] * 10
    assert asking_for_code(ann.api.now).submit(CODE, code=people.next_code(secret)).page.status == 429


# ---------------------------------------------------------------- double presses


def test_a_second_press_locks_nobody_out(ann: Browser, people: Cognito) -> None:
    secret = turned_on(ann, people)
    browser = asking_for_code(ann.api.now)
    twin, code = Browser(browser.api, dict(browser.cookies), page=browser.page), people.next_code(secret)

    browser.submit(CODE, code=code)
    twin.submit(CODE, code=code)
    again = asking_for_code(ann.api.now).submit(CODE, code=people.next_code(secret))

    assert (browser.at, twin.page.status, "Please begin again." in twin.page.text) == ("/pushes", 401, True)
    assert browser.visit("/pushes").at == again.at == "/pushes"


# ---------------------------------------------------------------- second defence: later dates are invalid


def plant_credentials(owner: str, created_at: datetime, proven_at: datetime | None = None) -> tuple[str, str]:
    """Write a session and an API token with these dates, past our own checks."""
    session, token = auth._new_credential(owner), auth._new_credential(owner)
    ends = created_at + timedelta(days=30)
    tokens.add_session(Session(auth._session_digest(session), owner, ANN, created_at, ends))
    tokens.add_api_token(ApiToken(digests.digest(token), owner, "x", "last", created_at, proven_at=proven_at))
    return session, token


@pytest.mark.parametrize("later", [timedelta(days=1), timedelta(days=26_000)], ids=str)
def test_a_credential_from_tomorrow_is_invalid_today(ann: Browser, later: timedelta) -> None:
    session, token = plant_credentials(ann.owner, START + later)

    for minutes in MINUTES_AFTER:
        api = Api(now=START + timedelta(minutes=minutes))
        assert Browser(api, {SESSION: session}).visit("/pushes").at == "/users/sign_in"
        assert api.as_owner(token).active().status == 401


def test_an_api_token_that_says_it_was_proven_tomorrow_is_invalid(ann: Browser) -> None:
    _, token = plant_credentials(ann.owner, START, proven_at=START + 24 * HOUR)

    assert Api(token=token).active().status == 401
    assert auth.list_api_tokens(ann.owner, now=START) == []


def test_an_end_of_all_removes_later_dated_credentials(ann: Browser) -> None:
    plant_credentials(ann.owner, START + timedelta(days=26_000))

    auth.end_all_credentials(ann.owner, now=START + HOUR)

    assert [item for item in resources.items("ApiTokens") if "owner" in item] == []


def test_no_session_is_opened_later_than_its_request(ann: Browser) -> None:
    with pytest.raises(errors.SignInLapsed):
        auth.open_session(ann.owner, now=START, proven_at=START + timedelta(milliseconds=1))


# ---------------------------------------------------------------- two-factor sign-in turned on or off


@pytest.mark.parametrize("is_lagging", [False, True])
def test_turning_two_factor_on_ends_only_the_other_sessions(ann: Browser, people: Cognito, is_lagging: bool) -> None:
    token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)
    other, before = Browser(Api(now=ann.api.now), dict(ann.cookies)), ann.session
    ann.api.tick(seconds=1)

    with lagging.index("ApiTokens") if is_lagging else nullcontext():
        turned_on(ann, people)

    assert "You are signed out everywhere else." in ann.page.text
    assert (ann.session != before, ann.visit("/pushes").at) == (True, "/pushes")
    assert other.visit("/pushes").at == "/users/sign_in"
    assert Api(token=token).active().status == 200


def test_turning_two_factor_on_ends_a_concurrent_password_sign_in(
    ann: Browser, people: Cognito, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, others, passed = begin(ann), [], [0]
    monkeypatch.setattr(request, "time", SimpleNamespace(monotonic=lambda: passed[-1]))

    def sign_in() -> None:
        others.append(asking_for_code(ann.api.now + timedelta(seconds=1)))
        passed.append(2)  # seconds, at the second end of all sessions

    with wire_tap.before_first("SetUserMFAPreference", sign_in):
        ann.submit(PAGE, code=people.next_code(secret))

    [other] = others
    assert (other.at, ann.visit("/pushes").at) == ("/pushes", "/pushes")
    assert other.visit("/pushes").at == "/users/sign_in"


def test_turning_two_factor_off_ends_a_sign_in_that_waits_for_its_code(ann: Browser, people: Cognito) -> None:
    secret = turned_on(ann, people)
    waiting = asking_for_code(ann.api.now)

    act(ann, "end", password=PASSWORD, code=people.next_code(secret))
    waiting.api.tick(seconds=30)
    waiting.submit(CODE, code=people.next_code(secret))

    assert waiting.at in (CODE, "/users/sign_in")
