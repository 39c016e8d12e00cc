"""The base class of all tables."""

from functools import cache

from pynamodb.connection import TableConnection
from pynamodb.models import Model

from shared.aws.connection import connection
from shared.runtime import settings


class Table(Model):
    """A table that connects on first use; the setting named in `Meta.setting` has the table's name."""

    @classmethod
    def _get_connection(cls) -> TableConnection:
        # PynamoDB calls this before each request. It has no public way to share a client or to create it late.
        if cls._connection is None:
            cls.Meta.table_name = getattr(settings.current(), cls.Meta.setting)  # type: ignore[attr-defined]
            own = super()._get_connection()
            connection().add_meta_table(own.get_meta_table())
            own.connection = connection()
        return super()._get_connection()

    @classmethod
    @cache
    def hash_key_name(cls) -> str:
        """Return the name of the hash key."""
        attributes = cls.get_attributes().values()
        return next(attribute.attr_name for attribute in attributes if attribute.is_hash_key)

    @classmethod
    def table_name(cls) -> str:
        """Return the table's name."""
        return cls._get_connection().table_name
