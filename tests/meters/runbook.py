"""The runbook as data: its alarms and its commands, from docs/operations.md up to the section on metrics."""

import re

from infra.build import template

TEXT = (template.ROOT / "docs" / "operations.md").read_text().partition("\n## Metrics")[0]
ENTRIES = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##)", TEXT, re.MULTILINE | re.DOTALL))
RESTORE = TEXT[TEXT.index("## Restore a table") : TEXT.index("## Quotas")]


def blocks(text: str = TEXT) -> list[list[str]]:
    """Return the lines of each block of commands; lines joined by a backslash are one."""
    found = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [[_line(line) for line in re.split(r"(?<!\\)\n", block) if line.strip()] for block in found]


def _line(line: str) -> str:
    return re.sub(r"\s*\\\n\s*", " ", re.sub(r"\s{2,}# .*", "", line)).strip().removeprefix("$ ")


def commands() -> list[str]:
    """Return the command of each line, without a variable assignment."""
    return [re.sub(r"^\w+=\$\((.*)\)$", r"\1", line) for block in blocks() for line in block]


def inline() -> list[str]:
    """Return the complete commands in its sentences; a command without options is only mentioned."""
    return re.findall(r"`(aws \w[^`]* --[^`]*)`", TEXT)
