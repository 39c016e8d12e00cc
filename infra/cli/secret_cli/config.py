"""The base URL and the API token: from the environment, or from a file that only you can read."""

import os
import stat
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from .failure import Exit, Failure
from .link import checked_base_url


@dataclass(frozen=True)
class Config:
    """Where to push, and as whom. Both may be missing."""

    base_url: str | None
    token: str | None = field(repr=False)

    def require_base_url(self) -> str:
        """Return the base URL.

        Raises: Failure, without one.
        """
        if not self.base_url:
            raise Failure(Exit.USAGE, "Where to? Set SECRET_BASE_URL, or base_url in the configuration file.")
        return self.base_url

    def token_for(self, base_url: str) -> str | None:
        """Return the API token if it belongs to this service: a link must not send it elsewhere."""
        return self.token if base_url == self.base_url else None


def load() -> Config:
    """Return the configuration.

    Raises: Failure, if the file is readable by others or is not TOML.
    """
    found = _file(_folder("XDG_CONFIG_HOME", ".config") / "config.toml")
    base_url = os.environ.get("SECRET_BASE_URL") or found.get("base_url")
    token = os.environ.get("SECRET_TOKEN") or found.get("token")
    if not isinstance(base_url, str | None) or not isinstance(token, str | None):
        raise Failure(Exit.USAGE, "base_url and token in the configuration must be strings.")
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise Failure(Exit.USAGE, "The API token contains a character that no API token has. Copy it again.")
    return Config(checked_base_url(base_url) if base_url else None, token or None)


def state_folder() -> Path:
    """Return the folder for keys of unfinished requests, which only you can read."""
    folder = _folder("XDG_STATE_HOME", ".local/state")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _folder(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / default) / "secret-sharing"


def _file(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                raise Failure(Exit.USAGE, f"{path} can be read by others. Run: chmod 600 {path}")
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise Failure(Exit.USAGE, f"{path} cannot be read as TOML.") from error
