"""The one error that ends a command, and the exit statuses."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit status by outcome (README.md lists them)."""

    FAILED = 1
    USAGE = 2
    GONE = 3
    PASSPHRASE = 4
    REFUSED = 5
    INCOMPLETE_LINK = 6
    INTERRUPTED = 130


class Failure(Exception):
    """Ends the command with an exit status and one sentence on standard error. It holds nothing secret."""

    def __init__(self, status: Exit, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
