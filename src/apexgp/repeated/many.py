"""Forecasts of many curves: together where they can be computed together, chunk by chunk, one bad curve at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike
from sklearn.base import clone

from .._check import FloatArray, probability, real_array, shown, sizes_array
from ..curve import LearningCurve
from ..errors import ApexError, DataError, RequestError
from ..estimators import APExGP, CurveEstimator, fit_together, without_answer
from .processes import in_order

__all__ = ["CurveForecast", "forecast_many"]

# A chunk is what one worker is handed at a time; memory holds a few of them, however many curves there are.
_CHUNK = 64


@dataclass(frozen=True, eq=False)
class CurveForecast:
    """Summary of the forecast of one curve of a batch.

    Attributes
    ----------
    index : int
        Position of the curve in the batch.
    task : object
        Key of the curve in a mapping, else its own `task`.
    sizes, mean, median, std : arrays of shape (Q,)
        The forecast; empty if there is none.
    intervals : dict
        For each level, the lower and upper ends.
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
    intervals: Mapping[float, tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()
    error: str | None = None


def forecast_many(
    curves: Iterable[LearningCurve] | Mapping[Any, LearningCurve],
    sizes: ArrayLike,
    model: APExGP | None = None,
    levels: Sequence[float] = (0.8, 0.95),
    n_jobs: int | None = None,
) -> Iterator[CurveForecast]:
    """Forecast many curves at the same sizes.

    Parameters
    ----------
    curves
        Curves, or a mapping to them such as `read_curves` returns. An iterable is read as results are taken.
    sizes
        Training-set sizes.
    model
        Settings to use for every curve; by default `APExGP()`. It is not fitted itself.
    levels
        Levels of the intervals.
    n_jobs
        Processes, as joblib counts them; `joblib.parallel_config(backend="dask")` spreads the work over a cluster.

    Yields
    ------
    CurveForecast
        One for each curve, in order. A curve that cannot be forecast has `error` set.
    """
    at = sizes_array("sizes", sizes)
    levels = tuple(
        probability("levels", level) for level in np.atleast_1d(real_array("levels", levels)).ravel().tolist()
    )
    settings = APExGP() if model is None else model
    if not isinstance(settings, APExGP):
        raise RequestError(f"must be an APExGP, got {type(settings).__name__}.", argument="model")
    try:
        items = curves.items() if isinstance(curves, Mapping) else ((None, curve) for curve in iter(curves))
    except Exception:  # whatever a foreign object raises that only looks like a list
        raise RequestError(f"must be several, or a mapping to them, got {shown(curves)}.", argument="curves") from None
    chunks = _chunks(enumerate(items))
    work = (delayed(_forecast_chunk)(chunk, at, clone(settings), levels) for chunk in chunks)
    return (forecast for chunk in in_order(work, n_jobs) for forecast in chunk)


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
    except Exception as problem:
        failed = problem
    if chunk:
        yield chunk
    if failed is not None:
        raise DataError(
            f"could not be read on after the first {count} ({type(failed).__name__}: {failed}).", argument="curves"
        ) from failed


def _forecast_chunk(
    chunk: Sequence[tuple[int, tuple[object, LearningCurve]]],
    sizes: FloatArray,
    settings: APExGP,
    levels: tuple[float, ...],
) -> list[CurveForecast]:
    """Forecast some curves, those of the same structure together."""
    models = fit_together(settings, [curve for _, (_, curve) in chunk])
    results = []
    for (index, (key, curve)), model in zip(chunk, models, strict=True):
        task = key if key is not None else getattr(curve, "task", None)
        try:
            if isinstance(model, ApexError):
                raise model
            results.append(_summary(index, task, model, sizes, levels))
        except Exception as problem:
            results.append(CurveForecast(index, task, sizes, error=str(without_answer(problem))))
    return results


def _summary(
    index: int, task: object, model: CurveEstimator, sizes: FloatArray, levels: tuple[float, ...]
) -> CurveForecast:
    forecast = model.forecast(sizes)
    wanted = np.array([0.5, *(p for level in levels for p in ((1 - level) / 2, (1 + level) / 2))])
    median, *ends = forecast.quantile(wanted)
    intervals = {level: (ends[2 * i], ends[2 * i + 1]) for i, level in enumerate(levels)}
    return CurveForecast(index, task, sizes, forecast.mean, median, forecast.std, intervals, forecast.cautions, None)
