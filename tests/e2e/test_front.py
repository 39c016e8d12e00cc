"""The deployed stack behind CloudFront: requests that bypass CloudFront are rejected, the others served."""

import pytest

from shared.web import cloudfront
from tests.drivers.http_client import HttpApi
from tests.e2e import aws
from tests.e2e.conftest import mint_token, running

pytestmark = pytest.mark.long

VIEWER = "198.51.100.7"


def test_a_stack_with_a_front_serves_nobody_past_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(tmp_path_factory.mktemp("front"), CloudFront="required") as stack:
        past = HttpApi(base_url=stack.base_url)
        secret = stack.emulator.client("secretsmanager").get_secret_value(SecretId=aws.physical(stack, "OriginSecret"))
        by_it = HttpApi(
            base_url=stack.base_url, headers={cloudfront.SECRET: secret["SecretString"], cloudfront.ADDRESS: VIEWER}
        ).as_owner(mint_token(stack, "bob@example.com"))

        url_token = by_it.push("s3cret")
        refused = past.retrieve(url_token)
        retrieved = by_it.retrieve(url_token)

        assert (past.get("/").status, refused.status) == (404, 404)
        assert retrieved.json["payload"] == "s3cret"
        assert {entry["ip"] for entry in by_it.audit(url_token).json["logs"]} == {VIEWER}
