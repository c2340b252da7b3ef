"""Forecasts beside what was measured later.

A forecast is compared at a size if that is larger than its whole pilot, and if no earlier line of the record has a
score there: what was known is not forecast. Lines are in the order in which they were recorded, whatever their dates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._check import FloatArray
from ..curve import LearningCurve
from ..metrics import RESOLUTION
from .lines import JUDGED_LEVELS, CurveIdentity, ForecastLine, RecordLine, interval_shares
from .whole_curves import group_by_identity, merge_curves

__all__ = ["ComparedForecast", "Comparisons", "compare_forecasts"]


@dataclass(frozen=True)
class ComparedForecast:
    """What was forecast at one size, and what was measured there later.

    Attributes
    ----------
    name, task, metric, unit
        Which curve.
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
        """Which curve."""
        return CurveIdentity(self.name, self.task, self.metric, self.unit)


@dataclass(frozen=True)
class Comparisons:
    """All that could be compared, and how many forecasts (of one size each) could not, or not yet."""

    made: tuple[ComparedForecast, ...]
    waiting: int
    known: int
    unlike: int


def compare_forecasts(lines: Sequence[RecordLine]) -> Comparisons:
    """Put every forecast beside what came."""
    made: list[ComparedForecast] = []
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
                if line.key(size) in seen:
                    continue
                seen.add(line.key(size))
                if size <= line.curve.largest or size in before:
                    known += 1
                elif whole is None or size not in whole.sizes:
                    waiting += 1
                else:
                    found = _compare_at_size(line, column, whole._rows(whole.sizes == size))
                    unlike += found is None
                    made += [] if found is None else [found]
    return Comparisons(tuple(made), waiting, known, unlike)


def _compare_at_size(line: ForecastLine, column: int, there: LearningCurve) -> ComparedForecast | None:
    """The comparison at one size; None where what was measured is not what was forecast."""
    scores, quantiles = there.scores, line.quantiles
    if (there.averaged_over or 1) != (line.curve.averaged_over or 1):
        return None
    if line.n_splits is None:
        own = set() if line.curve.split is None else set(line.curve.split.tolist())
        if there.split is None or not own <= set(there.split.tolist()):
            return None
        scores = scores[np.isin(there.split, list(own))]
    elif len(scores) >= line.n_splits:
        scores = scores[: line.n_splits]  # of more, the mean would be steadier than what was forecast
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
    """PIT, between quantiles as if the density were even there; halfway to the end beyond the outermost."""
    beyond = shares[0] / 2, (1 + shares[-1]) / 2
    return float(np.interp(score, quantiles, shares, left=beyond[0], right=beyond[1]))
