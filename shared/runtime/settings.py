"""The settings of an installation, read once from the environment. No defaults: template.yaml has them."""

import os
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any, NamedTuple

from shared.domain.limits import FILE, QR, TEXT, URL
from shared.domain.safe_repr import hiding


@hiding("origin_secret", "probe_token")
class Settings(NamedTuple):
    """The settings of one installation; README.md explains each.

    Sizes are in bytes, `max_guesses` is a count; 0 turns a quota, that count or the lease off.
    """

    region: str
    pushes_table: str
    secrets_table: str
    audit_entries_table: str
    api_tokens_table: str
    quotas_table: str
    bucket: str
    instance_key_arn: str
    removal_queue_url: str
    event_bus: str
    mail_from: str
    mail_reports: str
    user_pool_id: str
    user_pool_client_id: str
    base_url: str
    anonymous_access: bool
    deletable_by_viewer: bool
    retrieval_step: bool
    url_pushes: bool
    qr_code_pushes: bool
    file_attachments: bool
    file_authentication: bool
    sign_up: bool
    max_file_size: int
    max_guesses: int
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
    probe_token: str

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of push that may be created here."""
        switches = {TEXT: True, FILE: self.file_attachments, URL: self.url_pushes, QR: self.qr_code_pushes}
        return tuple(kind for kind, is_on in switches.items() if is_on)

    @property
    def mails_links(self) -> bool:
        """Whether links can be mailed: there is an address that mails come from, and one that links start with."""
        return bool(self.mail_from and self.base_url)

    def retention(self, owner: str | None) -> timedelta:
        """How long the record of an expired push is kept; `owner` is None for an anonymous one."""
        return self.anonymous_retention if owner is None else self.owned_retention


def load(environ: Mapping[str, str]) -> Settings:
    """Read the settings from `environ`.

    Raises: KeyError, for a missing one; ValueError, for a malformed one.
    """
    return Settings(**_resources(environ), **_switches(environ), **_amounts(environ))


def _resources(environ: Mapping[str, str]) -> dict[str, Any]:
    return {
        "region": environ["AWS_REGION"],
        "pushes_table": environ["PUSHES_TABLE"],
        "secrets_table": environ["SECRETS_TABLE"],
        "audit_entries_table": environ["AUDIT_ENTRIES_TABLE"],
        "api_tokens_table": environ["API_TOKENS_TABLE"],
        "quotas_table": environ["QUOTAS_TABLE"],
        "bucket": environ["BUCKET"],
        "instance_key_arn": environ["INSTANCE_KEY_ARN"],
        "removal_queue_url": environ["REMOVAL_QUEUE_URL"],
        "event_bus": environ["EVENT_BUS"],
        "mail_from": environ["MAIL_FROM"],
        "mail_reports": environ["MAIL_REPORTS"],
        "user_pool_id": environ["USER_POOL_ID"],
        "user_pool_client_id": environ["USER_POOL_CLIENT_ID"],
        "base_url": environ["BASE_URL"].rstrip("/"),
        "default_locale": environ["DEFAULT_LOCALE"],
        "metrics_namespace": environ["METRICS_NAMESPACE"],
        "cors_origins": tuple(environ["CORS_ORIGINS"].replace(",", " ").split()),
        "origin_secret": environ["ORIGIN_SECRET"],
        "probe_token": environ["PROBE_TOKEN"].strip(),
    }


def _switches(environ: Mapping[str, str]) -> dict[str, Any]:
    def switch(name: str) -> bool:
        if environ[name] not in ("true", "false"):
            raise ValueError(f"{name} must be true or false")
        return environ[name] == "true"

    return {
        "anonymous_access": switch("ANONYMOUS_ACCESS"),
        "deletable_by_viewer": switch("DELETABLE_BY_VIEWER"),
        "retrieval_step": switch("RETRIEVAL_STEP"),
        "url_pushes": switch("URL_PUSHES"),
        "qr_code_pushes": switch("QR_CODE_PUSHES"),
        "file_attachments": switch("FILE_ATTACHMENTS"),
        "file_authentication": switch("FILE_AUTHENTICATION"),
        "sign_up": switch("SIGN_UP"),
    }


def _amounts(environ: Mapping[str, str]) -> dict[str, Any]:
    return {
        # CloudFormation has been seen to write large numbers as 1.073741824E9.
        "max_file_size": int(float(environ["MAX_FILE_SIZE"])),
        "max_guesses": int(environ["MAX_GUESSES"]),
        "daily_file_bytes": int(float(environ["DAILY_FILE_BYTES"])),
        "daily_anonymous_bytes": int(float(environ["DAILY_ANONYMOUS_BYTES"])),
        "owned_retention": timedelta(days=int(environ["OWNED_RETENTION_DAYS"])),
        "anonymous_retention": timedelta(days=int(environ["ANONYMOUS_RETENTION_DAYS"])),
        "passphrase_cost": environ["PASSPHRASE_COST"],
        "session_lifetime": timedelta(hours=int(environ["SESSION_HOURS"])),
        "lease": timedelta(seconds=int(environ["LEASE_SECONDS"])),
    }


@cache
def current() -> Settings:
    """The settings of this process, read when they are first asked for.

    Raises: KeyError, ValueError, as `load` does.
    """
    return load(os.environ)
