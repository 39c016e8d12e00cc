"""An encrypted payload too large for an item is stored in the bucket."""

import pytest

from shared.aws import files, reads, uploads
from shared.domain import digests
from shared.domain.file import File, NewFile
from shared.domain.limits import DOWNLOAD_LIFETIME
from tests.conftest import Configure
from tests.drivers.client import START, Api
from tests.engines import resources


def test_a_payload_comes_back_as_it_was_put(aws: None) -> None:
    files.put_sealed("one", files.PAYLOAD, b"\x00\xff")
    files.put_sealed("other", files.PAYLOAD, b"else")

    assert files.get_sealed("one", files.PAYLOAD) == b"\x00\xff"


def test_only_a_large_payload_goes_to_the_bucket(api: Api) -> None:
    api.push("a" * (3_584 - 28))  # with a nonce and a tag, the most that fits in 4 KiB with the rest of the item

    assert resources.stored()["Bucket"] == 0

    api.push("a" * (3_584 - 27))

    assert resources.stored()["Bucket"] == 1


def test_the_bucket_holds_ciphertext_under_the_push_s_id(api: Api) -> None:
    url_token = api.push("a" * 400_000)

    push = reads.find(digests.digest(url_token))
    assert push
    body = (
        resources.client("s3").get_object(Bucket="test-bucket", Key=f"{push.id}/{push.attempt}/payload")["Body"].read()
    )

    assert len(body) == 400_000 + 12 + 16
    assert b"a" * 16 not in body


def test_a_protected_large_payload_is_retrieved_as_any(api: Api) -> None:
    url_token = api.push("ü" * 400_000, passphrase="p", expire_after_views=1)

    assert api.retrieve(url_token, "q").status == 401
    assert api.retrieve(url_token, "p").json["payload"] == "ü" * 400_000
    assert api.retrieve(url_token, "p").json["payload"] is None


@pytest.mark.parametrize(
    ("region", "host"),
    [("us-east-1", "s3.amazonaws.com"), ("eu-central-1", "s3.eu-central-1.amazonaws.com")],
)
def test_links_name_the_host_of_the_region(aws: None, configure: Configure, region: str, host: str) -> None:
    configure(AWS_REGION=region)
    resources.forget()

    [download] = files.downloads("one", [File("a", "text/plain", 1)], lifetime=DOWNLOAD_LIFETIME)
    [upload] = uploads.forms("one", [NewFile("a", "text/plain", 1, None)], now=START)

    assert download.url.startswith(f"https://test-bucket.{host}/one/files/0?")
    assert upload.url == f"https://test-bucket.{host}/"
    resources.forget()


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1", "cn-north-1"])
@pytest.mark.parametrize("endpoint", ["", "http://127.0.0.1:4566"])
def test_the_page_may_bring_files_to_just_the_host_of_the_forms(
    configure: Configure, region: str, endpoint: str
) -> None:
    configure(AWS_REGION=region, **({"AWS_ENDPOINT_URL": endpoint} if endpoint else {}))
    resources.forget()
    [upload] = uploads.forms("id", [NewFile("a", "text/plain", 1, None)], now=START)

    origin = files.origin()

    resources.forget()
    assert upload.url.startswith(f"{origin}/")
