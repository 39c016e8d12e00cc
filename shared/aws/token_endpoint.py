"""Cognito's token endpoint: exchange the code of a sign-in for an ID token (RFC 6749, section 4.1.3)."""

import json
from functools import cache
from typing import Any
from urllib.parse import urlencode

import urllib3

from shared.aws import cognito
from shared.domain import errors
from shared.runtime import deadline, metrics
from shared.runtime.settings import current

_READ_TIMEOUT = 5  # seconds; longer than for other calls, because this one is never retried
_LARGEST = 65_536  # bytes; an ID token has about 1,500
_BAD_REQUEST = 400
# RFC 6749, section 5.2. The others of its codes say that our settings are wrong, not the visitor's code.
_CODE_REFUSED = "invalid_grant"
_OUR_FAULTS = {"invalid_client", "invalid_request", "unauthorized_client", "unsupported_grant_type", "invalid_scope"}


def exchange(code: str, verifier: str, redirect_uri: str) -> str:
    """Return the ID token for a code. One try, because a code works once.

    Raises: ProviderRefused, if the code is unknown, used or expired, or from another sign-in; ProviderUnavailable.
    """
    deadline.check()
    client_id = current().provider_client_id
    headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
    headers |= urllib3.make_headers(basic_auth=f"{client_id}:{cognito.client_secret(client_id)}")
    fields = {"grant_type": "authorization_code", "client_id": client_id, "redirect_uri": redirect_uri}
    body = urlencode(fields | {"code": code, "code_verifier": verifier})
    try:
        status, answer = _post(f"{current().cognito_domain}/oauth2/token", headers, body)
    except (urllib3.exceptions.HTTPError, ValueError) as error:
        raise _unavailable(type(error).__name__) from None
    if isinstance(id_token := answer.get("id_token"), str):
        return id_token
    fault = answer.get("error")
    if status == _BAD_REQUEST and fault == _CODE_REFUSED:
        raise errors.ProviderRefused
    raise _unavailable(fault if fault in _OUR_FAULTS else f"Status{status}")


def _post(url: str, headers: dict[str, str], body: str) -> tuple[int, dict[str, Any]]:
    connect = deadline.CONNECT_TIMEOUT
    read = min(_READ_TIMEOUT, deadline.seconds_left() - connect - 1)  # one second is left for our response
    timeout = urllib3.Timeout(connect=connect, read=read)
    response = _http().request("POST", url, headers=headers, body=body, timeout=timeout, preload_content=False)
    try:
        answer = json.loads(response.read(_LARGEST))
    finally:
        response.close()
    return response.status, answer if isinstance(answer, dict) else {}


@cache
def _http() -> urllib3.PoolManager:
    return urllib3.PoolManager(retries=False)  # without retries, a redirect is returned, not followed


def _unavailable(reason: str) -> errors.ProviderUnavailable:
    metrics.count("ProviderFailed", reason)
    return errors.ProviderUnavailable()
