"""How often the intervals of recorded forecasts covered what was measured later."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from .._answer import Answer, ColumnData, SummaryTable, to_data_frame, to_json_columns
from .._check import check_choice
from .comparisons import ComparedForecast, Comparisons
from .lines import JUDGED_LEVELS

__all__ = ["LevelCoverage", "Reliability", "measure_reliability"]

_NORMAL = 1.959963984540054  # standard deviations that 95 % of a normal distribution lie within
_ENOUGH = 5  # curves from which on a share says something
By = Literal["level", "forecast"]


@dataclass(frozen=True)
class LevelCoverage:
    """How often intervals of one level covered the later score.

    Attributes
    ----------
    level : float
        How often they should.
    covered, compared : int
        How often they did, of how many.
    share : float
        The same as a share; NaN where nothing was compared.
    lower, upper : float
        Ends of the 95 % confidence interval of that share (Wilson's). It counts curves rather than scores: an
        interval that misses at one size of a curve mostly misses at the next, too.
    """

    level: float
    covered: int
    compared: int
    share: float
    lower: float
    upper: float

    @property
    def verdict(self) -> Literal["as often", "less often", "more often"]:
        """Whether they did as often as they should, as far as can be told."""
        if self.upper < self.level:
            return "less often"
        return "more often" if self.lower > self.level else "as often"


@dataclass(frozen=True, repr=False)
class Reliability(Answer):
    """How often the intervals of a record covered what was measured later.

    Attributes
    ----------
    levels : tuple of LevelCoverage
        For intervals of 50, 80, 90 and 95 %.
    comparisons : tuple of ComparedForecast
        Every forecast of one size beside what was measured there later.
    curves : int
        Number of curves among them.
    waiting : int
        Forecasts at sizes that have not been measured yet.
    known : int
        Forecasts that do not count: their pilot, or an earlier line of the record, goes as far already.
    unlike : int
        Forecasts that what was measured cannot be compared with: the pilot's own splits were forecast and others were
        measured, or scores that average another number of runs.
    above : float
        Share of the later scores that were above the median forecast; NaN where nothing was compared.
    cautions : tuple of str
        Reasons to doubt it.
    """

    levels: tuple[LevelCoverage, ...]
    comparisons: tuple[ComparedForecast, ...]
    curves: int
    waiting: int
    known: int
    unlike: int
    above: float

    @property
    def cautions(self) -> tuple[str, ...]:  # type: ignore[override]
        """Few curves, and what could not be compared."""
        found = []
        if 0 < self.curves < _ENOUGH:
            found.append(
                f"The later scores come from {self.curves} curve{'s' if self.curves > 1 else ''} only, too few to say "
                "how reliable intervals are."
            )
        if self.unlike:
            found.append(
                f"{self.unlike} forecast{'s' if self.unlike > 1 else ''} could not be compared with what was measured: "
                "other splits than the pilot's own, or scores that average another number of runs."
            )
        return tuple(found)

    @property
    def is_enough(self) -> bool:
        """Whether there are enough curves to speak of reliability."""
        return self.curves >= _ENOUGH

    def _columns(self, by: By = "level") -> ColumnData:
        rows: tuple[Any, ...] = self.levels if check_choice("by", by, get_args(By)) == "level" else self.comparisons
        kind = LevelCoverage if by == "level" else ComparedForecast
        names = [field.name for field in fields(kind)]
        columns: ColumnData = {name: [getattr(row, name) for row in rows] for name in names}
        if by == "forecast":
            covered = columns.pop("covered")
            columns |= {
                f"covered_{100 * level:g}": [one[i] for one in covered] for i, level in enumerate(JUDGED_LEVELS)
            }
        return columns

    def to_dict(self, by: By = "level") -> ColumnData:
        """The table as plain columns, ready for JSON; None where there is no value.

        Parameters
        ----------
        by
            What a row is: "level" (how often intervals of that level covered), or "forecast" (each comparison).
        """
        return to_json_columns(self._columns(by))

    def to_frame(self, by: By = "level") -> Any:
        """The same as a pandas DataFrame (`pip install 'apexgp[pandas]'`); cautions in `frame.attrs["cautions"]`."""
        return to_data_frame(self, self._columns(by))

    def shown(self) -> SummaryTable:
        """One row per level."""
        rows = [
            (
                f"{100 * row.level:g} %",
                f"{row.covered} of {row.compared}",
                _format_percent(row.share),
                _format_interval(row),
            )
            for row in self.levels
        ]
        header = ("interval", "covered", "share", "95 % confidence interval")
        return SummaryTable("Coverage of recorded forecasts", header, rows, self._all_notes())


def measure_reliability(comparisons: Comparisons) -> Reliability:
    """Count how often intervals of each level covered the later score."""
    made = comparisons.made
    curves = len({one.identity for one in made})
    count = len(made)
    levels = []
    for i, level in enumerate(JUDGED_LEVELS):
        covered = sum(one.covered[i] for one in made)
        share = covered / count if count else math.nan
        levels.append(LevelCoverage(level, covered, count, share, *_wilson_interval(share, curves)))
    above = sum(one.measured > one.median for one in made) / count if count else math.nan
    return Reliability(tuple(levels), made, curves, comparisons.waiting, comparisons.known, comparisons.unlike, above)


def _wilson_interval(share: float, count: int) -> tuple[float, float]:
    """Ends of Wilson's 95 % confidence interval of a share of so many independent cases; all of [0, 1] of none."""
    if not count:
        return 0.0, 1.0
    square = _NORMAL**2 / count
    centre = (share + square / 2) / (1 + square)
    half = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


def _format_percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.0f} %"


def _format_interval(row: LevelCoverage) -> str:
    return f"{100 * row.lower:.0f} to {100 * row.upper:.0f} %" if row.compared else "-"
