"""The runbook as data: its alarms and its commands, from docs/operations.md up to the section on metrics."""

import re

from infra.build import template

TEXT = (template.ROOT / "docs" / "operations.md").read_text().partition("\n## Metrics")[0]
ENTRIES = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##)", TEXT, re.MULTILINE | re.DOTALL))
RESTORE = TEXT[TEXT.index("## Restore a table") : TEXT.index("## Quotas")]


def blocks(text: str = TEXT) -> list[list[str]]:
    """The lines of each block of commands, as a shell takes them; one that goes on behind a backslash is one line."""
    found = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [[_line(line) for line in re.split(r"(?<!\\)\n", block) if line.strip()] for block in found]


def _line(line: str) -> str:
    return re.sub(r"\s*\\\n\s*", " ", re.sub(r"\s{2,}# .*", "", line)).strip().removeprefix("$ ")


def commands(text: str = TEXT) -> list[str]:
    """The command of each line, without the variable that takes what it prints."""
    return [re.sub(r"^\w+=\$\((.*)\)$", r"\1", line) for block in blocks(text) for line in block]


def inline() -> list[str]:
    """The whole commands that stand within its sentences; one without options is only named there."""
    return re.findall(r"`(aws \w[^`]* --[^`]*)`", TEXT)
