"""template.yaml and the code agree."""

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from infra.build import conditions, template
from shared.aws import tables
from shared.identity import provider_sign_in
from shared.runtime import settings
from tests.engines import resources

FUNCTIONS = template.ROOT / "functions"
HANDLERS = {
    ".".join(path.relative_to(FUNCTIONS).with_suffix("").parts)
    for path in FUNCTIONS.rglob("*.py")
    if path.stem != "__init__"
}


# Functions without a route.
BACKGROUND = {
    *("PublishEvents", "SendMail", "SendNotice", "NoteMailReturn", "ScheduleRemoval", "RemoveObjects"),
    *("LabelInstanceKey", "Probe"),
}


def test_the_templates_stay_readable() -> None:
    lines = [len(path.read_text().splitlines()) for path in (template.PATH, *(template.ROOT / "infra").glob("*.yaml"))]

    assert lines[0] <= 2_000
    assert sum(lines) <= 2_250
    assert len(template.load()["Parameters"]) <= 51


def camel(stem: str) -> str:
    return "".join(word.capitalize() for word in stem.rpartition(".")[2].split("_"))


def test_handlers_and_functions_match_by_name() -> None:
    named = {name: function["Handler"] for name, function in template.functions().items()}

    assert named == {camel(stem): f"functions.{stem}.handler" for stem in HANDLERS}


@pytest.mark.parametrize(
    ("reader", "writer"),
    [
        *((reader, writer) for reader in ("RetrievePush", "Recipient") for writer in ("CreatePush", "Send")),
        *((reader, writer) for reader in ("ReadStatus", "ExpirePush", "Manage") for writer in ("CreatePush", "Send")),
        *(
            (reader, writer)
            for reader in ("ReadAudit", "MyPushes")
            for writer in ("CreatePush", "Send", "NotifyEmails")
        ),
        *(("ScheduleRemovalSecretGone", writer) for writer in ("RetrievePush", "Recipient")),
        *(("RemoveObjects", writer) for writer in ("RetrievePush", "Recipient")),
    ],
)
def test_a_deployment_updates_readers_before_writers(reader: str, writer: str) -> None:
    assert reader in template.load()["Resources"][writer]["DependsOn"]


def test_an_account_s_address_changes_only_when_its_new_one_is_confirmed() -> None:
    """Otherwise anybody with an access token could mail in another person's name."""
    [pool] = template.resources("AWS::Cognito::UserPool").values()

    assert pool["UserAttributeUpdateSettings"] == {"AttributesRequireVerificationBeforeUpdate": ["email"]}
    assert pool["AutoVerifiedAttributes"] == ["email"]


def test_cognito_s_own_pages_sign_nobody_up_or_in_with_a_password() -> None:
    """A user pool with a domain has such pages, past our rate limits, for a client with COGNITO and an OAuth flow."""
    clients = template.resources("AWS::Cognito::UserPoolClient")
    with_password, provider = clients["UserPoolClient"], clients["ProviderClient"]

    assert len(clients) == 2
    assert template.resources("AWS::Cognito::UserPool")["UserPool"]["UserPoolTier"] == "LITE"  # has the classic pages
    assert with_password["ExplicitAuthFlows"] == ["ALLOW_USER_PASSWORD_AUTH"]
    assert with_password["AllowedOAuthFlowsUserPoolClient"] is False
    assert not {name for name in with_password if name.startswith(("AllowedOAuthFlows", "Callback"))} - {
        "AllowedOAuthFlowsUserPoolClient"
    }
    assert provider["SupportedIdentityProviders"] == ["Oidc"]
    assert provider["ExplicitAuthFlows"] == ["ALLOW_REFRESH_TOKEN_AUTH"]
    assert (provider["AllowedOAuthFlows"], provider["AllowedOAuthScopes"]) == (["code"], ["openid", "email"])
    assert provider["CallbackURLs"] == [{"Fn::Sub": "${BaseUrl}/users/sign_in/callback"}]
    assert provider["LogoutURLs"] == [{"Fn::Sub": "${BaseUrl}/users/sign_in"}]
    assert with_password["GenerateSecret"] is provider["GenerateSecret"] is True


def test_the_code_and_the_template_name_the_provider_alike() -> None:
    [provider] = template.resources("AWS::Cognito::UserPoolIdentityProvider").values()

    assert provider["ProviderName"] == provider_sign_in.PROVIDER
    assert provider["AttributeMapping"]["email_verified"] == {"Ref": "OidcVerifiedClaim"}
    assert template.defaults()["OidcVerifiedClaim"] == "email_verified"


def test_every_function_has_a_route_and_every_route_is_served_once() -> None:
    routes = list(template.routes())

    assert {route.function for route in routes} | BACKGROUND == set(template.functions())
    assert len({route.key for route in routes}) == len(routes)


def test_every_endpoint_of_the_specification_answers_with_and_without_json() -> None:
    from tests.drivers.client import match_route

    endpoints = {
        "GET /api/v2/version": "Version",
        "POST /api/v2/pushes": "CreatePush",
        "GET /api/v2/pushes/active": "ListActive",
        "GET /api/v2/pushes/expired": "ListExpired",
        "GET /api/v2/pushes/T": "RetrievePush",
        "GET /api/v2/pushes/T/preview": "PreviewPush",
        "GET /api/v2/pushes/T/audit": "ReadAudit",
        "DELETE /api/v2/pushes/T": "ExpirePush",
    }
    served_by = {route.key: route.function for route in template.routes()}

    for endpoint, function in endpoints.items():
        method, path = endpoint.split()
        for form in (path, f"{path}.json"):
            assert served_by[match_route(method, form)[0]] == function


@pytest.mark.parametrize("stem", sorted(HANDLERS))
def test_the_first_line_of_a_handler_names_its_route(stem: str) -> None:
    document = importlib.import_module(f"functions.{stem}").__doc__ or ""
    keys = [route.key for route in template.routes() if route.function == camel(stem)]

    assert keys in (["$default"], []) or document.startswith(f"{keys[0]}: ")


def test_every_setting_is_declared_and_read() -> None:
    declared = set(template.environment())
    read = re.findall(r'\("([A-Z_]+)", ', Path(settings.__file__).read_text())

    assert declared | {"AWS_REGION"} == set(read)
    assert len(read) == len(settings.Settings._fields)


def test_every_parameter_is_used_and_explained() -> None:
    text = template.PATH.read_text()

    for name, parameter in template.load()["Parameters"].items():
        assert f"!Ref {name}" in text
        assert parameter["Description"]


@pytest.mark.parametrize(
    "model", [tables.Pushes, tables.Secrets, tables.AuditEntries, tables.ApiTokens, tables.Asks, tables.Quotas]
)
def test_a_table_has_the_keys_and_indexes_that_the_store_uses(model: Any) -> None:
    table = template.resources("AWS::DynamoDB::Table")[model.__name__]
    schema = model._get_schema()
    indexes = {one["index_name"]: one["key_schema"] for one in schema["global_secondary_indexes"]}
    declared = {one["IndexName"]: one["KeySchema"] for one in table.get("GlobalSecondaryIndexes", [])}

    assert unordered(table["KeySchema"]) == unordered(schema["key_schema"])
    assert unordered(table["AttributeDefinitions"]) == unordered(schema["attribute_definitions"])
    assert {name: unordered(keys) for name, keys in declared.items()} == {
        name: unordered(keys) for name, keys in indexes.items()
    }
    assert hasattr(model, table["TimeToLiveSpecification"]["AttributeName"])


def unordered(rows: list[dict[str, str]]) -> set[frozenset[tuple[str, str]]]:
    return {frozenset(row.items()) for row in rows}


def test_only_the_secrets_and_the_counters_have_no_backup() -> None:
    backed_up = {
        name: table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
        for name, table in template.resources("AWS::DynamoDB::Table").items()
    }

    assert backed_up == {
        "Pushes": True,
        "Secrets": False,
        "AuditEntries": True,
        "ApiTokens": True,
        "Asks": True,
        "Quotas": False,
    }


def test_an_access_log_line_names_the_route_and_never_a_path_or_a_query() -> None:
    line = template.resources("AWS::Serverless::HttpApi")["Api"]["AccessLogSettings"]["Format"]

    assert "$context.routeKey" in line
    # A message of the integration's may have quotes, which the gateway does not escape: the line would be no JSON.
    assert not re.search(r"\$context\.\S*[mM]essage", line)
    assert set(json.loads(line)) >= {"route", "status", "ip", "error"}
    assert not re.search(r"path|query|\$context\.http|authorizer|userAgent|referer", line, re.IGNORECASE)


def test_every_log_group_forgets_and_every_function_logs_there() -> None:
    groups = template.resources("AWS::Logs::LogGroup")

    assert all(group["RetentionInDays"] == {"Ref": "LogRetentionDays"} for group in groups.values())
    assert template.load()["Globals"]["Function"]["LoggingConfig"]["LogGroup"] == {"Ref": "FunctionLogs"}


def test_what_keeps_data_says_what_a_deletion_does_to_it() -> None:
    for name, resource in template.load()["Resources"].items():
        if resource["Type"] in {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::Logs::LogGroup"}:
            assert resource["DeletionPolicy"], name


def test_the_tests_run_with_the_templates_defaults() -> None:
    assert settings.load(resources.environment()).retrieval_step is True


@pytest.mark.parametrize(("key", "algorithm", "permitted"), [("", "AES256", False), ("arn:aws:kms:x", "aws:kms", True)])
def test_the_bucket_uses_a_key_that_is_given_and_so_do_its_functions(key: str, algorithm: str, permitted: bool) -> None:
    resources = conditions.resolve(template.load(), template.defaults() | {"BucketKeyArn": key})["Resources"]

    [encryption] = resources["Bucket"]["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert encryption["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == algorithm
    for name in ("CreatePush", "Send", "RetrievePush", "Recipient"):
        assert ("kms:GenerateDataKey" in repr(resources[name]["Properties"]["Policies"])) == permitted, name


def test_the_bucket_is_private_encrypted_tidied_and_for_tls_only() -> None:
    bucket = template.resources("AWS::S3::Bucket")["Bucket"]
    [encryption] = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    [rule] = bucket["LifecycleConfiguration"]["Rules"]
    [statement] = template.resources("AWS::S3::BucketPolicy")["BucketPolicy"]["PolicyDocument"]["Statement"]

    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert encryption["ServerSideEncryptionByDefault"]["Fn::If"][2] == {"SSEAlgorithm": "AES256"}
    assert rule["ExpirationInDays"] == 91
    assert rule["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
    assert "VersioningConfiguration" not in bucket
    assert statement["Effect"] == "Deny"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_our_own_answer_comes_before_the_gateways() -> None:
    from shared.aws import backoff

    timeout = template.load()["Globals"]["Function"]["Timeout"]

    assert backoff.PATIENCE + backoff.RESERVE < timeout < 30


def test_every_table_and_index_has_the_fuse_and_zero_leaves_it_out() -> None:
    tables = template.resources("AWS::DynamoDB::Table").values()
    indexes = [index for table in tables for index in table.get("GlobalSecondaryIndexes", [])]
    units = {"MaxWriteRequestUnits": {"Ref": "MaxWriteRequestUnits"}}

    for fused in [*tables, *indexes]:
        assert fused["OnDemandThroughput"] == {"Fn::If": ["HasFuse", units, {"Ref": "AWS::NoValue"}]}
    assert template.load()["Conditions"]["HasFuse"] == {
        "Fn::Not": [{"Fn::Equals": [{"Ref": "MaxWriteRequestUnits"}, "0"]}]
    }


def test_nothing_in_the_template_is_null() -> None:
    """CloudFormation rejects a template with null, but the emulator and cfn-lint accept it."""

    def is_null_in(value: Any) -> bool:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        return value is None or any(map(is_null_in, inner))

    assert not is_null_in(template.load())
