"""Forecasts of many curves: together where they can be computed together, chunk by chunk, one bad curve at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._answer import Answer, ColumnData, SummaryTable
from .._check import (
    FloatArray,
    check_choice,
    check_positive,
    check_probability,
    check_real_array,
    check_real_number,
    check_sizes,
    format_value,
)
from .._numbers import format_size
from ..answers.required import CONFIDENCE, RequiredSize
from ..curve import LearningCurve
from ..errors import ApexError, DataError, RequestError
from ..estimators import BREAKDOWNS, APExGP, CurveEstimator, fit_together, wrap_breakdown
from ..estimators.contract import clone
from ..forecast import LEVELS, Quantity
from ..running.processes import in_order

__all__ = ["DEFAULT_TIMES", "CurveForecast", "forecast_many"]

# A chunk is what one worker is handed at a time; memory holds a few of them, however many curves there are.
_CHUNK = 64
DEFAULT_TIMES = (2.0, 10.0, 50.0)
"""Multiples of a curve's largest size that are forecast where nothing else is asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class CurveForecast(Answer):
    """Summary of the forecast of one curve of a batch.

    Attributes
    ----------
    index : int
        Position of the curve in the batch.
    task : object
        Key of the curve in a mapping, else its own `task`.
    sizes, mean, median, std : arrays of shape (Q,)
        The forecast; empty if there is none.
    largest : float
        Largest size of the curve; NaN if there is no curve.
    intervals : dict
        For each level, the lower and upper ends.
    required : RequiredSize or None
        The answer to the target, where there was one.
    cautions : tuple of str
        Reasons to doubt it.
    error : str or None
        Why there is no forecast.
    """

    index: int
    task: object
    sizes: FloatArray
    mean: FloatArray = field(default_factory=lambda: np.empty(0))
    median: FloatArray = field(default_factory=lambda: np.empty(0))
    std: FloatArray = field(default_factory=lambda: np.empty(0))
    largest: float = math.nan
    intervals: Mapping[float, tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    required: RequiredSize | None = None
    cautions: tuple[str, ...] = ()
    error: str | None = None

    def _columns(self) -> ColumnData:
        columns = {"size": self.sizes, "mean": self.mean, "median": self.median, "std": self.std}
        for level, ends in self.intervals.items():
            columns[f"lower_{100 * level:g}"], columns[f"upper_{100 * level:g}"] = ends
        count = len(self.mean)
        return {"task": [self.task] * count} | {name: column[:count].tolist() for name, column in columns.items()}

    def shown(self) -> SummaryTable:
        """One row per size, with the widest interval."""
        title = f"Forecast of {self.task}" if self.task is not None else f"Forecast of curve {self.index}"
        if self.error is not None:
            return SummaryTable(title, ("error",), [(self.error,)], (), ("error",))
        level = max(self.intervals, default=None)
        header = ["size", "mean"] + ([] if level is None else [f"{100 * level:g} % interval"])
        rows = [[format_size(size), f"{mean:.3f}"] for size, mean in zip(self.sizes, self.mean, strict=True)]
        if level is not None:
            for row, low, high in zip(rows, *self.intervals[level], strict=True):
                row.append(f"{low:.3f} to {high:.3f}")
        return SummaryTable(title, header, rows, self._all_notes())


def forecast_many(
    curves: Iterable[LearningCurve] | Mapping[Any, LearningCurve],
    sizes: ArrayLike | None = None,
    model: APExGP | None = None,
    levels: Sequence[float] = LEVELS,
    n_jobs: int | None = None,
    *,
    times: ArrayLike | None = None,
    of: Quantity = "new_splits",
    target: float | None = None,
    confidence: float = CONFIDENCE,
) -> Iterator[CurveForecast]:
    """Forecast many curves, at the same sizes or at multiples of each one's own largest.

    Parameters
    ----------
    curves
        Curves, or a mapping to them such as `read_curves` returns. An iterable is consumed as results are taken.
    sizes
        Training-set sizes, the same for all.
    model
        Settings to use for every curve; by default `APExGP()`. It is not fitted itself.
    levels
        Levels of the intervals.
    n_jobs
        Processes, as joblib counts them; `joblib.parallel_config(backend="dask")` spreads the work over a cluster.
    times
        Multiples of each curve's own largest size; in addition to `sizes`, or instead. By default 2, 10 and 50 where no
        sizes are given.
    of
        What is forecast, as for `model.forecast`.
    target, confidence
        Score to reach, and with what probability: also give the number of examples that takes, as `model.required_size`
        does.

    Yields
    ------
    CurveForecast
        One for each curve, in order. A curve that cannot be forecast has `error` set.

    Notes
    -----
    Results come one by one, each computed when it is taken and none kept, so that there may be more curves than fit
    into memory. `list(...)` takes them all; to go over them twice, keep that list.

    Examples
    --------
    >>> from apexgp import LearningCurve
    >>> liver = LearningCurve([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    >>> for found in forecast_many({"liver": liver}, times=[2]):
    ...     print(found.task, found.sizes, found.mean.round(2))
    liver [720.] [0.83]
    """
    check_choice("of", of, get_args(Quantity))
    asked = _Asked(
        sizes=np.empty(0) if sizes is None else check_sizes("sizes", sizes),
        times=_multiples(DEFAULT_TIMES if sizes is None and times is None else () if times is None else times),
        levels=tuple(
            check_probability("levels", level)
            for level in np.atleast_1d(check_real_array("levels", levels)).ravel().tolist()
        ),
        of=of,
        target=None if target is None else check_real_number("target", target),
        confidence=check_probability("confidence", confidence),
    )
    settings = APExGP() if model is None else model
    if not isinstance(settings, APExGP):
        raise RequestError(f"must be an APExGP, got {type(settings).__name__}.", argument="model")
    try:
        items = curves.items() if isinstance(curves, Mapping) else ((None, curve) for curve in iter(curves))
    except TypeError:
        raise RequestError(
            f"must be several, or a mapping to them, got {format_value(curves)}.", argument="curves"
        ) from None
    chunks = _chunks(enumerate(items))
    from joblib import delayed

    work = (delayed(_forecast_chunk)(chunk, asked, clone(settings)) for chunk in chunks)
    return (forecast for chunk in in_order(work, n_jobs) for forecast in chunk)


@dataclass(frozen=True)
class _Asked:
    """What is asked of every curve."""

    sizes: FloatArray
    times: FloatArray
    levels: tuple[float, ...]
    of: Quantity
    target: float | None
    confidence: float

    def of_curve(self, largest: float) -> FloatArray:
        """The sizes to forecast: the common ones as they were given, then the multiples."""
        return np.append(self.sizes, self.times * largest)


def _multiples(times: ArrayLike) -> FloatArray:
    values = np.atleast_1d(check_real_array("times", times))
    for value in values.ravel().tolist():
        check_positive("times", value)
    return values.ravel()


def _chunks(items: Iterable[Any]) -> Iterator[list[Any]]:
    """What is read, some at a time; where reading fails, what came before it first."""
    chunk: list[Any] = []
    failed: Exception | None = None
    count = 0
    try:
        for item in items:
            chunk.append(item)
            count += 1
            if len(chunk) == _CHUNK:
                yield chunk
                chunk = []
    except Exception as problem:  # the caller's own iterator
        failed = problem
    if chunk:
        yield chunk
    if failed is not None:
        raise DataError(
            f"could not be read beyond the first {count} ({type(failed).__name__}: {failed}).", argument="curves"
        ) from failed


def _forecast_chunk(
    chunk: Sequence[tuple[int, tuple[object, LearningCurve]]], asked: _Asked, settings: APExGP
) -> list[CurveForecast]:
    """Forecast some curves, those of the same structure together."""
    models = fit_together(settings, [curve for _, (_, curve) in chunk])
    results = []
    for (index, (key, curve)), model in zip(chunk, models, strict=True):
        task = key if key is not None else getattr(curve, "task", None)
        largest = float(curve.largest) if isinstance(curve, LearningCurve) else math.nan
        try:
            if isinstance(model, ApexError):
                raise model
            results.append(_summary(index, task, model, asked))
        except BREAKDOWNS as problem:
            why = str(wrap_breakdown(problem))
            results.append(CurveForecast(index, task, np.empty(0), largest=largest, error=why))
    return results


def _summary(index: int, task: object, model: CurveEstimator, asked: _Asked) -> CurveForecast:
    largest = model.curve_.largest
    forecast = model.forecast(asked.of_curve(largest), of=asked.of)
    wanted = np.array([0.5, *(p for level in asked.levels for p in ((1 - level) / 2, (1 + level) / 2))])
    median, *ends = forecast.quantile(wanted)
    required = None if asked.target is None else model.required_size(asked.target, asked.confidence)
    more = () if required is None else required.cautions
    return CurveForecast(
        index,
        task,
        forecast.sizes,
        forecast.mean,
        median,
        forecast.std,
        largest,
        {level: (ends[2 * i], ends[2 * i + 1]) for i, level in enumerate(asked.levels)},
        required,
        tuple(dict.fromkeys((*forecast.cautions, *more))),
    )
