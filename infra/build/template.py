"""template.yaml as data, for the local stack, which must add some of it by hand, and for tests."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
PATH = ROOT / "template.yaml"


class Route(NamedTuple):
    """A route of the HTTP API and the logical id of the function that serves it."""

    key: str
    function: str


@cache
def load() -> dict[str, Any]:
    """The whole template; `!Ref X` becomes {"Ref": "X"}, and the other short forms likewise."""
    return read(PATH)


def read(path: Path) -> dict[str, Any]:
    """Another template, in the same way, such as one that SAM has built."""
    loaded: dict[str, Any] = yaml.load(path.read_text(), Loader=_Loader)  # noqa: S506 (it is a SafeLoader)
    return loaded


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """The properties of all resources of a type, by logical id."""
    entries = load()["Resources"].items()
    return {name: resource.get("Properties", {}) for name, resource in entries if resource["Type"] == kind}


def functions() -> dict[str, dict[str, Any]]:
    """The functions' properties, by logical id."""
    return resources("AWS::Serverless::Function")


def routes() -> Iterator[Route]:
    """All routes; the one without a path is the API's default."""
    for name, properties in functions().items():
        for event in properties.get("Events", {}).values():
            if event["Type"] == "HttpApi":
                route = event["Properties"]
                yield Route(f"{route['Method']} {route['Path']}" if "Path" in route else "$default", name)


def environment() -> dict[str, Any]:
    """The variables that every function gets, references and all."""
    variables: dict[str, Any] = load()["Globals"]["Function"]["Environment"]["Variables"]
    return variables


def defaults() -> dict[str, str]:
    """The parameters' defaults, as strings."""
    return {name: str(parameter["Default"]) for name, parameter in load()["Parameters"].items()}


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short forms."""


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
