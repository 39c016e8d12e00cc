"""Run MiniStack in its own Python, with AWS behaviour that it lacks."""

# ruff: noqa: SLF001 (MiniStack has no hook for this)

from typing import Any

from ministack import app
from ministack.services import cognito, lambda_svc

_CONFIRM = cognito._confirm_sign_up
_CREATE = cognito._admin_create_user
_RESOLVE = cognito._resolve_user
_EXECUTE = lambda_svc._execute_function_with_config_scope
_OK = 200
_FEDERATED = "EXTERNAL_PROVIDER"
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


def admin_create_user(data: dict[str, Any]) -> Any:
    """Create a user. One with `identities` is a provider's, as user_pool.py creates them."""
    if not any(attribute["Name"] == "identities" for attribute in data.get("UserAttributes", [])):
        return _CREATE(data)
    pool = cognito._user_pools[data["UserPoolId"]]
    kept, pool["UsernameAttributes"] = pool.get("UsernameAttributes"), []  # its name is no address
    try:
        answer = _CREATE(data)
    finally:
        pool["UsernameAttributes"] = kept
    pool["_users"][data["Username"]]["UserStatus"] = _FEDERATED
    return answer


def resolve_user(pool: dict[str, Any], username: str) -> Any:
    """Find a user; one of a provider by its name alone, not by its `sub` or address."""
    if username not in pool["_users"]:
        users = pool["_users"].items()
        pool = pool | {"_users": {name: user for name, user in users if user["UserStatus"] != _FEDERATED}}
    return _RESOLVE(pool, username)


def execute_with_peer(record: Any, event: Any) -> Any:
    """Run a function; a request has the address of the gateway's caller, as API Gateway sets it."""
    if isinstance(event, dict) and (peer := event.get("headers", {}).pop(_PEER, "")):
        event["requestContext"]["http"]["sourceIp"] = peer
    return _EXECUTE(record, event)


def restore_no_positions(_store: Any, _positions: Any) -> None:
    """Let a stream's readers begin at its start. MiniStack restores their places, but not the records."""


if __name__ == "__main__":
    cognito._confirm_sign_up = confirm_sign_up
    cognito._admin_create_user = admin_create_user
    cognito._resolve_user = resolve_user
    lambda_svc._execute_function_with_config_scope = execute_with_peer
    lambda_svc._restore_esm_positions = restore_no_positions
    app.main()
