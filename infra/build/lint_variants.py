"""Lint the template as CloudFormation gets it, in each variant that can be deployed, for several regions.

SAM's translator expands the template, conditions are resolved for the variant's parameters, and cfn-lint reads the
result. The graph of references is searched for cycles, because not every version of cfn-lint counts the edges of
UpdatePolicy, as CloudFormation does. `make check` runs this.
"""

import json
import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import networkx
from cfnlint import api
from cfnlint.config import ManualArgs
from samtranslator.translator.transform import transform

from infra.build import conditions, deploy, template

# us-east-1 has everything, ap-east-1 has no SES, mx-central-1 is among the newest.
REGIONS = ("us-east-1", "eu-central-1", "eu-west-1", "ap-east-1", "mx-central-1")
_MAIL = {"MailIdentityArn": "arn:aws:ses:eu-west-1:123456789012:identity/example.com", "MailFrom": "push@example.com"}
_BASE_URL = {"BaseUrl": "https://push.example.com"}
_DOMAIN = _BASE_URL | {
    "DomainName": "push.example.com",
    "CertificateArn": "arn:aws:acm:eu-west-1:123456789012:certificate/1",
    "HostedZoneId": "Z1",
}
_FRONT = _DOMAIN | {"CloudFront": "required", "FrontDomainName": "d1.cloudfront.net"}
_ALARMS = {"AlarmMail": "ops@example.com", "DeletionProtection": "true"}
_KEY = {"BucketKeyArn": "arn:aws:kms:eu-west-1:123456789012:key/1"}
_BUDGET = _ALARMS | {"MonthlyBudget": "100"}
_PROVIDER = _BASE_URL | {
    "OidcIssuer": "https://example.okta.com",
    "OidcClientId": "client",
    "OidcClientSecretArn": "arn:aws:secretsmanager:eu-west-1:123456789012:secret:oidc-1",
    "OidcName": "Okta",
    "PasswordSignIn": "false",
}
_EVERYTHING = (
    _MAIL
    | _FRONT
    | _BUDGET
    | {"ProbeToken": "anonymous", "SignUp": "false", "MaxWriteRequestUnits": "0"}
    | _KEY
    | _PROVIDER
)
# Parameters, and the switches of `make deploy`.
VARIANTS: Mapping[str, tuple[dict[str, str], dict[str, bool]]] = {
    "plain": ({}, {}),
    "canary": ({}, {"canary": True}),
    "SnapStart": ({}, {"snap_start": True}),
    "CloudFront": (_FRONT, {}),
    "domain": (_DOMAIN, {}),
    "mail": (_MAIL | _BASE_URL, {}),
    "budget": (_BUDGET, {}),
    "OIDC provider": (_PROVIDER, {}),
    "everything": (_EVERYTHING, {"canary": True, "snap_start": True}),
}
# Regions that lack the service of a parameter: SES, Budgets.
_LACKING = {"MailIdentityArn": {"ap-east-1", "mx-central-1"}, "MonthlyBudget": {"ap-east-1", "mx-central-1"}}
# The translator warns about its own metrics and about a feature toggle that only AWS has.
logging.getLogger("samtranslator").setLevel(logging.CRITICAL)


class _NoManagedPolicies:
    """The loader of AWS's managed policies that SAM's translator wants; the template uses no such policy."""

    def load(self) -> dict[str, str]:
        """Return the names and ARNs."""
        return {}


def main() -> None:
    """Print what is wrong, a line each; exit with 1 if anything is."""
    with ProcessPoolExecutor(2) as workers:
        found = [line for lines in workers.map(faults, VARIANTS) for line in lines]
    print("\n".join(found) or f"{len(VARIANTS)} variants of template.yaml: nothing is wrong.")
    sys.exit(bool(found))


def faults(name: str) -> list[str]:
    """Return what is wrong with a variant."""
    deployed = translate(name)
    cycles = [" → ".join(sorted(cycle)[:10]) for cycle in cycles_of(deployed["Resources"])]
    return [f"{name}: cycle of {cycle}" for cycle in cycles] + [f"{name}: {one}" for one in _lint(name, deployed)]


def translate(name: str) -> dict[str, Any]:
    """Return a variant as CloudFormation gets it: expanded by SAM, its conditions resolved."""
    chosen, how = VARIANTS[name]
    values = template.defaults() | chosen
    if broken := conditions.broken_rules(template.load(), values):
        raise ValueError(f"{name} breaks a rule: {broken}")
    # As `sam build` writes it: GetAtt as a list, and code that lies in a bucket.
    text = re.sub(r'"Fn::GetAtt": "(\w+)\.([\w.]+)"', r'"Fn::GetAtt": ["\1", "\2"]', json.dumps(template.load()))
    whole = json.loads(text)
    whole["Globals"]["Function"] |= {"CodeUri": "s3://bucket/code"}
    if how:
        switches = {"canary": False, "snap_start": False} | how
        whole["Globals"]["Function"] |= deploy.additions(values, **switches)
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    return conditions.resolve(transform(whole, values, _NoManagedPolicies()), values)


def cycles_of(resources: Mapping[str, Any]) -> list[set[str]]:
    """Return each set of resources that depend on one another in a circle."""
    graph = networkx.DiGraph()
    for name, resource in resources.items():
        graph.add_edges_from((name, other) for other in _references(resource) if other in resources)
    return [part for part in networkx.strongly_connected_components(graph) if len(part) > 1]


def _references(value: Any) -> Iterator[str]:
    """Yield every logical id that a resource names, in UpdatePolicy too."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            match key:
                case "Ref":
                    yield one
                case "Fn::GetAtt":
                    yield one.split(".")[0] if isinstance(one, str) else one[0]
                case "DependsOn":
                    yield from [one] if isinstance(one, str) else one
                case "Fn::Sub":
                    text = one if isinstance(one, str) else one[0]
                    yield from (found.split(".")[0] for found in re.findall(r"\$\{([\w.]+)\}", text))
                    yield from _references(one)
                case _:
                    yield from _references(one)
    elif isinstance(value, list):
        for one in value:
            yield from _references(one)


def _lint(name: str, deployed: dict[str, Any]) -> list[str]:
    lacking = set[str]().union(*(_LACKING[one] for one in VARIANTS[name][0].keys() & _LACKING.keys()))
    regions = [region for region in REGIONS if region not in lacking]
    # Warnings are about parameters that are empty or unused in one variant only.
    found = api.lint(json.dumps(deployed), config=ManualArgs(regions=regions, ignore_checks=["W"]))
    return [f"{match.rule.id} {match.message}" for match in found]


if __name__ == "__main__":
    main()
