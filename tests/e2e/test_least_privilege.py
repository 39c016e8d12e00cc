"""Promise 8 on the running stack: with IAM enforced, a push's whole life still works, and a role can do no more."""

import json
import re

import pytest
import requests

from infra.build import template
from infra.local.stack import Stack
from tests.drivers.browser import Browser
from tests.drivers.http_client import HttpApi
from tests.e2e import aws
from tests.e2e.test_files import eventually, objects
from tests.meters.proof import Prove

LARGE = "x" * 400_000
PASSWORD = "correct horse battery"


def test_iam_is_enforced(stack: Stack) -> None:
    stranger = stack.emulator.client("iam").create_user(UserName="nobody")["User"]["UserName"]
    key = stack.emulator.client("iam").create_access_key(UserName=stranger)["AccessKey"]

    refused = stack.emulator.client("dynamodb", key["AccessKeyId"], key["SecretAccessKey"])

    with pytest.raises(refused.exceptions.ClientError, match="AccessDenied"):
        refused.list_tables()


def test_the_buckets_policy_denies_plain_http(stack: Stack, bob: HttpApi) -> None:
    s3, bucket = stack.emulator.client("s3"), aws.physical(stack, "Bucket")
    [policy] = template.resources("AWS::S3::BucketPolicy").values()
    [statement] = policy["PolicyDocument"]["Statement"]
    arn = f"arn:aws:s3:::{bucket}"
    # Writes alone: a removal that an earlier test left to the queue would be refused, too.
    writes = statement | {"Action": "s3:PutObject", "Resource": f"{arn}/*"}
    document = {"Version": "2012-10-17", "Statement": [writes]}

    s3.put_bucket_policy(Bucket=bucket, Policy=json.dumps(document))
    refused = bob.create(LARGE).status
    s3.delete_bucket_policy(Bucket=bucket)

    assert (refused, bob.create(LARGE).status) == (503, 201)
    assert statement["Action"] == "s3:*"


def test_a_push_lives_and_dies(stack: Stack, bob: HttpApi) -> None:
    files = [{"filename": "a.txt", "data": "aGVsbG8="}]
    url_token = bob.push(LARGE, files=files, passphrase="right", expire_after_views=2)

    statuses = [bob.retrieve(url_token, guess).status for guess in (None, "wrong")]
    retrieved = bob.retrieve(url_token, "right").json
    [link] = retrieved["files"]

    assert statuses == [401, 401]
    assert retrieved["payload"] == LARGE
    assert requests.get(link["url"], timeout=30).content == b"hello"
    assert bob.preview(url_token).status == 200
    assert url_token in [push["url_token"] for push in bob.active().json]
    assert bob.retrieve(url_token, "right").json["views_remaining"] == 0
    assert bob.retrieve(url_token, "right").json["expired"] is True
    assert url_token in [push["url_token"] for push in bob.expired().json]
    assert len(bob.kinds(url_token)) == 6
    assert eventually(lambda: objects(stack, url_token) == [])


def test_a_file_is_brought_directly_and_the_push_expired(stack: Stack, bob: HttpApi) -> None:
    created = bob.create("", files=[{"filename": "a.bin", "size": 3}]).json
    [upload] = created["uploads"]

    before = bob.retrieve(created["url_token"]).status
    brought = requests.post(upload["url"], data=upload["fields"], files={"file": b"abc"}, timeout=30).status_code
    after = bob.retrieve(created["url_token"]).status

    assert (before, brought, after) == (409, 204, 200)
    assert bob.expire(created["url_token"]).json["deleted"] is True
    assert eventually(lambda: objects(stack, created["url_token"]) == [])


def test_the_pages_work(stack: Stack) -> None:
    stack.emulator.make_account("ann@example.com", PASSWORD)
    anonymous = HttpApi(base_url=stack.base_url)
    ann = Browser(anonymous)

    ann.visit("/users/sign_in").submit(email="ann@example.com", password=PASSWORD)
    ann.visit("/").submit("", **{"push[payload]": LARGE, "push[name]": "Mine", "push[passphrase]": "right"})
    [link] = re.findall(r'id="link"[^>]*>[^<]*(/p/\w+/r)<', ann.page.text)
    ann.visit(link).submit(passphrase="wrong")
    refused = ann.page.status
    ann.submit(passphrase="right")
    revealed = LARGE in ann.page.text
    [record] = re.findall(r'href="(/pushes/\w{64})"', ann.visit("/pushes").page.text)
    ann.visit(record).submit("", expire="yes")
    over = "Expire it now" not in ann.page.text
    ann.visit("/users/token").submit("", name="laptop")
    [digest] = re.findall(r'name="revoke" value="(\w+)"', ann.page.text)
    ann.submit("", revoke=digest)
    revoked = "You have no API tokens." in ann.page.text
    deletable = anonymous.push(retrieval_step=False)
    ann.visit(f"/p/{deletable}").submit(f"/p/{deletable}/expire", sure="yes")
    deleted = "deleted for good" in ann.page.text
    ann.visit("/").submit("/users/sign_out")

    assert (refused, revealed, over, revoked, deleted) == (401, True, True, True, True)
    assert ann.visit("/pushes").at == "/users/sign_in"
    assert [anonymous.get(path).status for path in ("/assets/site.css", "/f/x", "/nowhere")] == [200, 301, 404]


def test_no_function_was_refused_anything(stack: Stack, prove: Prove) -> None:
    """The last test of the directory: see conftest.py."""
    lines = aws.log_lines(stack)

    requests_served = [line for line in lines if '"route"' in line]

    assert requests_served
    assert len(aws.refusals(stack)) == 1  # over plain HTTP, above
    prove(
        "8",
        "With IAM enforced, no function of a deployed stack is refused anything that its endpoint needs",
        f"{len(requests_served):,} requests to deployed functions, 0 refused by IAM; MiniStack",
    )
