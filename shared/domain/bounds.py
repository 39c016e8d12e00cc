"""Bounds of numbers: minimum, default and maximum, as an installation sets them for new pushes. Pure."""

import re
from datetime import timedelta
from typing import NamedTuple

_FORM = re.compile(r"([1-9][0-9]{0,2}),([1-9][0-9]{0,2}),([1-9][0-9]{0,2})")


class Bounds(NamedTuple):
    """Minimum, default and maximum of a field."""

    lowest: int
    default: int
    highest: int

    def include(self, number: int) -> bool:
        """Return whether the number is within the bounds."""
        return self.lowest <= number <= self.highest

    def include_lifetime(self, lifetime: timedelta) -> bool:
        """Return whether a lifetime is within these days. Less than a day counts as one."""
        return self.lowest <= max(1, lifetime.days) and lifetime <= timedelta(days=self.highest)


def parse(text: str, widest: Bounds) -> Bounds:
    """Return the bounds from a setting such as `1,7,90`.

    Raises: ValueError, unless they are in order and within the widest ones.
    """
    match = _FORM.fullmatch(text)
    bounds = Bounds(*map(int, match.groups())) if match else None
    if bounds is None or not 1 <= bounds.lowest <= bounds.default <= bounds.highest <= widest.highest:
        raise ValueError(f"must be minimum,default,maximum, in this order, from 1 to {widest.highest}")
    return bounds
