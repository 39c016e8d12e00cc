"""A deployment by versions: its additions to the built template, none of them by default."""

from pathlib import Path

import pytest
import yaml

from infra.build import canary, template


@pytest.fixture
def built(tmp_path: Path) -> Path:
    path = tmp_path / "template.yaml"
    path.write_text(yaml.safe_dump(template.load(), sort_keys=False))
    return path


def test_without_either_the_template_stays_as_it_is(built: Path) -> None:
    before = built.read_text()

    canary.main(["--config-env", "prod", str(built)])

    assert built.read_text() == before


def test_a_canary_is_taken_back_by_alarms_that_the_stack_has(built: Path) -> None:
    canary.main(["--config-env", "prod", "--canary", "true", str(built)])

    changed = template.read(built)
    preference = changed["Globals"]["Function"]["DeploymentPreference"]
    alarms = {alarm["Ref"] for alarm in preference["Alarms"]}
    assert preference["Type"] == "Canary10Percent5Minutes"
    assert alarms <= template.resources("AWS::CloudWatch::Alarm").keys()
    assert "RequestsFail" in alarms
    assert template.resources("AWS::CloudWatch::Alarm")["RequestsFail"]["MetricName"] == "Failed"
    assert changed["Resources"] == template.load()["Resources"]
    assert "SnapStart" not in changed["Globals"]["Function"]


def test_snapshots_are_of_versions_and_need_no_canary(built: Path) -> None:
    canary.main(["--config-env", "prod", "--snap-start", "true", str(built)])

    changed = template.read(built)["Globals"]["Function"]
    assert changed["SnapStart"] == {"ApplyOn": "PublishedVersions"}
    assert changed["AutoPublishAlias"] == "live"
    assert "DeploymentPreference" not in changed


def test_a_changed_setting_makes_another_version_and_their_order_does_not() -> None:
    digests = [
        canary.additions(settings, canary=True, snap_start=False)["Description"]
        for settings in (["A=1", "B=2"], ["B=2", "A=1"], ["A=1", "B=3"])
    ]

    assert digests[0] == digests[1] != digests[2]


def test_make_deploy_runs_it_between_build_and_deploy() -> None:
    make = (template.ROOT / "Makefile").read_text()

    [line] = [line for line in make.splitlines() if "infra.build.canary" in line]
    build, canaries, deploy = line.split("&&")
    assert ("sam" in build.lower(), "sam" in deploy.lower()) == (True, True)
    assert "--canary $(CANARY) --snap-start $(SNAPSTART)" in canaries
