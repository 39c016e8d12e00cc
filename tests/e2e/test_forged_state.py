"""Forged hidden fields and cookies over HTTP; tests/contract/test_forged_state.py has every case in process."""

import re
import time
import uuid
from urllib.parse import urlencode

from shared.web.cookies import FORM, SESSION
from tests.doubles.one_time_codes import STEP, totp
from tests.drivers import visitor
from tests.drivers.browser import Browser
from tests.drivers.http_client import HttpApi
from tests.e2e.test_mails import CODE

PASSWORD = "correct horse battery 1"
SECOND = "/users/two_factor"


def post(browser: Browser, path: str, **fields: str) -> Browser:
    """Send a form, whichever page is open."""
    return browser._request("POST", path, urlencode(fields).encode())


def test_no_state_that_a_visitor_rewrites_is_believed(api: HttpApi) -> None:
    email = f"{uuid.uuid4().hex}@example.com"
    ann = Browser(api).visit("/users/sign_up").submit("/users/sign_up", email=email)
    ann.submit("/users/confirm", code=CODE, password=PASSWORD).visit("/users/account")
    [token] = set(re.findall(r'name="form_token" value="(\w+)"', ann.page.text))
    other = Browser(api, dict(ann.cookies))
    ann.submit("/users/account", do="begin", password=PASSWORD)
    [shown] = re.findall(r'id="secret"[^>]*>([A-Z2-7 ]+)<', ann.page.text)
    secret, set_up = shown.replace(" ", ""), visitor.state(ann)

    refused = [
        post(ann, "/users/account", do="confirm", form_token=token, state=state, code="123456").page.status
        for state in (*visitor.rewrite_field(set_up), *visitor.sealed(ann.session, visitor.SET_UP, ["a"] * 2))
    ]
    code = totp(secret, int(time.time()) // STEP)
    post(ann, "/users/account", do="confirm", form_token=token, state=set_up, code=code)

    assert set(refused) == {401}
    assert "Two-factor sign-in is on. You are signed out everywhere else." in ann.page.text
    assert other.visit("/pushes").at == "/users/sign_in"

    thief = Browser(api).visit("/users/sign_in").submit("/users/sign_in", email=email, password=PASSWORD)
    state, cookie = visitor.state(thief), thief.cookies[FORM]
    [token] = set(re.findall(r'name="form_token" value="(\w+)"', thief.page.text))
    forged = [
        *visitor.rewrite_field(state),
        *visitor.forged_sign_ins(state, cookie, [email], [visitor.FAR_FUTURE, visitor.LONG_AGO]),
        *visitor.sealed(cookie, visitor.SECOND_STEP, visitor.STRANGE_SHAPES[-1]),
        set_up,
    ]
    code = totp(secret, int(time.time()) // STEP + 1)  # the next code, because each counts once
    refused = [post(thief, SECOND, form_token=token, state=one, code=code).page.status for one in forged]

    assert visitor.read_field(state, cookie, visitor.SECOND_STEP) == []
    assert set(refused) == {401}
    assert SESSION not in thief.cookies
    assert post(thief, SECOND, form_token=token, state=state, code=code).at == "/pushes"
