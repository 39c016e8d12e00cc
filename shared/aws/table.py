"""What every table has in common."""

from functools import cache

from pynamodb.connection import TableConnection
from pynamodb.models import Model

from shared.aws.connection import connection
from shared.runtime import settings


class Table(Model):
    """A table that connects when it is first used, under the name that the setting `Meta.setting` has."""

    @classmethod
    def _get_connection(cls) -> TableConnection:
        # PynamoDB asks a model for this before every call. It has no public way to share a client, or to make it late.
        if cls._connection is None:
            cls.Meta.table_name = getattr(settings.current(), cls.Meta.setting)  # type: ignore[attr-defined]
            own = super()._get_connection()
            connection().add_meta_table(own.get_meta_table())
            own.connection = connection()
        return super()._get_connection()

    @classmethod
    @cache
    def hash_key_name(cls) -> str:
        """The name of the hash key."""
        attributes = cls.get_attributes().values()
        return next(attribute.attr_name for attribute in attributes if attribute.is_hash_key)

    @classmethod
    def table_name(cls) -> str:
        """The table's own name."""
        return cls._get_connection().table_name
