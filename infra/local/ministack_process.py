"""Run MiniStack in its own Python, with AWS behaviour that it lacks."""

# ruff: noqa: SLF001 (MiniStack has no hook for this)

from typing import Any

from ministack import app
from ministack.services import cognito, lambda_svc

_CONFIRM = cognito._confirm_sign_up
_EXECUTE = lambda_svc._execute_function_with_config_scope
_OK = 200
_PEER = "x-local-peer"  # as in gateway.py, which this Python cannot import


def confirm_sign_up(data: dict[str, Any]) -> Any:
    """Confirm an account and mark its address as verified, as a user pool with e-mail codes does."""
    answer = _CONFIRM(data)
    if answer[0] == _OK:
        [pool] = [pool for pool in cognito._user_pools.values() if data["ClientId"] in pool["_clients"]]
        user, _ = cognito._resolve_user(pool, data["Username"])
        others = [attribute for attribute in user["Attributes"] if attribute["Name"] != "email_verified"]
        user["Attributes"] = [*others, {"Name": "email_verified", "Value": "true"}]
    return answer


def execute_with_peer(record: Any, event: Any) -> Any:
    """Run a function; a request has the address of the gateway's caller, as API Gateway sets it."""
    if isinstance(event, dict) and (peer := event.get("headers", {}).pop(_PEER, "")):
        event["requestContext"]["http"]["sourceIp"] = peer
    return _EXECUTE(record, event)


if __name__ == "__main__":
    cognito._confirm_sign_up = confirm_sign_up
    lambda_svc._execute_function_with_config_scope = execute_with_peer
    app.main()
