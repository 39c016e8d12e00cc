"""The arithmetic of the bench: medians, how far the middle half of the samples lies around them, and ratios in pairs.

A ratio is taken sample by sample with what was measured beside it at the same moment: when the machine gets slower for
a while, both get slower, and the ratio stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Self


@dataclass(frozen=True)
class Figure:
    """The median of some samples, and the quartiles below and above it."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> Self:
        """Of two samples or more.

        Raises: ValueError, for fewer: one sample has no spread.
        """
        low, _, high = quantiles(samples, n=4, method="inclusive")
        return cls(median(samples), low, high)

    @classmethod
    def ratio(cls, ours: Sequence[float], anchor: Sequence[float]) -> Self:
        """Of each of our samples over the anchor's of the same round.

        Raises: ValueError, where they are not as many.
        """
        return cls.of([one / other for one, other in zip(ours, anchor, strict=True)])
