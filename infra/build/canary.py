"""Make a built template deploy by versions: requests go to an alias, a canary is taken back, snapshots can be restored.

python -m infra.build.canary --config-env prod --canary true --snap-start false [.aws-sam/build/template.yaml]

`make deploy ENV=prod CANARY=true` runs it between `sam build` and `sam deploy`; without either, the template stays as
it is. It is no parameter of the template, since SAM can't leave an alias out by one, and makes a new version only for
what it sees: a changed parameter would change the functions, and not the version that the requests go to. So each
version here also carries a digest of the environment's parameters in `samconfig.toml`.
"""

import argparse
import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import yaml

from infra.build import template

BUILT = template.ROOT / ".aws-sam" / "build" / "template.yaml"
_SWITCH = ("true", "false")


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config-env", required=True, help="the environment in samconfig.toml that will be deployed")
    parser.add_argument("--canary", choices=_SWITCH, default="false", help="a tenth of the requests for five minutes")
    parser.add_argument("--snap-start", choices=_SWITCH, default="false", help="start functions from a snapshot")
    parser.add_argument("built", nargs="?", type=Path, default=BUILT)
    options = parser.parse_args(arguments)
    config = tomllib.loads((template.ROOT / "samconfig.toml").read_text())
    settings = config[options.config_env]["deploy"]["parameters"]["parameter_overrides"]
    canary, snap_start = options.canary == "true", options.snap_start == "true"
    if canary or snap_start:
        loaded = template.read(options.built)
        loaded["Globals"]["Function"] |= additions(settings, canary=canary, snap_start=snap_start)
        options.built.write_text(yaml.safe_dump(loaded, sort_keys=False, width=1_000))


def additions(settings: list[str], *, canary: bool, snap_start: bool) -> dict[str, Any]:
    """What each function gets; `settings` are the parameters that will be deployed, as `Name=value`."""
    added: dict[str, Any] = {
        "AutoPublishAlias": "live",
        "AutoPublishAliasAllProperties": True,
        # It is the version's as well, so that a changed setting makes a version as changed code does.
        "Description": f"Settings {hashlib.sha256(json.dumps(sorted(settings)).encode()).hexdigest()}",
        # A version that the alias names no more goes with the deployment that replaced it.
        "VersionDeletionPolicy": "Delete",
    }
    if canary:
        alarms = [{"Ref": "RequestsFail"}, {"Ref": "ApiFails"}]
        added["DeploymentPreference"] = {"Type": "Canary10Percent5Minutes", "Alarms": alarms}
    if snap_start:
        added["SnapStart"] = {"ApplyOn": "PublishedVersions"}
    return added


if __name__ == "__main__":
    main()
