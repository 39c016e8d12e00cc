"""What the emulator refuses a whole template for, taken out of what is deployed there. The one place that says so.

MiniStack 1.5 knows no saved queries, no budgets and no metric math, whatever conditions these stand behind. The
dashboard goes too, since it names alarms by metric math.
"""

from pathlib import Path
from typing import Any

import yaml

from infra import template


def leave_out(built: Path) -> None:
    """Take it out of a built template, in place."""
    loaded = template.read(built)
    resources = loaded["Resources"]
    loaded["Resources"] = {name: one for name, one in resources.items() if not is_refused(one)}
    built.write_text(yaml.safe_dump(loaded, sort_keys=False, width=1_000))


def is_refused(resource: dict[str, Any]) -> bool:
    """Whether the emulator would refuse a template with this resource."""
    if resource["Type"] in ("AWS::Logs::QueryDefinition", "AWS::CloudWatch::Dashboard", "AWS::Budgets::Budget"):
        return True
    return resource["Type"] == "AWS::CloudWatch::Alarm" and "Metrics" in resource["Properties"]
