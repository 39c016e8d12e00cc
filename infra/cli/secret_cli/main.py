"""The command `secret`: its arguments, and what an error looks like."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from . import ask, config, get, push, state, terminal
from .failure import Exit, Failure

_EPILOG = {
    "push": """examples:
  secret push --seal < key.pem              a text that only the link opens
  secret push --views 1 --days 2 report.pdf
  secret push --seal *.pdf                  files too; names and contents are sealed
  secret push --passphrase-file pass.txt    then type the secret""",
    "get": """examples:
  secret get > key.pem                      asks for the link
  secret get --output ~/Downloads < link.txt
  secret get --passphrase > key.pem         asks for link and passphrase""",
    "status": """examples:
  secret status                             asks for your own link (/m/…), or for the link with your API token set
  secret status --json < link.txt""",
    "end": """examples:
  secret end                                asks for the link
  secret end < link.txt""",
    "ask": """examples:
  secret ask "The router's password, please"
  secret ask --name "Client 7" --answers 3 --files < message.txt
  secret ask --list                         all that you asked for, newest first
  secret end                                asks for the link, and ends it""",
}


def main() -> NoReturn:
    """Run a command and exit at once: a transfer that still runs must not hold up the shell."""
    status = run(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)


def run(arguments: list[str]) -> int:
    """Run a command and return its exit status (README.md lists them)."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options, config.load())
        sys.stdout.flush()
    except Failure as failure:
        terminal.say(str(failure))
        return failure.status
    except BrokenPipeError:
        return Exit.FAILED
    except (KeyboardInterrupt, EOFError):
        terminal.say("Interrupted.")
        return Exit.INTERRUPTED
    except OSError as error:
        terminal.say(f"{error.filename or 'This'}: {error.strerror or error}.")
        return Exit.FAILED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="secret",
        description="Share secrets by links that open a limited number of times.",
        epilog="Links and secrets are read from standard input, never from arguments.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _push_arguments(_command(commands, "push", "create a link for a text from standard input, or for files", push.run))
    getting = _command(commands, "get", "retrieve what a link holds", get.run)
    getting.add_argument("--output", type=_folder, default=Path(), metavar="FOLDER", help="where to save files")
    _passphrase_arguments(getting)
    _command(commands, "status", "show whether a link was opened", state.status)
    _command(commands, "end", "delete what a link holds, or stop asking", state.end)
    _ask_arguments(_command(commands, "ask", "create a link by which others send you a secret", ask.run))
    return parser


def _push_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", type=_file, metavar="FILE", help="files to send, at most 10")
    parser.add_argument("--text", action="store_true", help="read a text from standard input beside the files")
    parser.add_argument("--seal", action="store_true", help="encrypt here; the service never sees the key")
    parser.add_argument("--kind", choices=["text", "url", "qr"], help="what the text is (default: text)")
    parser.add_argument("--views", type=int, help="how often it can be opened")
    parser.add_argument("--days", type=int, help="how many days it can be opened")
    parser.add_argument(
        "--allowed-ips", action="append", metavar="RANGE", help="only from this address or range; repeat it"
    )
    parser.add_argument("--name", help="a name for your own list")
    parser.add_argument("--confirm", action=argparse.BooleanOptionalAction, help="show a button before the secret")
    parser.add_argument("--deletable", action=argparse.BooleanOptionalAction, help="let the recipient delete it")
    _passphrase_arguments(parser)


def _ask_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("message", nargs="?", metavar="MESSAGE", help="what you ask for (default: standard input)")
    parser.add_argument("--list", action="store_true", help="list your asks instead")
    parser.add_argument("--answers", type=int, help="how many answers it accepts (default: 1)")
    parser.add_argument("--files", action="store_true", default=None, help="accept files as well")
    parser.add_argument("--days", type=int, help="how many days it accepts answers")
    parser.add_argument("--views", type=int, help="how often each answer can be opened")
    parser.add_argument("--name", help="a name for your own list")
    parser.add_argument("--mail", action=argparse.BooleanOptionalAction, help="mail you about each answer")


def _passphrase_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--passphrase", action="store_true", help="ask for the passphrase at the terminal")
    which.add_argument("--passphrase-file", type=Path, metavar="FILE", help="read the passphrase from a file")


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, summary: str, run: Callable[..., None]
) -> argparse.ArgumentParser:
    shape = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser(name, help=summary, description=summary, epilog=_EPILOG[name], formatter_class=shape)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)
    return parser


def _file(text: str) -> Path:
    path = Path(text)
    if not path.is_file() or not os.access(path, os.R_OK):
        raise argparse.ArgumentTypeError(f"{text} is not a file that can be read")
    return path


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return Path(text)
