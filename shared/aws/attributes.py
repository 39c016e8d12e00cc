"""Moments as DynamoDB keeps them, milliseconds since the epoch and whole seconds for its TTL; and whole numbers."""

from datetime import UTC, datetime, timedelta

from pynamodb.attributes import Attribute
from pynamodb.constants import NUMBER

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
_SECOND = timedelta(seconds=1)


def milliseconds(moment: datetime) -> int:
    """Whole milliseconds since the epoch; `moment` is aware."""
    return (moment - EPOCH) // MILLISECOND


class Moment(Attribute[datetime]):
    """A moment in UTC, kept to the millisecond."""

    attr_type = NUMBER

    def serialize(self, value: datetime) -> str:
        """Whole milliseconds since the epoch."""
        return str(milliseconds(value))

    def deserialize(self, value: str) -> datetime:
        """The moment, to the millisecond."""
        return EPOCH + int(value) * MILLISECOND


class TimeToLive(Attribute[datetime]):
    """A moment as DynamoDB's TTL wants it: whole seconds, rounded up so that nothing is removed early."""

    attr_type = NUMBER

    def serialize(self, value: datetime) -> str:
        """Whole seconds since the epoch."""
        return str(-((EPOCH - value) // _SECOND))

    def deserialize(self, value: str) -> datetime:
        """The moment, in UTC; up to a second later than the one that was serialized."""
        return EPOCH + int(value) * _SECOND


class WholeNumber(Attribute[int]):
    """A whole number, written without the detour through JSON that PynamoDB's own takes."""

    attr_type = NUMBER

    def serialize(self, value: int) -> str:
        """Its digits."""
        return str(value)

    def deserialize(self, value: str) -> int:
        """The number."""
        return int(value)
