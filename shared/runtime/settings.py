"""The settings of an installation, read once from environment variables. Defaults are in template.yaml."""

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache, partial
from typing import Any, NamedTuple

from shared.domain import bounds
from shared.domain.bounds import Bounds
from shared.domain.limits import DAYS, FILE, QR, TEXT, URL, VIEWS
from shared.domain.safe_repr import hide_fields


@hide_fields("origin_secret", "probe_token")
class Settings(NamedTuple):
    """The settings of one installation; docs/settings.md explains each.

    Sizes are in bytes. `max_guesses` is a count. 0 disables a quota, `max_guesses` or the lease. `oidc_name` is empty
    without an OIDC provider; then `cognito_domain`, an origin, and `provider_client_id` are unused.
    """

    region: str
    pushes_table: str
    secrets_table: str
    audit_entries_table: str
    api_tokens_table: str
    quotas_table: str
    asks_table: str
    bucket: str
    instance_key_arn: str
    removal_queue_url: str
    event_bus: str
    mail_from: str
    mail_reports: str
    user_pool_id: str
    user_pool_client_id: str
    base_url: str
    days: Bounds
    views: Bounds
    anonymous_access: bool
    deletable_by_viewer: bool
    retrieval_step: bool
    url_pushes: bool
    qr_code_pushes: bool
    file_attachments: bool
    file_authentication: bool
    sign_up: bool
    sign_up_domains: tuple[str, ...]
    require_two_factor: bool
    password_sign_in: bool
    oidc_name: str
    cognito_domain: str
    provider_client_id: str
    max_file_size: int
    max_guesses: int
    first_day_mails: int
    daily_file_bytes: int
    daily_anonymous_bytes: int
    owned_retention: timedelta
    anonymous_retention: timedelta
    passphrase_cost: str
    session_lifetime: timedelta
    lease: timedelta
    default_locale: str
    metrics_namespace: str
    cors_origins: tuple[str, ...]
    origin_secret: str
    requires_cloudfront: bool
    probe_token: str

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of push that callers may create."""
        switches = {TEXT: True, FILE: self.file_attachments, URL: self.url_pushes, QR: self.qr_code_pushes}
        return tuple(kind for kind, is_on in switches.items() if is_on)

    @property
    def mails_links(self) -> bool:
        """Whether links can be mailed: this needs a sender address and a base URL."""
        return bool(self.mail_from and self.base_url)

    def retention(self, owner: str | None) -> timedelta:
        """Return how long to keep the record of an expired push; `owner` is None for an anonymous one."""
        return self.anonymous_retention if owner is None else self.owned_retention


def _switch(value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError("must be true or false")
    return value == "true"


def _bytes(value: str) -> int:
    return int(float(value))  # CloudFormation may write large numbers as 1.073741824E9


def _words(value: str) -> tuple[str, ...]:
    return tuple(value.replace(",", " ").split())


def _days(value: str) -> timedelta:
    return timedelta(days=int(value))


# For each field: its environment variable and the function to parse it.
_VARIABLES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "region": ("AWS_REGION", str),
    "pushes_table": ("PUSHES_TABLE", str),
    "secrets_table": ("SECRETS_TABLE", str),
    "audit_entries_table": ("AUDIT_ENTRIES_TABLE", str),
    "api_tokens_table": ("API_TOKENS_TABLE", str),
    "quotas_table": ("QUOTAS_TABLE", str),
    "asks_table": ("ASKS_TABLE", str),
    "bucket": ("BUCKET", str),
    "instance_key_arn": ("INSTANCE_KEY_ARN", str),
    "removal_queue_url": ("REMOVAL_QUEUE_URL", str),
    "event_bus": ("EVENT_BUS", str),
    "mail_from": ("MAIL_FROM", str),
    "mail_reports": ("MAIL_REPORTS", str),
    "user_pool_id": ("USER_POOL_ID", str),
    "user_pool_client_id": ("USER_POOL_CLIENT_ID", str),
    "base_url": ("BASE_URL", lambda value: value.rstrip("/")),
    "days": ("DAYS", partial(bounds.parse, widest=DAYS)),
    "views": ("VIEWS", partial(bounds.parse, widest=VIEWS)),
    "anonymous_access": ("ANONYMOUS_ACCESS", _switch),
    "deletable_by_viewer": ("DELETABLE_BY_VIEWER", _switch),
    "retrieval_step": ("RETRIEVAL_STEP", _switch),
    "url_pushes": ("URL_PUSHES", _switch),
    "qr_code_pushes": ("QR_CODE_PUSHES", _switch),
    "file_attachments": ("FILE_ATTACHMENTS", _switch),
    "file_authentication": ("FILE_AUTHENTICATION", _switch),
    "sign_up": ("SIGN_UP", _switch),
    "sign_up_domains": ("SIGN_UP_DOMAINS", lambda value: _words(value.lower())),
    "require_two_factor": ("REQUIRE_TWO_FACTOR", _switch),
    "password_sign_in": ("PASSWORD_SIGN_IN", _switch),
    "oidc_name": ("OIDC_NAME", str),
    "cognito_domain": ("COGNITO_DOMAIN", str),
    "provider_client_id": ("PROVIDER_CLIENT_ID", str),
    "max_file_size": ("MAX_FILE_SIZE", _bytes),
    "max_guesses": ("MAX_GUESSES", int),
    "first_day_mails": ("FIRST_DAY_MAILS", int),
    "daily_file_bytes": ("DAILY_FILE_BYTES", _bytes),
    "daily_anonymous_bytes": ("DAILY_ANONYMOUS_BYTES", _bytes),
    "owned_retention": ("OWNED_RETENTION_DAYS", _days),
    "anonymous_retention": ("ANONYMOUS_RETENTION_DAYS", _days),
    "passphrase_cost": ("PASSPHRASE_COST", str),
    "session_lifetime": ("SESSION_HOURS", lambda value: timedelta(hours=int(value))),
    "lease": ("LEASE_SECONDS", lambda value: timedelta(seconds=int(value))),
    "default_locale": ("DEFAULT_LOCALE", str),
    "metrics_namespace": ("METRICS_NAMESPACE", str),
    "cors_origins": ("CORS_ORIGINS", _words),
    "origin_secret": ("ORIGIN_SECRET", str),
    "requires_cloudfront": ("CLOUDFRONT", lambda value: value == "required"),
    "probe_token": ("PROBE_TOKEN", str.strip),
}


def load(environ: Mapping[str, str]) -> Settings:
    """Read the settings from `environ`.

    Raises: LookupError, which names every missing variable; ValueError, for a malformed one.
    """
    missing = sorted(variable for variable, _ in _VARIABLES.values() if variable not in environ)
    if missing:
        raise LookupError(f"Settings are missing from the environment: {', '.join(missing)}")
    values = {field: _parse(variable, read, environ) for field, (variable, read) in _VARIABLES.items()}
    values["sign_up"] &= values["password_sign_in"]
    return Settings(**values)


def _parse(variable: str, read: Callable[[str], Any], environ: Mapping[str, str]) -> Any:
    try:
        return read(environ[variable])
    except ValueError as error:
        raise ValueError(f"{variable}: {error}") from error


@cache
def current() -> Settings:
    """Return the settings of this process, loaded on first use.

    Raises: LookupError, ValueError, as `load` does.
    """
    return load(os.environ)
