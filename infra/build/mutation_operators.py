"""Mutants of one module, as lines of JSON: its source with one small thing changed. It needs cosmic-ray alone.

cosmic-ray's own operators change a number, a comparison, a condition, a decorator, a loop. Two more are here, for what
once survived: a statement that is taken out, and an argument that is left out.
"""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Of the many ways to replace one operator by another, one that is nearest; `AddNot` has the opposite of a comparison.
_OPERATORS = [
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("Add_Sub", "Sub_Add", "Mul_Add", "Div_Mul", "FloorDiv_Mul")),
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("Mod_Add", "Pow_Mul", "BitOr_BitAnd", "BitAnd_BitOr")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in ("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt")),
    *("ReplaceComparisonOperator_Is_IsNot", "ReplaceComparisonOperator_IsNot_Is", "ReplaceUnaryOperator_Delete_Not"),
    *("ReplaceUnaryOperator_Delete_USub", "AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *("ExceptionReplacer", "NumberReplacer", "RemoveDecorator", "ZeroIterationForLoop"),
]
_TAKEN_OUT = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Return)


def mutants(source: str) -> Iterator[str]:
    """Every source with one thing changed, each once; one that differs in annotations or a Protocol only is none."""
    seen = {_meaning(source), ""}
    for changed in (*_by_cosmic_ray(source), *_without_a_statement(source), *_without_an_argument(source)):
        meaning = _meaning(changed)
        if meaning not in seen:
            seen.add(meaning)
            yield changed


def _by_cosmic_ray(source: str) -> Iterator[str]:
    # Here, since the tests of the other two are to run where it is not installed.
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    for name in _OPERATORS:
        operator: Any = get_operator(f"core/{name}")()
        occurrence = 0
        while changed := mutate_code(source, operator, occurrence):
            yield changed
            occurrence += 1


def _without_a_statement(source: str) -> Iterator[str]:
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, _TAKEN_OUT) and not _does_nothing(node, function):
                    yield _cut(source, node, "pass")


def _does_nothing(node: ast.stmt, function: ast.FunctionDef) -> bool:
    """Whether it is a docstring, or the None that a function gives at its end anyhow."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    is_none = isinstance(node, ast.Return) and (node.value is None or ast.unparse(node.value) == "None")
    return is_none and node is function.body[-1]


def _without_an_argument(source: str) -> Iterator[str]:
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call):
            for keyword in call.keywords:
                yield _cut(source, keyword, "")


def _cut(source: str, node: Any, instead: str) -> str:
    lines = source.encode().splitlines(keepends=True)  # the columns of a node count bytes
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    rest = source.encode()[end:]
    if not instead:
        rest = rest.lstrip().removeprefix(b",").lstrip()
    return (source.encode()[:start] + instead.encode() + rest).decode()


def _meaning(source: str) -> str:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if hasattr(node, name):
                setattr(node, name, ast.Constant(None))
        if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == ["Protocol"]:
            node.body = [ast.Pass()]  # only types read it
    return ast.dump(tree)


if __name__ == "__main__":
    for changed in mutants(Path(sys.argv[1]).read_text()):
        print(json.dumps(changed))
