"""How well would each method have done? Fit on the small sizes, score on the large, per curve and pooled."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import metrics
from .._check import (
    FloatArray,
    check_bool,
    check_list,
    check_mapping,
    check_text,
    check_whole_number,
    format_some,
    format_value,
)
from ..answers.required import RequiredSize
from ..curve import LearningCurve
from ..errors import ApexError, DataError, RequestError
from ..estimators import BREAKDOWNS, CurveEstimator, wrap_breakdown
from ..estimators.contract import clone
from ..estimators.least_squares import METHODS
from ..running.processes import in_order
from ..running.progress import progress_bar
from .backtest_answer import Backtest, HeldOut, MethodScore

__all__ = ["backtest", "methods_named", "sizes_required"]

_NO_FIGURES = dict.fromkeys(("error", "bias", "likelihood", "coverage_80", "coverage_95", "crps"), float("nan"))


def backtest(
    curve: LearningCurve | Iterable[LearningCurve] | Mapping[Any, LearningCurve],
    methods: Mapping[str, CurveEstimator] | Sequence[str] | None = None,
    holdout: int | None = None,
    *,
    n_jobs: int | None = None,
    progress: bool = True,
) -> Backtest:
    """Evaluate methods on measured curves: fit each to the smaller sizes, compare with the scores at the larger ones.

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
    progress
        Show a progress bar, where there is a terminal and the work takes more than a moment.

    Returns
    -------
    Backtest
        Scores are averaged within a curve first, then over curves. The forecast is of the mean score at each held-out
        size, over the same splits if they are labelled. An interval counts as covering a score if it does so at the
        three decimals shown; otherwise a perfect score would lie outside every equal-tailed interval.
    """
    chosen = _methods(methods)
    if holdout is not None:
        check_whole_number("holdout", holdout, least=1)
    if isinstance(curve, LearningCurve):
        curves: list[tuple[object, LearningCurve]] = [(curve.task, curve)]
    elif isinstance(curve, Mapping):
        curves = list(check_mapping("curve", curve, "a LearningCurve, or several", error=DataError).items())
    else:
        listed = check_list("curve", curve, "a LearningCurve, or several", error=DataError)
        curves = [((isinstance(one, LearningCurve) and one.task) or i, one) for i, one in enumerate(listed)]
    wrong = [one for _, one in curves if not isinstance(one, LearningCurve)]
    if wrong or not curves:
        came = format_value(wrong[0]) if wrong else "none"
        raise DataError(
            f"must be a LearningCurve, or several, got {came}. Read a file with apexgp.read_curves(path).",
            argument="curve",
        )
    from joblib import delayed

    work = (delayed(_judge)(task, one, chosen, holdout) for task, one in curves)
    metrics_measured = {one.metric_name for _, one in curves}
    judged = []
    with progress_bar("curves", len(curves), shown=check_bool("progress", progress)) as advance:
        for found_on_curve in in_order(work, n_jobs):
            judged += found_on_curve
            advance()
    found = [score for score, _ in judged]
    pooled = [_pool(name, [score for score in found if score.method == name]) for name in chosen]
    return Backtest(
        tuple(sorted(pooled, key=lambda s: (np.isnan(s.crps), s.crps))),
        tuple(found),
        tuple(held for _, by_size in judged for held in by_size),
        metric=metrics_measured.pop() if len(metrics_measured) == 1 else "score",
    )


def methods_named(names: Sequence[str]) -> dict[str, CurveEstimator]:
    """Estimators by those of `METHODS` that have the given names."""
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise RequestError(f"There is no method {format_some(unknown)}; choose from {', '.join(METHODS)}.")
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
    wanted = "names, or a mapping from names to estimators"
    if methods is None:
        return methods_named(list(METHODS))
    if isinstance(methods, CurveEstimator):
        raise RequestError(f"must be a mapping, such as {{'mine': {type(methods).__name__}()}}.", argument="methods")
    if isinstance(methods, Mapping):
        chosen = check_mapping("methods", methods, wanted)
        for name, method in chosen.items():
            if not isinstance(method, CurveEstimator):
                raise RequestError(
                    f"The method {format_value(name)} must be an estimator of curves, got {type(method).__name__}."
                )
    else:
        listed = [methods] if isinstance(methods, str) else check_list("methods", methods, wanted)
        chosen = methods_named([check_text("methods", name, wanted) for name in listed])
    if not chosen:
        raise RequestError("is empty. Name at least one, or leave it out for all.", argument="methods")
    return chosen


def _judge(
    task: object, curve: LearningCurve, methods: Mapping[str, CurveEstimator], holdout: int | None
) -> list[tuple[MethodScore, list[HeldOut]]]:
    """Figures of each method on one curve."""
    try:
        pilot, sizes, truth = _held_out(curve, holdout)
    except ApexError as problem:
        return [(_none(name, task, str(problem)), []) for name in methods]
    scores: list[tuple[MethodScore, list[HeldOut]]] = []
    for name, method in methods.items():
        try:
            scores.append(_score(name, task, clone(method).fit(pilot), sizes, truth))
        except BREAKDOWNS as problem:
            scores.append((_none(name, task, str(wrap_breakdown(problem))), []))
    return scores


def _held_out(curve: LearningCurve, holdout: int | None) -> tuple[LearningCurve, FloatArray, FloatArray]:
    """The pilot that remains, the sizes held out, and the mean scores there."""
    measured = curve.replicates
    count = len(measured.sizes)
    held = max(1, count // 3) if holdout is None else holdout
    if count - held < 3:
        raise DataError(
            f"The curve has {count} different sizes; holding out {held} and keeping 3 to fit takes {held + 3}."
        )
    return curve.up_to(measured.sizes[-held - 1]), measured.sizes[-held:], measured.mean[-held:]


def _score(
    name: str, task: object, model: CurveEstimator, sizes: FloatArray, truth: FloatArray
) -> tuple[MethodScore, list[HeldOut]]:
    """Figures of a fitted method, and what it said of each size."""
    if not model.has_distribution:
        predicted, lower, upper = model.predict(sizes), *np.full((2, len(sizes)), math.nan)
        error = float(metrics.mae(predicted, truth))
        bias = float((predicted - truth).mean())
        score = replace(_none(name, task, None), error=error, bias=bias, crps=error, curves=1)
    else:
        forecast = model.forecast(sizes, of="same_splits")
        predicted, (lower, upper) = forecast.mean, forecast.interval(0.95)
        score = MethodScore(
            name,
            task,
            error=float(metrics.mae(predicted, truth)),
            bias=float((predicted - truth).mean()),
            likelihood=float(metrics.quantized_likelihood(forecast, truth)),
            coverage_80=float(metrics.coverage(forecast, truth, 0.8, resolution=metrics.RESOLUTION)),
            coverage_95=float(metrics.coverage(forecast, truth, 0.95, resolution=metrics.RESOLUTION)),
            crps=float(metrics.crps(forecast, truth)),
            curves=1,
        )
    columns = np.column_stack([sizes, truth, predicted, lower, upper, sizes / model.curve_.largest])
    return score, [HeldOut(name, task, *row) for row in columns.tolist()]


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
