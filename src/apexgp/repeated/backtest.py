"""How well would each method have done? Fit on the small sizes, score on the large, per curve and pooled."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from joblib import delayed
from sklearn.base import clone

from .. import metrics
from .._check import FloatArray, shown, some, whole_number
from .._files import write_text
from .._tables import as_csv
from ..answers.required import RequiredSize
from ..curve import LearningCurve
from ..errors import ApexError, DataError, RequestError
from ..estimators import METHODS, CurveEstimator, without_answer
from .processes import in_order

__all__ = ["Backtest", "MethodScore", "backtest", "methods_named", "sizes_required"]

_NO_FIGURES = dict.fromkeys(("error", "bias", "likelihood", "coverage_80", "coverage_95", "crps"), float("nan"))


@dataclass(frozen=True)
class MethodScore:
    """How a method did, on one curve or on average over several.

    Attributes
    ----------
    method : str
        Its name.
    task : object
        The curve's key or task; None where curves are pooled.
    error : float
        Mean absolute error of the forecast score at the sizes held out.
    bias : float
        Mean of forecast minus measured score.
    likelihood : float
        Probability that the forecast gave to within 0.01 of the measured score; NaN for a curve without a distribution.
    coverage_80, coverage_95 : float
        Share of the measured scores inside the 80 % and 95 % intervals; NaN likewise.
    crps : float
        Continuous ranked probability score, lower is better; for a curve without a distribution its absolute error, to
        which it reduces.
    curves : int
        How many curves the figures are of.
    failed : str or None
        Why there are no figures for some curve.
    """

    method: str
    task: object
    error: float
    bias: float
    likelihood: float
    coverage_80: float
    coverage_95: float
    crps: float
    curves: int
    failed: str | None = None


@dataclass(frozen=True)
class Backtest:
    """Figures of each method.

    Attributes
    ----------
    pooled : tuple of MethodScore
        For each method the mean over the curves, in order of the CRPS.
    by_curve : tuple of MethodScore
        For each curve and method.
    """

    pooled: tuple[MethodScore, ...]
    by_curve: tuple[MethodScore, ...]

    def __repr__(self) -> str:
        head = f"{'method':<24}{'error':>8}{'bias':>9}{'likelihood':>12}{'80 %':>7}{'95 %':>7}{'CRPS':>9}"
        rows = [
            f"{s.method:<24}{s.error:8.4f}{s.bias:+9.4f}{s.likelihood:12.3f}{s.coverage_80:7.2f}{s.coverage_95:7.2f}"
            f"{s.crps:9.4f}".replace("nan", "  -")
            for s in self.pooled
        ]
        return "\n".join([f"Backtest of {max((s.curves for s in self.pooled), default=0)} curve(s)", head, *rows])

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write one row for each curve and method."""
        names = [field.name for field in fields(MethodScore)]
        columns = {name: [getattr(row, name) for row in self.by_curve] for name in names}
        write_text(path, as_csv(columns), overwrite=overwrite)


def backtest(
    curve: LearningCurve | Iterable[LearningCurve] | Mapping[Any, LearningCurve],
    methods: Mapping[str, CurveEstimator] | Sequence[str] | None = None,
    holdout: int | None = None,
    *,
    n_jobs: int | None = None,
) -> Backtest:
    """Judge methods on measured curves: fit each on the smaller sizes, compare with the scores at the larger ones.

    Parameters
    ----------
    curve
        One curve, several, or a mapping to them such as `read_curves` returns.
    methods
        Estimators by name, or names among `apexgp.METHODS`; by default all of those.
    holdout
        How many of the largest sizes to hold out; by default a third of them, at least one. Three must be left.
    n_jobs
        Processes, as joblib counts them.

    Returns
    -------
    Backtest
        Figures are averaged within a curve first, then over curves. What is forecast is the mean score at each size
        held out, over the same splits if they are labelled.
    """
    chosen = _methods(methods)
    if holdout is not None:
        whole_number("holdout", holdout, least=1)
    if isinstance(curve, LearningCurve):
        curves: list[tuple[object, LearningCurve]] = [(curve.task, curve)]
    elif isinstance(curve, Mapping):
        curves = list(curve.items())
    elif isinstance(curve, Iterable):
        curves = [(getattr(one, "task", None) or i, one) for i, one in enumerate(curve)]
    else:
        raise DataError(f"Expected a LearningCurve, or several, got {type(curve).__name__}.")
    wrong = [one for _, one in curves if not isinstance(one, LearningCurve)]
    if wrong or not curves:
        came = type(wrong[0]).__name__ if wrong else "none"
        raise DataError(f"Expected a LearningCurve, or several, got {came}. Read a file with apexgp.read_curves(path).")
    work = (delayed(_judge)(task, one, chosen, holdout) for task, one in curves)
    found = [score for scores in in_order(work, n_jobs) for score in scores]
    pooled = [_pool(name, [score for score in found if score.method == name]) for name in chosen]
    return Backtest(tuple(sorted(pooled, key=lambda s: (np.isnan(s.crps), s.crps))), tuple(found))


def methods_named(names: Sequence[str]) -> dict[str, CurveEstimator]:
    """Estimators by those of `METHODS` that have the given names."""
    unknown = [name for name in names if not isinstance(name, str) or name not in METHODS]
    if unknown:
        raise RequestError(f"There is no method {some(unknown)}; there are {', '.join(METHODS)}.")
    return {name: METHODS[name]() for name in names}


def sizes_required(
    curve: LearningCurve, methods: Mapping[str, CurveEstimator], target: float, confidence: float
) -> dict[str, RequiredSize | str]:
    """What each method, fitted to the whole curve, asks for to reach a target, or why it does not say."""
    found: dict[str, RequiredSize | str] = {}
    for name, method in methods.items():
        try:
            found[name] = clone(method).fit(curve).required_size(target, confidence)
        except DataError as problem:
            found[name] = str(problem)
    return found


def _methods(methods: Mapping[str, CurveEstimator] | Sequence[str] | None) -> dict[str, CurveEstimator]:
    if methods is None:
        return methods_named(list(METHODS))
    if isinstance(methods, CurveEstimator):
        raise RequestError(f"must be a mapping, such as {{'mine': {type(methods).__name__}()}}.", argument="methods")
    if isinstance(methods, Mapping):
        for name, method in methods.items():
            if not isinstance(method, CurveEstimator):
                raise RequestError(f"The method {name!r} must be an estimator of curves, got {type(method).__name__}.")
        chosen = dict(methods)
    elif isinstance(methods, Iterable):
        chosen = methods_named([methods] if isinstance(methods, str) else list(methods))
    else:
        raise RequestError(
            f"must be names, or a mapping from names to estimators, got {shown(methods)}.", argument="methods"
        )
    if not chosen:
        raise RequestError("is empty. Name at least one, or leave it out for all.", argument="methods")
    return chosen


def _judge(
    task: object, curve: LearningCurve, methods: Mapping[str, CurveEstimator], holdout: int | None
) -> list[MethodScore]:
    """Figures of each method on one curve."""
    try:
        pilot, sizes, truth = _held_out(curve, holdout)
    except ApexError as problem:
        return [_none(name, task, str(problem)) for name in methods]
    scores = []
    for name, method in methods.items():
        try:
            scores.append(_score(name, task, clone(method).fit(pilot), sizes, truth))
        except Exception as problem:
            scores.append(_none(name, task, str(without_answer(problem))))
    return scores


def _held_out(curve: LearningCurve, holdout: int | None) -> tuple[LearningCurve, FloatArray, FloatArray]:
    """The pilot that remains, the sizes held out, and the mean scores there."""
    measured = curve.replicates
    count = len(measured.sizes)
    held = max(1, count // 3) if holdout is None else holdout
    if count - held < 3:
        raise DataError(
            f"The curve has {count} different sizes; to hold out {held} and keep 3 to fit, it takes {held + 3}."
        )
    return curve.up_to(measured.sizes[-held - 1]), measured.sizes[-held:], measured.mean[-held:]


def _score(name: str, task: object, model: CurveEstimator, sizes: FloatArray, truth: FloatArray) -> MethodScore:
    if not model.forecasts:
        predicted = model.predict(sizes)
        error = float(metrics.mae(predicted, truth))
        bias = float((predicted - truth).mean())
        return replace(_none(name, task, None), error=error, bias=bias, crps=error, curves=1)
    forecast = model.forecast(sizes, of="same_splits")
    return MethodScore(
        name,
        task,
        error=float(metrics.mae(forecast.mean, truth)),
        bias=float((forecast.mean - truth).mean()),
        likelihood=float(metrics.quantized_likelihood(forecast, truth)),
        coverage_80=float(metrics.coverage(forecast, truth, 0.8)),
        coverage_95=float(metrics.coverage(forecast, truth, 0.95)),
        crps=float(metrics.crps(forecast, truth)),
        curves=1,
    )


def _none(name: str, task: object, why: str | None) -> MethodScore:
    return MethodScore(name, task, **_NO_FIGURES, curves=0, failed=why)


def _pool(name: str, scores: Sequence[MethodScore]) -> MethodScore:
    """Mean over the curves on which the method worked."""
    done = [score for score in scores if score.failed is None]
    failures = [score.failed for score in scores if score.failed is not None]
    if not done:
        return _none(name, None, failures[0])
    means = {figure: _mean([getattr(score, figure) for score in done]) for figure in _NO_FIGURES}
    why = f"{len(failures)} of {len(scores)} curves: {failures[0]}" if failures else None
    return MethodScore(name, None, **means, curves=len(done), failed=why)


def _mean(figures: list[float]) -> float:
    """Mean over the curves that have the figure: a method may forecast some and only draw a line through others."""
    present = [figure for figure in figures if not math.isnan(figure)]
    return sum(present) / len(present) if present else math.nan
