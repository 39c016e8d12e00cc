"""Generate docs/architecture.md: the resources of template.yaml as a Mermaid diagram.

The arrows come from the functions' permissions and events, so the diagram matches the template.
"""

import re
from collections import defaultdict
from typing import Any

from infra.build import permissions, template

STORES = {
    "AWS::DynamoDB::Table": '[("{}")]',
    "AWS::S3::Bucket": '[("{}")]',
    "AWS::SQS::Queue": '[/"{}"/]',
    "AWS::Events::EventBus": '[["{}"]]',
    "AWS::SecretsManager::Secret": '{{{{"{}"}}}}',
    "AWS::Cognito::UserPool": '{{{{"{}"}}}}',
}
# Actions that only read; all others write.
READS = ("BatchGet", "Query", "Get", "List", "Describe", "AdminGet", "Receive")
GROUPS = {"API": "API, JSON", "Pages": "Pages, HTML", "Background": "Background"}
_STREAM, _QUEUE = "DynamoDB", "SQS"


def page() -> str:
    """Return the whole page."""
    arrows = sorted(f"    {one} -->|{' and '.join(sorted(verbs))}| {other}" for (one, other), verbs in _uses().items())
    lines = ["# Architecture", "", "Generated from `template.yaml` by `make docs`.", ""]
    lines += [
        "```mermaid",
        "flowchart LR",
        '    callers(("callers")) --> gateway["API Gateway"]',
        "    gateway --> API & Pages",
    ]
    lines += [line for group in GROUPS for line in _subgraph(group)]
    lines += [
        f"    {name}{shape.format(name)}" for kind, shape in STORES.items() for name in sorted(template.resources(kind))
    ]
    lines += [*arrows, *_events(), '    alarms["Alarms"] --> AlarmTopic(["AlarmTopic"])', "```", ""]
    return "\n".join([*lines, *_table(), ""])


def group_of(function: str) -> str:
    """Return the group of a function in the diagram, by its event and its callers."""
    properties = template.functions()[function]
    if not any(route.function == function for route in template.routes()):
        return "Background"
    return "Pages" if ".pages." in properties["Handler"] else "API"


def uses(function: str) -> dict[str, set[str]]:
    """Return the resources in a function's permissions, and whether the function reads or writes each."""
    verbs_by_resource: dict[str, set[str]] = defaultdict(set)
    for statement in permissions.statements(function):
        actions, resources = permissions.as_list(statement["Action"]), permissions.as_list(statement["Resource"])
        for resource in resources:
            for action in actions:
                verb = "reads" if action.partition(":")[2].startswith(READS) else "writes"
                verbs_by_resource[_name(resource)].add(verb)
    return {name: verbs for name, verbs in verbs_by_resource.items() if _is_store(name)}


def _uses() -> dict[tuple[str, str], set[str]]:
    """Return the verbs by arrow, from a group to a resource; each background function is drawn by itself."""
    verbs_by_arrow: dict[tuple[str, str], set[str]] = defaultdict(set)
    for function in template.functions():
        group = group_of(function)
        for resource, verbs in uses(function).items():
            verbs_by_arrow[function if group == "Background" else group, resource] |= verbs
    return verbs_by_arrow


def _subgraph(group: str) -> list[str]:
    names = sorted(name for name in template.functions() if group_of(name) == group)
    return [f'    subgraph {group}["{GROUPS[group]}"]', *(f"        {name}" for name in names), "    end"]


def _events() -> list[str]:
    """Return arrows for events other than requests, and for dead-letter queues."""
    arrows = []
    for name, function in sorted(template.functions().items()):
        for event in function.get("Events", {}).values():
            if event["Type"] == "Schedule":
                arrows.append(f'    schedule(["{event["Properties"]["Schedule"]}"]) -.->|calls| {name}')
            source = event["Properties"].get({_STREAM: "Stream", _QUEUE: "Queue"}.get(event["Type"], ""))
            if source:
                arrows.append(f"    {_name(source)} -.->|calls| {name}")
    for rule in template.resources("AWS::Events::Rule").values():
        bus = _name(rule["EventBusName"])
        arrows += [f"    {bus} -.->|forwards to| {_name(target['Arn'])}" for target in rule["Targets"]]
    for name, queue in sorted(template.resources("AWS::SQS::Queue").items()):
        if "RedrivePolicy" in queue:
            arrows.append(f"    {name} -.->|after failures| {_name(queue['RedrivePolicy']['deadLetterTargetArn'])}")
    return arrows


def _table() -> list[str]:
    rows = ["| Function | Routes | Reads | Writes |", "|---|---|---|---|"]
    for function in sorted(template.functions()):
        routes = sorted(f"`{route.key}`" for route in template.routes() if route.function == function)
        visible = [route for route in routes if not route.startswith("`HEAD ")]
        used = uses(function)
        cells = [
            ", ".join(sorted(name for name, verbs in used.items() if verb in verbs)) for verb in ("reads", "writes")
        ]
        rows.append(f"| `{function}` | {', '.join(visible)} | {cells[0]} | {cells[1]} |")
    return rows


def _name(reference: Any) -> str:
    """Return the logical id at the start of a reference; another word if the reference is not to this template."""
    [value] = reference.values()
    if isinstance(value, list):  # Fn::If: the value if the condition holds
        return _name(value[1])
    return str(re.findall(r"\w+", value)[0])


def _is_store(name: str) -> bool:
    return template.load()["Resources"].get(name, {}).get("Type") in STORES
