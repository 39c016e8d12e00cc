"""The template for the emulator: without the resources that it rejects."""

from typing import Any, Final

# MiniStack 1.5 has no saved queries, no budgets, no providers of a user pool and no metric math. The dashboard refers
# to alarms with metric math.
_REFUSED: Final = {
    "AWS::Logs::QueryDefinition",
    "AWS::CloudWatch::Dashboard",
    "AWS::Budgets::Budget",
    "AWS::Cognito::UserPoolIdentityProvider",
}


def without_unsupported(loaded: dict[str, Any]) -> dict[str, Any]:
    """Return a loaded template without the resources that the emulator rejects, conditional or not."""
    kept = {name: one for name, one in loaded["Resources"].items() if not _is_refused(one)}
    return loaded | {"Resources": {name: _without_order(one, kept) for name, one in kept.items()}}


def _is_refused(resource: dict[str, Any]) -> bool:
    if resource["Type"] == "AWS::CloudWatch::Alarm":
        return "Metrics" in resource["Properties"]
    return resource["Type"] in _REFUSED


def _without_order(resource: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """Return a resource that does not wait for one that is left out."""
    order = resource.get("DependsOn")
    return resource if isinstance(order, list) or order in (None, *kept) else resource | {"DependsOn": []}
