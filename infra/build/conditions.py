"""Evaluate a template's conditions and rules for given parameters, as CloudFormation does.

Sources: "Condition functions" and "Rules" in the CloudFormation User Guide.
"""

from collections.abc import Mapping
from typing import Any

_NO_VALUE = {"Ref": "AWS::NoValue"}


def broken_rules(template: Mapping[str, Any], parameters: Mapping[str, str]) -> list[str]:
    """Return the descriptions of all assertions in `Rules` that these parameters break."""
    return [
        assertion["AssertDescription"]
        for rule in template.get("Rules", {}).values()
        if is_true(rule.get("RuleCondition", True), template, parameters)
        for assertion in rule["Assertions"]
        if not is_true(assertion["Assert"], template, parameters)
    ]


def resolve(template: Mapping[str, Any], parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the template without the resources, outputs and branches whose conditions are false.

    `Conditions` and `Rules` are left out, so that the result is checked as it will be deployed.
    """

    def is_kept(one: Any) -> bool:
        return "Condition" not in one or is_true({"Condition": one["Condition"]}, template, parameters)

    kept = {key: value for key, value in template.items() if key not in ("Conditions", "Rules")}
    for section in ("Resources", "Outputs"):
        kept[section] = {
            name: {key: value for key, value in one.items() if key != "Condition"}
            for name, one in template[section].items()
            if is_kept(one)
        }
    resolved: dict[str, Any] = _without_branches(kept, template, parameters)
    return resolved


def is_true(condition: Any, template: Mapping[str, Any], parameters: Mapping[str, str]) -> bool:
    """Evaluate a condition, such as {"Fn::Equals": [{"Ref": "SignUp"}, "true"]}.

    Raises: ValueError, for a function that conditions do not have.
    """

    def value(one: Any) -> Any:
        return parameters[one["Ref"]] if isinstance(one, Mapping) else str(one)

    if isinstance(condition, bool):
        return condition
    [(operator, arguments)] = condition.items()
    match operator:
        case "Fn::Equals":
            left, right = map(value, arguments)
            return bool(left == right)
        case "Fn::Not":
            return not is_true(arguments[0], template, parameters)
        case "Fn::And":
            return all(is_true(one, template, parameters) for one in arguments)
        case "Fn::Or":
            return any(is_true(one, template, parameters) for one in arguments)
        case "Condition":
            return is_true(template["Conditions"][arguments], template, parameters)
    raise ValueError(f"{operator} is no function of conditions")


def _without_branches(value: Any, template: Mapping[str, Any], parameters: Mapping[str, str]) -> Any:
    """Replace each Fn::If by its branch, and remove what becomes AWS::NoValue."""
    if isinstance(value, Mapping):
        if list(value) == ["Fn::If"]:
            name, then, otherwise = value["Fn::If"]
            chosen = then if is_true({"Condition": name}, template, parameters) else otherwise
            return _without_branches(chosen, template, parameters)
        items = {key: _without_branches(one, template, parameters) for key, one in value.items()}
        return {key: one for key, one in items.items() if one != _NO_VALUE}
    if isinstance(value, list):
        return [one for item in value if (one := _without_branches(item, template, parameters)) != _NO_VALUE]
    return value
