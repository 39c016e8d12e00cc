"""With CloudFront in front of the gateway, its header with the caller's address counts, if its secret is right."""

from collections import Counter
from typing import Any

import pytest

from infra.build import template
from shared.runtime import settings
from shared.web import cloudfront
from tests.conftest import Configure
from tests.drivers.client import Api

SECRET = "the secret of the front"
SEEN, VIEWER, FORGED = "192.0.2.1", "198.51.100.7", "203.0.113.99"
FORGERIES = {
    "x-forwarded-for": FORGED,
    "cloudfront-viewer-address": f"{FORGED}:443",
    "x-real-ip": FORGED,
    "forwarded": f"for={FORGED}",
}
FRONT = template.read(template.ROOT / "infra" / "front.yaml")
PATHS = ["/", "/api/v2/version", "/api/v2/pushes/active", "/assets/site.css", "/nowhere", "/up"]
BY_THE_FRONT = {cloudfront.SECRET: SECRET, cloudfront.ADDRESS: VIEWER}


def audited_address(bob: Api, headers: dict[str, str]) -> str:
    """Return the audit log's address for a view with these headers."""
    url_token = bob.push()
    bob.headers = headers
    bob.retrieve(url_token)
    bob.headers = {cloudfront.SECRET: headers.get(cloudfront.SECRET, "")}
    return str(bob.audit(url_token).json["logs"][-1]["ip"])


@pytest.mark.parametrize("headers", [FORGERIES, FORGERIES | {cloudfront.ADDRESS: FORGED}, FORGERIES | BY_THE_FRONT])
def test_without_a_front_no_header_says_whom_a_request_comes_from(bob: Api, headers: dict[str, str]) -> None:
    assert audited_address(bob, headers) == SEEN


def test_behind_a_front_its_word_counts_and_no_other_headers(bob: Api, configure: Configure) -> None:
    configure(ORIGIN_SECRET=SECRET)
    bob.headers = BY_THE_FRONT

    assert audited_address(bob, FORGERIES | BY_THE_FRONT) == VIEWER


@pytest.mark.parametrize(
    "sent", [{}, {cloudfront.SECRET: ""}, {cloudfront.SECRET: SECRET[:-1]}, {cloudfront.SECRET: "sécret"}]
)
@pytest.mark.parametrize(
    "path", ["/", "/api/v2/version", "/api/v2/pushes/active", "/assets/site.css", "/nowhere", "/up"]
)
def test_a_request_that_bypasses_cloudfront_finds_nothing(
    bob: Api, configure: Configure, path: str, sent: dict[str, str]
) -> None:
    configure(ORIGIN_SECRET=SECRET, CLOUDFRONT="required")

    answer = bob.request("GET", path, headers=sent | {cloudfront.ADDRESS: FORGED})

    assert answer.status == 404


def test_a_request_that_bypasses_cloudfront_counts_no_view(bob: Api, configure: Configure) -> None:
    url_token = bob.push(expire_after_views=1)
    configure(ORIGIN_SECRET=SECRET, CLOUDFRONT="required")

    refused = bob.retrieve(url_token)

    bob.headers = BY_THE_FRONT
    assert refused.status == 404
    assert bob.retrieve(url_token).json["payload"] == "s3cret"


def test_while_it_is_optional_requests_past_it_are_served_and_claim_no_address(bob: Api, configure: Configure) -> None:
    configure(ORIGIN_SECRET=SECRET, CLOUDFRONT="optional")

    assert bob.get("/api/v2/version").status == 200
    assert audited_address(bob, FORGERIES | {cloudfront.ADDRESS: FORGED}) == SEEN


def test_the_secret_of_the_front_is_in_no_repr(configure: Configure) -> None:
    configure(ORIGIN_SECRET=SECRET)

    assert settings.current().origin_secret == SECRET
    assert SECRET not in repr(settings.current())


# ---------------------------------------------------------------- the template


def distribution() -> dict[str, Any]:
    config: dict[str, Any] = FRONT["Resources"]["Distribution"]["Properties"]["DistributionConfig"]
    return config


def test_the_distribution_shows_the_secret_that_the_functions_want() -> None:
    [origin] = distribution()["Origins"]
    [header] = origin["OriginCustomHeaders"]

    secret = {"Fn::Sub": "{{resolve:secretsmanager:${OriginSecret}}}"}
    assert header == {"HeaderName": cloudfront.SECRET, "HeaderValue": {"Ref": "OriginSecret"}}
    assert FRONT["Parameters"]["OriginSecret"]["NoEcho"] is True
    assert template.environment()["ORIGIN_SECRET"] == {"Fn::If": ["HasFront", secret, ""]}


def test_the_distribution_writes_the_address_over_whatever_the_caller_sent() -> None:
    code = FRONT["Resources"]["ViewerAddress"]["Properties"]["FunctionCode"]

    assert f"event.request.headers['{cloudfront.ADDRESS}'] = {{value: event.viewer.ip}}" in code


def test_the_distribution_caches_nothing_and_hides_the_host_name() -> None:
    behaviour = distribution()["DefaultCacheBehavior"]

    assert behaviour["CachePolicyId"] == "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
    assert behaviour["OriginRequestPolicyId"] == "b689b0a8-53d0-40ab-baf2-68738e2966ac"


def test_the_distribution_keeps_no_error_either() -> None:
    """By default CloudFront caches these for ten seconds ("How CloudFront processes HTTP 4xx and 5xx")."""
    told = {one["ErrorCode"]: one["ErrorCachingMinTTL"] for one in distribution()["CustomErrorResponses"]}

    assert told == dict.fromkeys((400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504), 0)


def test_neither_the_distribution_nor_the_firewall_keeps_a_path_or_a_query() -> None:
    acl = FRONT["Resources"]["WebAcl"]["Properties"]
    visible = [acl["VisibilityConfig"], *(rule["VisibilityConfig"] for rule in acl["Rules"])]

    assert "Logging" not in distribution()
    assert {one["SampledRequestsEnabled"] for one in visible} == {False}
    assert not {one["Type"] for one in (template.load()["Resources"] | FRONT["Resources"]).values()} & {
        "AWS::WAFv2::LoggingConfiguration",
        "AWS::CloudFront::RealtimeLogConfig",
        "AWS::Logs::DeliverySource",
    }


def test_every_rule_of_the_firewall_counts_requests_of_one_address() -> None:
    rules = FRONT["Resources"]["WebAcl"]["Properties"]["Rules"]
    counted = {rule["Statement"]["RateBasedStatement"]["Limit"]["Ref"] for rule in rules}

    assert {rule["Statement"]["RateBasedStatement"]["AggregateKeyType"] for rule in rules} == {"IP"}
    assert counted == {"AddressRate", "AddressWriteRate"}


def test_the_default_endpoint_is_off_only_where_a_domain_needs_no_cloudfront() -> None:
    api = template.resources("AWS::Serverless::HttpApi")["Api"]
    resources = template.load()["Resources"]

    assert api["DisableExecuteApiEndpoint"] == {"Fn::If": ["NeedsNoDefaultEndpoint", True, False]}
    assert resources["ApiDomain"]["Condition"] == resources["ApiMapping"]["Condition"] == "HasDomain"
    # CloudFront sends its requests to the default endpoint, so that must be on.
    assert template.load()["Conditions"]["NeedsNoDefaultEndpoint"] == {
        "Fn::And": [{"Condition": "HasDomain"}, {"Fn::Not": [{"Condition": "HasFront"}]}]
    }


def test_the_domain_has_one_record_whose_target_changes_in_place() -> None:
    records = {
        name: one["Properties"]
        for name, one in template.load()["Resources"].items()
        if one["Type"] == "AWS::Route53::RecordSet"
    }

    assert Counter(record["Type"] for record in records.values()) == {"A": 1, "AAAA": 1}
    target = records["ApiRecord"]["AliasTarget"]["DNSName"]["Fn::If"]
    assert target[:2] == ["HasFrontDomain", {"Ref": "FrontDomainName"}]


def test_nothing_of_it_is_made_unless_a_parameter_asks_for_it() -> None:
    optional = ("AWS::CloudFront::", "AWS::WAFv2::", "AWS::Route53::", "AWS::Budgets::", "AWS::ApiGatewayV2::")
    resources = template.load()["Resources"].values()

    assert all("Condition" in one for one in resources if one["Type"].startswith(optional))
    assert {template.defaults()[name] for name in ("DomainName", "HostedZoneId", "CorsOrigins")} == {""}
    assert template.defaults()["CloudFront"] == "off"
