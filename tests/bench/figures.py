"""The arithmetic of the bench: medians, quartiles, and ratios of pairs.

A ratio divides each sample by the anchor's sample of the same moment: if the machine slows down for a while, both slow
down, and the ratio stays.
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
        """Return the figure of two samples or more.

        Raises: ValueError, for fewer: one sample has no spread.
        """
        low, _, high = quantiles(samples, n=4, method="inclusive")
        return cls(median(samples), low, high)

    @classmethod
    def ratio(cls, ours: Sequence[float], anchor: Sequence[float]) -> Self:
        """Return the ratios of our samples to the anchor's of the same rounds.

        Raises: ValueError, if the numbers of samples differ.
        """
        return cls.of([one / other for one, other in zip(ours, anchor, strict=True)])
