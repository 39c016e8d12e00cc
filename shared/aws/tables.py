"""The five tables as PynamoDB sees them. template.yaml makes them; a test compares the two."""

from pynamodb.attributes import BinaryAttribute, BooleanAttribute, ListAttribute, UnicodeAttribute
from pynamodb.connection import TableConnection

from shared.aws.attributes import Moment, TimeToLive, WholeNumber
from shared.aws.indexes import ActiveByCreation, ByOwner, ByTokenOwner
from shared.aws.table import Table
from shared.domain import lease


class Pushes(Table):
    """Everything of a push that is counted or listed."""

    class Meta:
        """The setting that holds the table's name."""

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
    notify_when_viewed = BooleanAttribute(null=True, attr_name="notify")  # short: an item has 1 KB
    active_since = Moment(null=True)  # of an owned push its creation, until it ends
    by_owner = ByOwner()
    active_by_creation = ActiveByCreation()


class Labels(Table):
    """A push's label that is too long for the push's item (each write costs by the whole): an item of its own.

    It lies in the table of Pushes, but without an owner, so that no index has it. Its `id` is the push's id behind the
    word `label`, with which no id of a push begins.
    """

    class Meta:
        """The setting that holds the table's name."""

        setting = "pushes_table"

    PREFIX = "label "

    id = UnicodeAttribute(hash_key=True)
    label = BinaryAttribute(legacy_encoding=False)
    purge_at = TimeToLive()

    @classmethod
    def _get_connection(cls) -> TableConnection:
        return Pushes._get_connection()  # noqa: SLF001 (the client knows a table once: with its index)


class Secrets(Table):
    """Wrapped keys and sealed payloads: the only table with anything to open."""

    class Meta:
        """The setting that holds the table's name."""

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
    """Push keys wrapped for those who may ask again (lease.py): items of their own in the table of Secrets."""

    class Meta:
        """The setting that holds the table's name."""

        setting = "secrets_table"

    PREFIX = lease.PREFIX

    id = UnicodeAttribute(hash_key=True)
    wrapped_key = BinaryAttribute(legacy_encoding=False)
    claimed_at = Moment()
    until = Moment()
    views = WholeNumber()
    push_expires_at = Moment()
    repeats = WholeNumber()
    expires_at = TimeToLive()  # a day after `until`: until then a page can tell that a form's key was used

    @classmethod
    def _get_connection(cls) -> TableConnection:
        return Secrets._get_connection()  # noqa: SLF001 (the client knows a table once)


class AuditEntries(Table):
    """The audit log. `at` sorts by page, then by time, then by the order of writing, and is unique (log_pages.py)."""

    class Meta:
        """The setting that holds the table's name."""

        setting = "audit_entries_table"

    push_id = UnicodeAttribute(hash_key=True)
    at = UnicodeAttribute(range_key=True)
    kind = UnicodeAttribute()
    ip = UnicodeAttribute()
    user_agent = UnicodeAttribute()
    referrer = UnicodeAttribute()
    created_at = Moment()
    purge_at = TimeToLive()
    # For the event bus (audit_event.py); those of anonymous pushes have no owner.
    owner = UnicodeAttribute(null=True)
    views_left = WholeNumber()
    notify_when_viewed = BooleanAttribute(null=True, attr_name="notify")  # as the push said then
    # Of a mailing (mail.py); `status` and `error_message` of what was told of too (notices.py). `sent_to` and
    # `sending_until` are between the tries of sending it.
    recipients = ListAttribute(of=UnicodeAttribute, null=True)
    locale = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    successful_sends = WholeNumber(null=True)
    error_message = UnicodeAttribute(null=True)
    sent_to = ListAttribute(of=UnicodeAttribute, null=True)
    sending_until = Moment(null=True)


class ApiTokens(Table):
    """API tokens and sessions by their digests, and a record of each owner, whose key is no digest (tokens.py)."""

    class Meta:
        """The setting that holds the table's name."""

        setting = "api_tokens_table"

    digest = UnicodeAttribute(hash_key=True)
    owner = UnicodeAttribute()
    name = UnicodeAttribute(null=True)  # of an API token, like `last_four`
    last_four = UnicodeAttribute(null=True)
    address = UnicodeAttribute(null=True)  # of a session
    is_session = BooleanAttribute()
    created_at = Moment()
    proven_at = Moment(null=True)
    expires_at = TimeToLive(null=True)
    # Of an owner's record only (tokens.py):
    ended_at = Moment(null=True)
    sessions_ended_at = Moment(null=True)
    looked_at = Moment(null=True)
    notify_when_viewed = BooleanAttribute(null=True)
    locale = UnicodeAttribute(null=True)
    by_owner = ByTokenOwner()


class Quotas(Table):
    """How much of each quota is used up, by quota, caller and window of time."""

    class Meta:
        """The setting that holds the table's name."""

        setting = "quotas_table"

    id = UnicodeAttribute(hash_key=True)
    used = WholeNumber()
    expires_at = TimeToLive()
