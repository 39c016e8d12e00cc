"""What the emulator refuses a whole template for, taken out of what is deployed there. The one place that says so.

MiniStack 1.5 knows no saved queries, no budgets and no metric math, whatever conditions these stand behind. The
dashboard goes too, since it names alarms by metric math.
"""

from typing import Any


def without_unsupported(loaded: dict[str, Any]) -> dict[str, Any]:
    """Return a loaded template without the resources that the emulator refuses."""
    resources = {name: one for name, one in loaded["Resources"].items() if not is_refused(one)}
    return loaded | {"Resources": resources}


def is_refused(resource: dict[str, Any]) -> bool:
    """Whether the emulator would refuse a template with this resource."""
    if resource["Type"] in ("AWS::Logs::QueryDefinition", "AWS::CloudWatch::Dashboard", "AWS::Budgets::Budget"):
        return True
    return resource["Type"] == "AWS::CloudWatch::Alarm" and "Metrics" in resource["Properties"]
