"""Build and deploy to AWS: `make deploy ENV=prod` (CANARY=true, SNAPSTART=true).

It passes every parameter, with the environment's value or the template's default, because SAM CLI keeps the old value
of a parameter that is not passed (aws-sam-cli, issue 772). It tags the stack with the release, the commit, and the
previously deployed commit for a rollback.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import boto3
import yaml
from botocore.exceptions import ClientError

from infra.build import conditions, template
from infra.operator import installation
from shared import __version__
from shared.domain import bounds, limits

BUILT = template.ROOT / ".aws-sam" / "build" / "template.yaml"
_SAM = template.ROOT / ".local" / "venvs" / "sam" / "bin" / "sam"
_SWITCH = ("true", "false")
# Cognito's domain begins with the stack's name: 63 characters with a hyphen and the account (CreateUserPoolDomain).
_DOMAIN = re.compile(r"(?!.*(aws|amazon|cognito))[a-z0-9-]{1,50}")


def main(arguments: list[str] | None = None) -> None:
    """Check the parameters, print account and region, build, deploy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config-env", required=True, help="an environment of samconfig.toml")
    parser.add_argument("--canary", choices=_SWITCH, default="false", help="send a tenth of the requests to it first")
    parser.add_argument("--snap-start", choices=_SWITCH, default="false", help="start functions from a snapshot")
    options = parser.parse_args(arguments)
    config = environment(options.config_env)
    values = parameters(config)
    broken = [*conditions.broken_rules(template.load(), values), *broken_bounds(values)]
    if broken := broken + unfit_for_cognito(config["stack_name"], values):
        sys.exit("\n".join(["Nothing was deployed:", *broken]))
    region = installation.use_region()
    installation.print_account(config["stack_name"])
    if failed := _sam("build"):
        sys.exit(failed)
    by_versions(BUILT, values, canary=options.canary == "true", snap_start=options.snap_start == "true")
    arguments_of_sam = sam_arguments(config, _tags(config["stack_name"]))
    sys.exit(_sam("deploy", "--config-env", options.config_env, "--region", region, *arguments_of_sam))


def environment(name: str) -> dict[str, Any]:
    """Return the deploy parameters of an environment in samconfig.toml; exit where there is none of that name."""
    config = tomllib.loads((template.ROOT / "samconfig.toml").read_text())
    environments = [key for key, value in config.items() if isinstance(value, dict) and key != "default"]
    if name not in environments:
        sys.exit(f"samconfig.toml has no environment {name}. It has: {', '.join(environments)}.")
    chosen: dict[str, Any] = config[name]["deploy"]["parameters"]
    return chosen


def parameters(config: dict[str, Any]) -> dict[str, str]:
    """Return every parameter of the template: the environment's value, else the default.

    Exits where the environment names one that the template lacks.
    """
    overrides = dict(one.split("=", 1) for one in config.get("parameter_overrides", []))
    values = template.defaults()
    if unknown := sorted(overrides.keys() - values.keys()):
        sys.exit(f"samconfig.toml sets parameters that template.yaml does not have: {', '.join(unknown)}.")
    return values | overrides


def broken_bounds(values: dict[str, str]) -> list[str]:
    """Return a sentence for each parameter with invalid bounds; with them, no function would start."""
    sentences = []
    for name, widest in {"Days": limits.DAYS, "Views": limits.VIEWS}.items():
        try:
            bounds.parse(values[name], widest)
        except ValueError as error:
            sentences.append(f"{name} {error}.")
    return sentences


def unfit_for_cognito(stack_name: str, values: dict[str, str]) -> list[str]:
    """Return a sentence for each name that Cognito would reject, with an OIDC provider. Rules have no patterns."""
    if not values["OidcIssuer"]:
        return []
    faults = []
    if not _DOMAIN.fullmatch(stack_name):
        faults.append("OidcIssuer needs a lowercase stack name without aws, amazon and cognito, at most 50 characters.")
    if not values["BaseUrl"].startswith("https://"):
        faults.append("OidcIssuer needs a BaseUrl with https.")
    return faults


def sam_arguments(config: dict[str, Any], deployed: dict[str, str]) -> list[str]:
    """Return all parameters and tags as `sam deploy` takes them; `deployed` are the stack's present tags."""
    escaped = {name: value.replace('"', '\\"') for name, value in parameters(config).items()}  # else cut off at a quote
    values = [f'{name}="{value}"' for name, value in escaped.items()]
    commit = _commit()
    previous = deployed.get("PreviousCommit" if deployed.get("Commit") == commit else "Commit", "")
    tags = [*config.get("tags", []), f"Release={__version__}", f"Commit={commit}"]
    tags += [f"PreviousCommit={previous}"] if previous else []
    return ["--parameter-overrides", *values, "--tags", *tags]


def _tags(stack_name: str) -> dict[str, str]:
    """Return the tags of the deployed stack; none if there is no such stack."""
    try:
        [stack] = boto3.client("cloudformation").describe_stacks(StackName=stack_name)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":  # CloudFormation's code for an unknown stack
            raise
        return {}
    return {tag["Key"]: tag["Value"] for tag in stack.get("Tags", [])}


def by_versions(built: Path, values: dict[str, str], *, canary: bool, snap_start: bool) -> None:
    """Have the built template publish versions behind an alias, if a canary or snapshots are wanted."""
    if canary or snap_start:
        loaded = template.read(built)
        loaded["Globals"]["Function"] |= additions(values, canary=canary, snap_start=snap_start)
        built.write_text(yaml.safe_dump(loaded, sort_keys=False, width=1_000))


def additions(values: dict[str, str], *, canary: bool, snap_start: bool) -> dict[str, Any]:
    """Return the properties that each function needs for a deployment by versions.

    SAM does not publish a new version for a changed parameter. So a digest of the parameters is in the description.
    """
    added: dict[str, Any] = {
        "AutoPublishAlias": "live",
        "AutoPublishAliasAllProperties": True,
        "Description": f"Settings {hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()}",
        "VersionDeletionPolicy": "Delete",
    }
    if canary:
        # No alarm that names the API: it would close a circle from the API by alias and deployment group to the alarm.
        added["DeploymentPreference"] = {"Type": "Canary10Percent5Minutes", "Alarms": [{"Ref": "RequestsFail"}]}
    if snap_start:
        added["SnapStart"] = {"ApplyOn": "PublishedVersions"}
    return added


def _sam(*arguments: str) -> int:
    """Run SAM CLI and return its exit code."""
    return subprocess.run([str(_SAM), *arguments], cwd=template.ROOT, check=False).returncode


def _commit() -> str:
    described = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude", "*"]
    return subprocess.run(described, cwd=template.ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
