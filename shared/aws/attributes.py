"""Attribute types for DynamoDB: times in milliseconds since the epoch, times for TTL in seconds, whole numbers."""

from datetime import UTC, datetime, timedelta

from pynamodb.attributes import Attribute
from pynamodb.constants import NUMBER

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
_SECOND = timedelta(seconds=1)


def milliseconds(moment: datetime) -> int:
    """Return whole milliseconds since the epoch; `moment` is aware."""
    return (moment - EPOCH) // MILLISECOND


class Moment(Attribute[datetime]):
    """A time in UTC, stored in milliseconds."""

    attr_type = NUMBER

    def serialize(self, value: datetime) -> str:
        """Return whole milliseconds since the epoch."""
        return str(milliseconds(value))

    def deserialize(self, value: str) -> datetime:
        """Return the time."""
        return EPOCH + int(value) * MILLISECOND


class TimeToLive(Attribute[datetime]):
    """A time for DynamoDB's TTL: whole seconds, rounded up so that nothing is removed early."""

    attr_type = NUMBER

    def serialize(self, value: datetime) -> str:
        """Return whole seconds since the epoch."""
        return str(-((EPOCH - value) // _SECOND))

    def deserialize(self, value: str) -> datetime:
        """Return the time in UTC, up to a second later than the original."""
        return EPOCH + int(value) * _SECOND


class WholeNumber(Attribute[int]):
    """A whole number; faster than PynamoDB's type, which uses JSON."""

    attr_type = NUMBER

    def serialize(self, value: int) -> str:
        """Return the digits."""
        return str(value)

    def deserialize(self, value: str) -> int:
        """Return the number."""
        return int(value)
