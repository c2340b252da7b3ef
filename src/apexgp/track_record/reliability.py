"""How often the intervals of recorded forecasts covered what was measured later.

A forecast is compared at a size if that is larger than its whole pilot, and if no earlier line of the record has a
score there: what was known is not forecast. Lines are in the order in which they were recorded, whatever their dates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from .._answer import Answer, ColumnData, SummaryTable, to_data_frame, to_json_columns
from .._check import FloatArray, check_choice
from ..curve import LearningCurve
from ..metrics import RESOLUTION
from .lines import (
    JUDGED_LEVELS,
    CurveIdentity,
    ForecastLine,
    RecordLine,
    group_by_identity,
    interval_shares,
    merge_curves,
)

__all__ = [
    "ComparedForecast",
    "Comparisons",
    "LevelCoverage",
    "Reliability",
    "compare_forecasts",
    "measure_reliability",
]


@dataclass(frozen=True)
class ComparedForecast:
    """A forecast at one size beside the score measured there later.

    Attributes
    ----------
    name, task, metric, unit
        Identity of the curve.
    date : str
        When the forecast was recorded.
    size, times : float
        The training-set size, and as a multiple of the pilot's largest.
    n_splits : int
        Number of scores whose mean is compared.
    measured, median : float
        That mean, and the median of its forecast.
    lower_80, upper_80, lower_95, upper_95 : float
        Ends of the intervals.
    pit : float
        Share of the forecast below what was measured.
    covered : tuple of bool
        Whether each of the intervals covers it, at three decimals.
    """

    name: str | None
    task: str | None
    metric: str
    unit: str
    date: str
    size: float
    times: float
    n_splits: int
    measured: float
    median: float
    lower_80: float
    upper_80: float
    lower_95: float
    upper_95: float
    pit: float
    covered: tuple[bool, ...]

    @property
    def identity(self) -> CurveIdentity:
        """Identity of the curve."""
        return CurveIdentity(self.name, self.task, self.metric, self.unit)


@dataclass(frozen=True)
class Comparisons:
    """Forecasts (of one size each) that could be compared, and counts of those that could not, or not yet."""

    compared: tuple[ComparedForecast, ...]
    waiting: int
    known: int
    unlike: int


def compare_forecasts(lines: Sequence[RecordLine]) -> Comparisons:
    """Compare every forecast of a record with the scores that came later."""
    compared: list[ComparedForecast] = []
    waiting = known = unlike = 0
    seen: set[str] = set()
    for places in group_by_identity(lines).values():
        for i in places:
            line = lines[i]
            if not isinstance(line, ForecastLine):
                continue
            before = {size for j in places if j < i for size in lines[j].curve.sizes.tolist()}
            later = [lines[j].curve for j in places if j > i]
            whole = merge_curves(later) if later else None
            for column, size in enumerate(line.sizes.tolist()):
                if line.identify_at(size) in seen:
                    continue
                seen.add(line.identify_at(size))
                if size <= line.curve.largest or size in before:
                    known += 1
                elif whole is None or size not in whole.sizes:
                    waiting += 1
                else:
                    found = _compare_at_size(line, column, whole._rows(whole.sizes == size))
                    unlike += found is None
                    compared += [] if found is None else [found]
    return Comparisons(tuple(compared), waiting, known, unlike)


def _compare_at_size(line: ForecastLine, column: int, rows: LearningCurve) -> ComparedForecast | None:
    """Compare a forecast at one size; None where the scores measured are not of the kind that was forecast."""
    scores, quantiles = rows.scores, line.quantiles
    if (rows.averaged_over or 1) != (line.curve.averaged_over or 1):
        return None
    if line.n_splits is None:
        pilot_splits = set() if line.curve.split is None else set(line.curve.split.tolist())
        if rows.split is None or not pilot_splits <= set(rows.split.tolist()):
            return None
        scores = scores[np.isin(rows.split, list(pilot_splits))]
    elif len(scores) >= line.n_splits:
        scores = scores[: line.n_splits]  # a mean of more would vary less than the one forecast
    else:
        scores, quantiles = scores[:1], line.quantiles if line.single is None else line.single
    return _judge(line, column, quantiles[:, column], scores)


def _judge(line: ForecastLine, column: int, quantiles: FloatArray, scores: FloatArray) -> ComparedForecast:
    at = dict(zip(line.shares.tolist(), quantiles.tolist(), strict=True))
    measured, size = float(scores.mean()), float(line.sizes[column])
    intervals = {level: tuple(at[end] for end in interval_shares(level)) for level in JUDGED_LEVELS}
    half = RESOLUTION / 2
    return ComparedForecast(
        *line.identity,
        date=line.date,
        size=size,
        times=size / line.curve.largest,
        n_splits=len(scores),
        measured=measured,
        median=at[0.5],
        lower_80=intervals[0.8][0],
        upper_80=intervals[0.8][1],
        lower_95=intervals[0.95][0],
        upper_95=intervals[0.95][1],
        pit=_interpolate_pit(measured, line.shares, quantiles),
        covered=tuple(low <= measured + half and measured - half <= high for low, high in intervals.values()),
    )


def _interpolate_pit(score: float, shares: FloatArray, quantiles: FloatArray) -> float:
    """PIT by linear interpolation between quantiles; beyond the outermost, halfway to 0 or 1."""
    beyond = shares[0] / 2, (1 + shares[-1]) / 2
    return float(np.interp(score, quantiles, shares, left=beyond[0], right=beyond[1]))


_NORMAL = 1.959963984540054  # 97.5 % quantile of the normal distribution
_ENOUGH = 5  # fewest curves for a share to mean something
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
        `covered` over `compared`; NaN where nothing was compared.
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
        """Whether they covered as often as they should, as far as the confidence interval shows."""
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
        """`to_dict` as a pandas DataFrame (`pip install 'apexgp[pandas]'`); cautions in `frame.attrs["cautions"]`."""
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
    compared = comparisons.compared
    curves = len({one.identity for one in compared})
    count = len(compared)
    levels = []
    for i, level in enumerate(JUDGED_LEVELS):
        covered = sum(one.covered[i] for one in compared)
        share = covered / count if count else math.nan
        levels.append(LevelCoverage(level, covered, count, share, *_wilson_interval(share, curves)))
    above = sum(one.measured > one.median for one in compared) / count if count else math.nan
    return Reliability(
        tuple(levels), compared, curves, comparisons.waiting, comparisons.known, comparisons.unlike, above
    )


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
