"""Secrets are compared in constant time: no `==` on secrets, tokens, digests and the like in shared/ and functions/."""

import ast
import re
from collections.abc import Iterator

import pytest

from infra.build import template

# Names of values that hold or derive a secret, by their words.
SECRETS = {"secret", "token", "digest", "mac", "hmac", "signature", "password", "passphrase", "key", "cookie"}
# Comparisons without a useful timing for an attacker, each with its reason.
HARMLESS = {
    "item['digest'] == record": "both come from our own read",
    "item['digest'] != record": "both come from our own read",
    "password != password.strip()": "the same text twice",
    "token.owner == owner": "an owner is no secret",
    "match[2] == self._digest(name)": "an asset's digest stands on every page",
}
FILES = sorted(path for folder in ("shared", "functions") for path in (template.ROOT / folder).rglob("*.py"))


def unsafe_comparisons(code: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each comparison of secrets by `==` or `!=`, whose timing depends on the guess."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Compare) and any(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops):
            sides = [node.left, *node.comparators]
            if any(SECRETS & words(side) for side in sides) and not any(is_public(side) for side in sides):
                yield node.lineno, ast.unparse(node)


def words(side: ast.expr) -> set[str]:
    """Return the words of every name in an expression, and of its literal keys."""
    nodes = list(ast.walk(side))
    names = [one.id for one in nodes if isinstance(one, ast.Name)]
    names += [one.attr for one in nodes if isinstance(one, ast.Attribute)]
    names += [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return {word for name in names for word in re.split("[^a-z]", name.lower())}


def is_public(side: ast.expr) -> bool:
    """Return whether it is a constant in the code, or a length."""
    return isinstance(side, ast.Constant) or (isinstance(side, ast.Call) and ast.unparse(side.func) == "len")


def test_no_secret_is_compared_by_equals() -> None:
    found = [
        f"{path.relative_to(template.ROOT)}:{line}: {text}"
        for path in FILES
        for line, text in unsafe_comparisons(path.read_text())
        if text not in HARMLESS
    ]

    assert found == [], "Use compare_digest, or say in HARMLESS why nobody can measure it."


def test_every_exception_is_still_there() -> None:
    assert {text for path in FILES for _, text in unsafe_comparisons(path.read_text())} >= set(HARMLESS)


@pytest.mark.parametrize(
    "code",
    [
        "sent == form_token(cookie).encode()",
        "text.encode() == token(push_id, instance_key).encode()",
        "headers.get(SECRET, '').encode() == secret.encode()",
        "push.body_mac != name.body_mac",
        "a == b == self._key",
        "form['form_token'] == expected",
        "if not digest(x) == y: pass",
    ],
)
def test_the_rule_names_a_comparison_of_secrets(code: str) -> None:
    assert [line for line, _ in unsafe_comparisons(code)] == [1]


@pytest.mark.parametrize(
    "code", ["key is None", "token == ''", "len(digest) == 64", "compare_digest(mac, token)", "a == b"]
)
def test_the_rule_lets_other_comparisons_be(code: str) -> None:
    assert list(unsafe_comparisons(code)) == []
