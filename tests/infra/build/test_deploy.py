"""`make deploy`: what it passes to SAM, what it refuses, and what a deployment by versions adds."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from infra.build import conditions, deploy, template

CONFIG: dict[str, Any] = {
    "stack_name": "s",
    "parameter_overrides": ["SignUp=false", "MailFrom=Ann <a@b.c>"],
    "tags": ["Environment=x"],
}
BASE = {"BaseUrl": "https://push.example.com"}
OIDC = {"OidcIssuer": "https://x.okta.com", "OidcClientId": "x", "OidcClientSecretArn": "arn:x", "OidcName": "Okta"}
MAIL = {"MailIdentityArn": "arn:aws:ses:eu-west-1:1:identity/b.c", "MailFrom": "a@b.c"}
FRONT = BASE | {"CloudFront": "optional"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    path = tmp_path / "template.yaml"
    path.write_text(yaml.safe_dump(template.load(), sort_keys=False))
    return path


def test_every_parameter_is_passed_so_that_a_changed_default_arrives() -> None:
    passed = deploy.sam_arguments(CONFIG, {})

    names = [one.partition("=")[0] for one in passed[1 : passed.index("--tags")]]
    assert names == list(template.load()["Parameters"])
    assert 'SignUp="false"' in passed
    assert 'MailFrom="Ann <a@b.c>"' in passed
    assert 'ThrottleRate="20"' in passed


def test_a_quote_in_a_parameter_does_not_cut_it_off() -> None:
    passed = deploy.sam_arguments(CONFIG | {"parameter_overrides": ['MailFrom="Ann, Sales" <a@b.c>']}, {})

    # As SAM CLI reads it (samcli/cli/types.py, CfnParameterOverridesType): up to the next quote without a backslash.
    assert 'MailFrom="\\"Ann, Sales\\" <a@b.c>"' in passed


def test_a_deployment_is_tagged_with_release_and_commit() -> None:
    passed = deploy.sam_arguments(CONFIG, {})

    tags = dict(one.split("=") for one in passed[passed.index("--tags") + 1 :])
    assert tags["Environment"] == "x"
    assert len(tags["Commit"].removesuffix("-dirty")) == 40
    assert f'"{tags["Release"]}"' in (template.ROOT / "shared/__init__.py").read_text()


@pytest.mark.parametrize(
    ("deployed", "previous"),
    [({}, None), ({"Commit": "a"}, "a"), ({"Commit": "HERE", "PreviousCommit": "a"}, "a"), ({"Commit": "HERE"}, None)],
)
def test_a_deployment_keeps_the_commit_that_another_one_replaced(
    deployed: dict[str, str], previous: str | None
) -> None:
    here = deploy._commit()

    passed = deploy.sam_arguments(CONFIG, {name: value.replace("HERE", here) for name, value in deployed.items()})

    assert [one for one in passed if one.startswith("PreviousCommit")] == [f"PreviousCommit={previous}"] * bool(
        previous
    )


def test_an_environment_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(SystemExit, match=r"has no environment staging\. It has: dev, prod\."):
        deploy.environment("staging")


def test_a_parameter_that_the_template_lacks_is_refused_by_name() -> None:
    with pytest.raises(SystemExit, match=r"template\.yaml does not have: Runtime\."):
        deploy.parameters({"parameter_overrides": ["Runtime=python3.14"]})


def test_nothing_is_built_or_sent_where_a_rule_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(deploy, "_sam", lambda *arguments: calls.append(arguments))

    with pytest.raises(SystemExit, match=r"Nothing was deployed:\nAn installation in use needs AlarmMail"):
        deploy.main(["--config-env", "prod"])

    assert calls == []


@pytest.mark.parametrize(("name", "value"), [("Days", "7,1,90"), ("Days", "1,7,91"), ("Views", "1,101,100")])
def test_bounds_out_of_order_are_refused_by_name_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    config = CONFIG | {"parameter_overrides": [f"{name}={value}"]}
    monkeypatch.setattr(deploy, "environment", lambda _name: config)

    with pytest.raises(SystemExit, match=rf"Nothing was deployed:\n{name} must be minimum,default,maximum"):
        deploy.main(["--config-env", "prod"])


@pytest.mark.parametrize(
    ("stack_name", "base_url", "fault"),
    [
        ("Secrets", BASE["BaseUrl"], "a lowercase stack name"),
        ("our-aws-secrets", BASE["BaseUrl"], "a lowercase stack name"),
        ("s" * 51, BASE["BaseUrl"], "a lowercase stack name"),
        ("secrets", "http://push.example.com", "a BaseUrl with https"),
    ],
)
def test_a_name_that_cognito_would_reject_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, stack_name: str, base_url: str, fault: str
) -> None:
    overrides = [f"{name}={value}" for name, value in (OIDC | {"BaseUrl": base_url}).items()]
    monkeypatch.setattr(
        deploy, "environment", lambda _name: {"stack_name": stack_name, "parameter_overrides": overrides}
    )

    with pytest.raises(SystemExit, match=rf"Nothing was deployed:\nOidcIssuer needs {fault}"):
        deploy.main(["--config-env", "prod"])


@pytest.mark.parametrize("stack_name", ["secret-sharing", "s" * 50])
def test_other_names_are_fit_for_cognito(stack_name: str) -> None:
    assert deploy.unfit_for_cognito(stack_name, BASE | OIDC) == []
    assert deploy.unfit_for_cognito("AWS", template.defaults()) == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"DomainName": "push.example.com"}, "DomainName needs CertificateArn"),
        ({"HostedZoneId": "Z1"}, "HostedZoneId needs DomainName"),
        ({"MailIdentityArn": MAIL["MailIdentityArn"]}, "MailIdentityArn needs MailFrom"),
        ({"MailFrom": MAIL["MailFrom"]}, "MailFrom needs MailIdentityArn"),
        ({"CloudFront": "optional"}, "CloudFront needs BaseUrl"),
        ({"FrontDomainName": "d1.cloudfront.net"}, "FrontDomainName needs CloudFront"),
        ({"ProbeToken": "anonymous"}, "ProbeToken needs BaseUrl"),
        (BASE | {"ProbeToken": "anonymous", "AnonymousAccess": "false"}, "ProbeToken needs the ARN of a secret"),
        ({"DeletionProtection": "true"}, "needs AlarmMail or AlarmTopicArn"),
        ({"MonthlyBudget": "5"}, "MonthlyBudget needs AlarmMail"),
        *((BASE | OIDC | {name: ""}, "OidcName need each other") for name in OIDC),
        (OIDC, "OidcIssuer needs BaseUrl"),
        ({"PasswordSignIn": "false"}, "Without PasswordSignIn, OidcIssuer is needed"),
    ],
)
def test_a_combination_that_would_fail_late_breaks_one_rule(given: dict[str, str], sentence: str) -> None:
    [broken] = conditions.broken_rules(template.load(), template.defaults() | given)

    assert sentence in broken


@pytest.mark.parametrize(
    "given",
    [
        *({}, MAIL, FRONT, FRONT | {"FrontDomainName": "d1.cloudfront.net"}, BASE | {"ProbeToken": "anonymous"}),
        *(BASE | OIDC, BASE | OIDC | {"PasswordSignIn": "false"}),
    ],
)
def test_a_combination_that_works_breaks_no_rule(given: dict[str, str]) -> None:
    assert conditions.broken_rules(template.load(), template.defaults() | given) == []


def test_the_front_is_refused_outside_of_us_east_1() -> None:
    front = template.read(template.ROOT / "infra" / "front.yaml")
    given = {name: str(one.get("Default", "x")) for name, one in front["Parameters"].items()}

    assert conditions.broken_rules(front, given | {"AWS::Region": "us-east-1"}) == []
    assert "us-east-1" in conditions.broken_rules(front, given | {"AWS::Region": "eu-west-1"})[0]


def test_runtime_and_architecture_are_what_the_makefile_builds_for() -> None:
    function = template.load()["Globals"]["Function"]
    makefile = (template.ROOT / "Makefile").read_text()

    assert f"BUNDLE_PYTHON ?= {function['Runtime'].removeprefix('python')}\n" in makefile
    assert "BUNDLE_ARCH ?= aarch64\n" in makefile
    assert function["Architectures"] == ["arm64"]


def test_without_canary_and_snapshots_the_template_stays_as_it_is(built: Path) -> None:
    before = built.read_text()

    deploy.by_versions(built, {}, canary=False, snap_start=False)

    assert built.read_text() == before


def test_a_canary_is_rolled_back_by_an_alarm_that_the_stack_has(built: Path) -> None:
    deploy.by_versions(built, {}, canary=True, snap_start=False)

    changed = template.read(built)
    preference = changed["Globals"]["Function"]["DeploymentPreference"]
    assert preference == {"Type": "Canary10Percent5Minutes", "Alarms": [{"Ref": "RequestsFail"}]}
    assert template.resources("AWS::CloudWatch::Alarm")["RequestsFail"]["MetricName"] == "Failed"
    assert changed["Resources"] == template.load()["Resources"]
    assert "SnapStart" not in changed["Globals"]["Function"]


def test_snapshots_are_of_versions_and_need_no_canary(built: Path) -> None:
    deploy.by_versions(built, {}, canary=False, snap_start=True)

    changed = template.read(built)["Globals"]["Function"]
    assert changed["SnapStart"] == {"ApplyOn": "PublishedVersions"}
    assert changed["AutoPublishAlias"] == "live"
    assert "DeploymentPreference" not in changed


def test_a_changed_setting_makes_another_version_and_the_order_does_not() -> None:
    digests = [
        deploy.additions(values, canary=True, snap_start=False)["Description"]
        for values in ({"A": "1", "B": "2"}, {"B": "2", "A": "1"}, {"A": "1", "B": "3"})
    ]

    assert digests[0] == digests[1] != digests[2]
