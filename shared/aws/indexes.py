"""The indexes of the tables (tables.py)."""

from typing import Any

from pynamodb.attributes import UnicodeAttribute
from pynamodb.indexes import GlobalSecondaryIndex, IncludeProjection, KeysOnlyProjection

from shared.aws.attributes import Moment


class ByOwner(GlobalSecondaryIndex[Any]):  # type: ignore[no-untyped-call]
    """An owner's pushes by expiry: later than now means active, otherwise expired."""

    class Meta:
        """DynamoDB's settings for the index."""

        index_name = "by_owner"
        projection = KeysOnlyProjection()

    owner = UnicodeAttribute(hash_key=True)
    expires_at = Moment(range_key=True)


class ActiveByCreation(GlobalSecondaryIndex[Any]):  # type: ignore[no-untyped-call]
    """An owner's active pushes by creation.

    `expires_at` is in the index, too. It only changes when a push leaves the index, so it costs no extra write.
    """

    class Meta:
        """DynamoDB's settings for the index."""

        index_name = "active_by_creation"
        projection = IncludeProjection(["expires_at"])

    owner = UnicodeAttribute(hash_key=True)
    active_since = Moment(range_key=True)
    expires_at = Moment()


class ByTokenOwner(GlobalSecondaryIndex[Any]):  # type: ignore[no-untyped-call]
    """An owner's API tokens."""

    class Meta:
        """DynamoDB's settings for the index."""

        index_name = "by_owner"
        projection = KeysOnlyProjection()

    owner = UnicodeAttribute(hash_key=True)
    digest = UnicodeAttribute(range_key=True)


class AsksByOwner(GlobalSecondaryIndex[Any]):  # type: ignore[no-untyped-call]
    """An owner's asks by creation."""

    class Meta:
        """DynamoDB's settings for the index."""

        index_name = "by_owner"
        projection = KeysOnlyProjection()

    owner = UnicodeAttribute(hash_key=True)
    created_at = Moment(range_key=True)
