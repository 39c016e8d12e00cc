"""The results of the bench as Markdown: for each row the ratio first, then its parts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.bench.figures import Figure

_HEAD = ("What", "Figure", "Middle half", "Ours", "Anchor", "At most", "Holds")


@dataclass(frozen=True)
class Row:
    """A claim with its figure: a ratio to an anchor, or an amount in a `unit`.

    `ours` and `anchor` are the parts of the figure; `at_most` is the bound, None without one.
    """

    what: str
    figure: float
    unit: str = "×"
    spread: tuple[float, float] | None = None
    ours: str = ""
    anchor: str = ""
    at_most: float | None = None

    @property
    def holds(self) -> bool:
        return self.at_most is None or self.figure <= self.at_most

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the table."""
        spread = "exact" if self.spread is None else " – ".join(number(one) for one in self.spread)
        bound = "" if self.at_most is None else number(self.at_most)
        holds = "" if self.at_most is None else "yes" if self.holds else "**no**"
        figure = number(self.figure)
        if figure == bound and not self.holds:
            figure = f"{self.figure:.4f}"
        return (self.what, f"{figure} {self.unit}".rstrip(), spread, self.ours, self.anchor, bound, holds)


@dataclass(frozen=True)
class Section:
    """A part of the report: a note, its rows, and further tables below them.

    The page shows every row with a bound, and the tables of a section that `is_published`.
    """

    title: str
    note: str
    rows: Sequence[Row] = ()
    tables: Sequence[str] = field(default_factory=tuple)
    is_published: bool = False

    def markdown(self) -> str:
        """Return the section, with a table for its rows if there are any."""
        rows = [table(_HEAD, [row.cells() for row in self.rows])] if self.rows else []
        return "\n\n".join([f"## {self.title}", self.note, *rows, *self.tables])


def ratio(what: str, ours: Sequence[float], anchor: Sequence[float], at_most: float | None = None) -> Row:
    """Return a row with the ratio of these seconds to the anchor's of the same rounds."""
    figure = Figure.ratio(ours, anchor)
    return Row(
        what,
        figure.median,
        spread=(figure.low, figure.high),
        ours=milliseconds(ours),
        anchor=milliseconds(anchor),
        at_most=at_most,
    )


def amount(what: str, samples: Sequence[float], unit: str, at_most: float | None = None, anchor: str = "") -> Row:
    """Return a row with an amount in a unit, independent of the anchor."""
    figure = Figure.of(samples)
    return Row(what, figure.median, unit, (figure.low, figure.high), anchor=anchor, at_most=at_most)


def milliseconds(seconds: Sequence[float]) -> str:
    """Return the median of samples in seconds."""
    return f"{number(Figure.of(seconds).median * 1000)} ms"


def number(value: float) -> str:
    """Return a number with three significant digits, and without a point if it is whole."""
    if value == round(value):
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def whole(sections: Iterable[Section], machine: str) -> str:
    """Return docs/performance.md: a paragraph, every row with a bound, and the published tables."""
    found = list(sections)
    bounded = [(section, row) for section in found for row in section.rows if row.at_most is not None]
    failing = sum(not row.holds for _, row in bounded)
    outcome = f"{failing} of {len(bounded)} bounds do not hold." if failing else f"All {len(bounded)} bounds hold."
    rows = [(section.title, *row.cells()) for section, row in bounded]
    published = [one for section in found if section.is_published for one in section.tables]
    parts = [_INTRODUCTION.format(machine=machine, outcome=outcome), table(("Part", *_HEAD), rows), *published]
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = """\
# Performance

`make bench` measures each figure together with a baseline (the anchor) in the same run, sample by sample: the machine
may be slow, but the ratio stays. A figure is the median of its samples, followed by the middle half of them. Calls,
units and bytes are exact, and tests check them. The command prints what each part measures and all other figures.
{machine} {outcome}"""
