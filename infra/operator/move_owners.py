"""Move what 0.4.0 kept under e-mail addresses to the accounts that have them, or else to names.

Run it once after the update; it can be run again, and prints counts only.

python -m infra.operator.move_owners --dry-run
python -m infra.operator.move_owners

A push or an API token of `bob@example.com` goes to the account with that address if it is confirmed, else to the name.
Sessions of 0.4.0 are dropped. So are its accounts that nobody has confirmed: whoever signed up chose their password.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Any

from infra.operator import installation

# The update makes another app client. After this time, the old functions that sign people up have ended.
_GRACE = timedelta(hours=1)


def main(arguments: list[str] | None = None) -> None:
    """Move everything, and print how many items of each kind were moved."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installation.add_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="count what would be done, and do nothing")
    options = parser.parse_args(arguments)
    installation.connect(options)
    counted = move(is_dry=options.dry_run)
    for what in ("pushes", "API tokens", "sessions dropped", "unconfirmed accounts dropped"):
        print(f"{counted[what]:>8,} {what}")


def move(*, is_dry: bool) -> Counter[str]:
    """Move everything, or only count it."""
    counted: Counter[str] = Counter()
    _owner.cache_clear()
    for item in _of_0_4_0(os.environ["PUSHES_TABLE"], "id"):
        counted["pushes"] += _set_owner(os.environ["PUSHES_TABLE"], "id", item, is_dry=is_dry)
    for item in _of_0_4_0(os.environ["API_TOKENS_TABLE"], "digest"):
        if item["is_session"]["BOOL"]:
            counted["sessions dropped"] += _remove(item, is_dry=is_dry)
        else:
            counted["API tokens"] += _set_owner(os.environ["API_TOKENS_TABLE"], "digest", item, is_dry=is_dry)
    counted["unconfirmed accounts dropped"] = _drop_unconfirmed(is_dry=is_dry)
    return counted


def _of_0_4_0(table: str, key: str) -> Iterator[dict[str, Any]]:
    """The items whose owner is still a bare e-mail address."""
    pages = (
        _client("dynamodb")
        .get_paginator("scan")
        .paginate(
            TableName=table,
            ConsistentRead=True,
            ProjectionExpression="#key, #owner, is_session",
            FilterExpression="attribute_exists(#owner)",
            ExpressionAttributeNames={"#key": key, "#owner": "owner"},
        )
    )
    from shared.domain import owners

    return (item for page in pages for item in page["Items"] if not owners.has_space(item["owner"]["S"]))


def _set_owner(table: str, key: str, item: dict[str, Any], *, is_dry: bool) -> int:
    if is_dry:
        return 1
    dynamodb = _client("dynamodb")
    try:
        dynamodb.update_item(
            TableName=table,
            Key={key: item[key]},
            UpdateExpression="SET #owner = :new",
            ConditionExpression="#owner = :old",  # idempotent: gone or moved meanwhile
            ExpressionAttributeNames={"#owner": "owner"},
            ExpressionAttributeValues={":new": {"S": _owner(item["owner"]["S"].lower())}, ":old": item["owner"]},
        )
    except dynamodb.exceptions.ConditionalCheckFailedException:
        return 0
    return 1


def _remove(session: dict[str, Any], *, is_dry: bool) -> int:
    if not is_dry:
        _client("dynamodb").delete_item(TableName=os.environ["API_TOKENS_TABLE"], Key={"digest": session["digest"]})
    return 1


@cache
def _owner(address: str) -> str:
    from shared.aws import cognito
    from shared.domain import account_rules, errors, owners

    try:
        account_rules.check_address(address)
    except errors.AddressRefused:  # a name of an operator's
        return owners.of_name(address)
    account = cognito.find(address)
    return account.owner if account and account.is_confirmed else owners.of_name(address)


def _drop_unconfirmed(*, is_dry: bool) -> int:
    pool_id = os.environ["USER_POOL_ID"]
    client = _client("cognito-idp")
    app = {"UserPoolId": pool_id, "ClientId": os.environ["USER_POOL_CLIENT_ID"]}
    updated_at = client.describe_user_pool_client(**app)["UserPoolClient"]["CreationDate"]
    pages = client.get_paginator("list_users").paginate(
        UserPoolId=pool_id, Filter='cognito:user_status = "UNCONFIRMED"'
    )
    users = [user for page in pages for user in page["Users"] if user["UserCreateDate"] < updated_at + _GRACE]
    for user in users if not is_dry else []:
        client.admin_delete_user(UserPoolId=pool_id, Username=user["Username"])
    return len(users)


def _client(service: str) -> Any:
    from shared.aws import clients

    return clients.client(service)


if __name__ == "__main__":
    main()
