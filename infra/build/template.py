"""Load template.yaml as data, for the local stack and for tests."""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
PATH = ROOT / "template.yaml"


class Route(NamedTuple):
    """A route of the HTTP API and the logical id of its function."""

    key: str
    function: str


@cache
def load() -> dict[str, Any]:
    """Return the whole template; `!Ref X` becomes {"Ref": "X"}, and so do the other short forms."""
    return read(PATH)


def read(path: Path) -> dict[str, Any]:
    """Return another template in the same form, for example one built by SAM."""
    loaded: dict[str, Any] = yaml.load(path.read_text(), Loader=_Loader)  # noqa: S506 (it is a SafeLoader)
    return loaded


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """Return the properties of all resources of a type, by logical id."""
    entries = load()["Resources"].items()
    return {name: resource.get("Properties", {}) for name, resource in entries if resource["Type"] == kind}


def functions() -> dict[str, dict[str, Any]]:
    """Return the functions' properties, by logical id."""
    return resources("AWS::Serverless::Function")


def routes() -> Iterator[Route]:
    """Return all routes; the API's default route has no path."""
    for name, properties in functions().items():
        for event in properties.get("Events", {}).values():
            if event["Type"] == "HttpApi":
                route = event["Properties"]
                yield Route(f"{route['Method']} {route['Path']}" if "Path" in route else "$default", name)


def environment() -> dict[str, Any]:
    """Return the variables that every function gets, with unresolved references."""
    variables: dict[str, Any] = load()["Globals"]["Function"]["Environment"]["Variables"]
    return variables


def defaults() -> dict[str, str]:
    """Return the parameters' defaults as strings."""
    return {name: str(parameter["Default"]) for name, parameter in load()["Parameters"].items()}


class _Loader(yaml.SafeLoader):
    """A YAML loader with CloudFormation's short forms."""


def _short_form(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> dict[str, Any]:
    key = tag if tag in ("Ref", "Condition") else f"Fn::{tag}"
    match node:
        case yaml.ScalarNode():
            value: Any = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case yaml.MappingNode():
            value = loader.construct_mapping(node, deep=True)
    return {key: value}


_Loader.add_multi_constructor("!", _short_form)


if __name__ == "__main__":  # For checkov, which does not read merge keys.
    sys.stdout.write(yaml.safe_dump(load(), sort_keys=False, width=1_000))
