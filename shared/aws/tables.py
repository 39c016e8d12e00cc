"""The six tables as PynamoDB models. template.yaml creates the tables; a test compares both."""

from pynamodb.attributes import BinaryAttribute, BooleanAttribute, ListAttribute, UnicodeAttribute
from pynamodb.connection import TableConnection

from shared.aws.attributes import Moment, TimeToLive, WholeNumber
from shared.aws.indexes import ActiveByCreation, AsksByOwner, ByOwner, ByTokenOwner
from shared.aws.table import Table
from shared.domain import lease


class Pushes(Table):
    """Pushes, without their secrets."""

    class Meta:
        """The setting with the table's name."""

        setting = "pushes_table"

    id = UnicodeAttribute(hash_key=True)
    owner = UnicodeAttribute(null=True)
    kind = UnicodeAttribute()
    created_at = Moment()
    updated_at = Moment()
    expires_at = Moment()
    purge_at = TimeToLive()
    expire_after_days = WholeNumber()
    expire_after_views = WholeNumber()
    deletable_by_viewer = BooleanAttribute()
    retrieval_step = BooleanAttribute()
    is_protected = BooleanAttribute()
    label = BinaryAttribute(null=True, legacy_encoding=False)
    key_version = UnicodeAttribute(null=True)
    views = WholeNumber()
    entries = WholeNumber()
    guesses = ListAttribute(of=Moment)
    guesses_in_a_row = WholeNumber()
    is_deleted = BooleanAttribute()
    has_objects = BooleanAttribute()
    awaits_files = BooleanAttribute()
    arrival = ListAttribute(of=UnicodeAttribute, null=True)
    attempt = UnicodeAttribute(null=True)
    leased_until = Moment(null=True)
    body_mac = BinaryAttribute(null=True, legacy_encoding=False)
    mailed = WholeNumber(null=True)
    notify_when_viewed = BooleanAttribute(null=True, attr_name="notify")  # short, because items should stay below 1 KB
    networks = BinaryAttribute(null=True, legacy_encoding=False, attr_name="nets")
    sealed_key_id = BinaryAttribute(null=True, legacy_encoding=False, attr_name="kid")
    manage_digest = BinaryAttribute(null=True, legacy_encoding=False)
    first_viewed_at = Moment(null=True)
    last_viewed_at = Moment(null=True)
    ask_id = UnicodeAttribute(null=True)
    active_since = Moment(null=True)  # the creation of an owned push, until it ends
    by_owner = ByOwner()
    active_by_creation = ActiveByCreation()


class Labels(Table):
    """Long labels, each as an item of its own; a short label is part of the push's item.

    A write costs by the size of the whole item, so a long label would make each view of the push cost more. The items
    are in the table of Pushes. They have no `owner`, so no index contains them. The `id` is `label ` followed by the
    push's id. A push's own id is 64 hex digits, so it never starts with `label `.
    """

    class Meta:
        """The setting with the table's name."""

        setting = "pushes_table"

    PREFIX = "label "

    id = UnicodeAttribute(hash_key=True)
    label = BinaryAttribute(legacy_encoding=False)
    purge_at = TimeToLive()

    @classmethod
    def _get_connection(cls) -> TableConnection:
        return Pushes._get_connection()  # noqa: SLF001 (the client knows a table once: with its index)


class Secrets(Table):
    """The secrets of pushes: wrapped push keys and sealed payloads. Only this table has any."""

    class Meta:
        """The setting with the table's name."""

        setting = "secrets_table"

    id = UnicodeAttribute(hash_key=True)
    key_version = UnicodeAttribute()
    wrapped_key = BinaryAttribute(null=True, legacy_encoding=False)
    payload = BinaryAttribute(null=True, legacy_encoding=False)
    files = BinaryAttribute(null=True, legacy_encoding=False)
    salt = BinaryAttribute(null=True, legacy_encoding=False)
    cost = UnicodeAttribute(null=True)
    lease_salt = BinaryAttribute(legacy_encoding=False)
    expires_at = TimeToLive()


class Leases(Table):
    """Leases (lease.py), as separate items in the table of Secrets."""

    class Meta:
        """The setting with the table's name."""

        setting = "secrets_table"

    PREFIX = lease.PREFIX

    id = UnicodeAttribute(hash_key=True)
    wrapped_key = BinaryAttribute(legacy_encoding=False)
    claimed_at = Moment()
    until = Moment()
    views = WholeNumber()
    push_expires_at = Moment()
    repeats = WholeNumber()
    expires_at = TimeToLive()  # a day after `until`, so that a page can detect a used form key

    @classmethod
    def _get_connection(cls) -> TableConnection:
        return Secrets._get_connection()  # noqa: SLF001 (the client knows a table once)


class AuditEntries(Table):
    """The audit log. `at` sorts by page, then by time, then by number, and is unique (log_pages.py)."""

    class Meta:
        """The setting with the table's name."""

        setting = "audit_entries_table"

    push_id = UnicodeAttribute(hash_key=True)
    at = UnicodeAttribute(range_key=True)
    kind = UnicodeAttribute()
    ip = UnicodeAttribute()
    user_agent = UnicodeAttribute()
    referrer = UnicodeAttribute()
    created_at = Moment()
    purge_at = TimeToLive()
    # For the event bus (audit_event.py); `owner` is None for anonymous pushes.
    owner = UnicodeAttribute(null=True)
    views_left = WholeNumber()
    notify_when_viewed = BooleanAttribute(null=True, attr_name="notify")  # the push's value at that time
    # For mailings (mail.py); `status` and `error_message` also for notices (notices.py). `sent_to` and `sending_until`
    # are only set between two tries.
    recipients = ListAttribute(of=UnicodeAttribute, null=True)
    locale = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    successful_sends = WholeNumber(null=True)
    error_message = UnicodeAttribute(null=True)
    sent_to = ListAttribute(of=UnicodeAttribute, null=True)
    sending_until = Moment(null=True)
    ask_id = UnicodeAttribute(null=True)  # only of an answer's creation


class ApiTokens(Table):
    """API tokens and sessions by digest; and, with keys that are no digests, owners' records and blocked addresses.

    See tokens.py and mail_blocks.py.
    """

    class Meta:
        """The setting with the table's name."""

        setting = "api_tokens_table"

    digest = UnicodeAttribute(hash_key=True)
    owner = UnicodeAttribute()
    name = UnicodeAttribute(null=True)  # only for API tokens, like `last_four`
    last_four = UnicodeAttribute(null=True)
    address = UnicodeAttribute(null=True)  # only for sessions
    is_session = BooleanAttribute()
    second_factor = BooleanAttribute(null=True)  # only for sessions
    is_revoked = BooleanAttribute(null=True)  # only for API tokens
    created_at = Moment()
    proven_at = Moment(null=True)
    expires_at = TimeToLive(null=True)
    # Only in an owner's record (tokens.py):
    ended_at = Moment(null=True)
    sessions_ended_at = Moment(null=True)
    looked_at = Moment(null=True)
    notify_when_viewed = BooleanAttribute(null=True)
    locale = UnicodeAttribute(null=True)
    username = UnicodeAttribute(null=True)
    by_owner = ByTokenOwner()


class Asks(Table):
    """Asks (ask.py). Only counts and times are readable; everything else is in the sealed label."""

    class Meta:
        """The setting with the table's name."""

        setting = "asks_table"

    id = UnicodeAttribute(hash_key=True)
    owner = UnicodeAttribute()
    created_at = Moment()
    expires_at = Moment()
    purge_at = TimeToLive()
    limit = WholeNumber()
    label = BinaryAttribute(legacy_encoding=False)
    key_version = UnicodeAttribute()
    answers = WholeNumber()
    answered_at = Moment(null=True)
    ended_at = Moment(null=True)
    body_mac = BinaryAttribute(null=True, legacy_encoding=False)
    taken_bytes = WholeNumber()
    is_quiet = BooleanAttribute(null=True)
    by_owner = AsksByOwner()


class Quotas(Table):
    """The used amount of each quota, by quota, caller and time window (quotas.py)."""

    class Meta:
        """The setting with the table's name."""

        setting = "quotas_table"

    id = UnicodeAttribute(hash_key=True)
    used = WholeNumber()
    expires_at = TimeToLive()
