"""Methods judged on curves that are known: fitted to the smaller sizes, compared with the larger ones."""

from __future__ import annotations

import math

# Backtest, HeldOut, MethodScore
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np

from ... import metrics
from ..._answer import Answer, ColumnData, SummaryTable, to_data_frame, to_json_columns
from ..._check import (
    FloatArray,
    check_bool,
    check_choice,
    check_list,
    check_mapping,
    check_text,
    check_whole_number,
    format_some,
    format_value,
)
from ..._numbers import SCORE_DIGITS, format_score, format_score_change
from ...curve import LearningCurve
from ...errors import ApexError, DataError, RequestError, TooFewSizesError
from ...estimators import BREAKDOWNS, CurveEstimator, wrap_breakdown
from ...estimators.contract import clone
from ...estimators.least_squares import METHODS
from ...files.writing import write_text
from ...metrics import RESOLUTION
from ...reading.files import as_csv
from ...required import RequiredSize
from ...running.processes import run_in_order
from ...running.terminal import progress_bar

__all__ = ["Backtest", "HeldOut", "MethodScore", "backtest", "find_required_sizes", "format_error", "make_methods"]

_ENOUGH = 5  # comparisons from which on it is not mere luck who comes out best
# Figures of a method: name of the attribute, and name in a table.
_FIGURES = {
    "error": "error",
    "bias": "bias",
    "likelihood": "likelihood",
    "coverage_80": "80 % coverage",
    "coverage_95": "95 % coverage",
    "crps": "CRPS",
}


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
        Mean absolute error of the forecast score at the held-out sizes.
    bias : float
        Mean of forecast minus measured score.
    likelihood : float
        Probability that the forecast assigned to within 0.01 of the measured score; NaN for a curve without a
        distribution.
    coverage_80, coverage_95 : float
        Share of the measured scores inside the 80 % and 95 % intervals, at three decimals; NaN likewise.
    crps : float
        Continuous ranked probability score, lower is better; for a curve without a distribution its absolute error, to
        which it reduces.
    curves : int
        Number of curves behind the values.
    failed : str or None
        Why there are no values for some curve.
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
class HeldOut:
    """Forecast and measured score of a method at one held-out size.

    Attributes
    ----------
    method, task
        As in `MethodScore`.
    size : float
        The training-set size.
    measured : float
        Mean score there.
    forecast : float
        What the method expected.
    lower_95, upper_95 : float
        Ends of its 95 % interval; NaN for a curve without a distribution.
    times : float
        The size over the largest that the method was fitted to.
    """

    method: str
    task: object
    size: float
    measured: float
    forecast: float
    lower_95: float
    upper_95: float
    times: float

    @property
    def within_95(self) -> bool:
        """Whether the 95 % interval covers the measured score, at three decimals as for `coverage_95`."""
        return self.lower_95 <= self.measured + RESOLUTION / 2 and self.measured - RESOLUTION / 2 <= self.upper_95


By = Literal["method", "curve", "size"]
"""What a row of a backtest's table is: a method, one of its curves, or a size held out of that."""


def format_error(result: Backtest, error: float) -> str:
    """Write an error of forecasts: errors are small beside the scores, and methods differ in them by little."""
    return format_score(error, result.decimals + 1)


@dataclass(frozen=True, repr=False)
class Backtest(Answer):
    """How each method did.

    Attributes
    ----------
    pooled : tuple of MethodScore
        For each method the mean over the curves, in order of the CRPS.
    by_curve : tuple of MethodScore
        For each curve and method.
    by_size : tuple of HeldOut
        For each curve, method and held-out size: what the method forecast, and what was measured.
    metric : str
        What was measured; "score" where curves differ in it.
    decimals : int
        How many decimals scores are printed with; their errors have one more.
    cautions : tuple of str
        Reasons to doubt that the best method here is the best.
    """

    pooled: tuple[MethodScore, ...]
    by_curve: tuple[MethodScore, ...]
    by_size: tuple[HeldOut, ...] = ()
    metric: str = "score"
    decimals: int = SCORE_DIGITS

    @property
    def cautions(self) -> tuple[str, ...]:  # type: ignore[override]
        """Reasons to doubt that the best method here is the best: few comparisons, and methods without an answer."""
        reasons: dict[str, list[str]] = {}
        for score in self.pooled:
            if score.failed is not None:
                reasons.setdefault(score.failed, []).append(score.method)
        failed = tuple(f"{', '.join(methods)}: {why}" for why, methods in reasons.items())
        return (*self._few(), *failed)

    @property
    def held_out(self) -> dict[tuple[str, float], float]:
        """Every comparison, by curve and size: the size as a multiple of the largest that was fitted."""
        return {(str(one.task), one.size): one.times for one in self.by_size}

    @property
    def is_ranked(self) -> bool:
        """Whether there are enough comparisons to say which method is best."""
        return len(self.held_out) >= _ENOUGH

    def _few(self) -> tuple[str, ...]:
        """Caution for a ranking that rests on few comparisons."""
        held = self.held_out
        if self.is_ranked or not held:
            return ()
        if len(held) == 1:
            ((_, size), times), *_ = held.items()
            return (
                f"Only one size was held out, {size:,.10g}, {times:.3g} times the largest that was fitted: a single "
                "comparison at short range, which any method may win by luck. It says little about larger sizes.",
            )
        return (
            f"Only {len(held)} sizes were held out, at most {max(held.values()):.3g} times the largest that was "
            "fitted: too few to rank methods. They say little about larger sizes.",
        )

    def _columns(self, by: By = "method") -> ColumnData:
        check_choice("by", by, get_args(By))
        rows: Sequence[Any] = {"method": self.pooled, "curve": self.by_curve, "size": self.by_size}[by]
        kind = HeldOut if by == "size" else MethodScore
        names = [field.name for field in fields(kind) if not (by == "method" and field.name == "task")]
        return {name: [getattr(row, name) for row in rows] for name in names}

    def to_dict(self, by: By = "method") -> ColumnData:
        """The scores as plain columns, ready for JSON; None where there is no value.

        Parameters
        ----------
        by
            What a row is: "method" (pooled over curves, the best first), "curve" (each method on each curve), or "size"
            (what each method forecast at each held-out size, and what was measured).
        """
        return to_json_columns(self._columns(by))

    def to_frame(self, by: By = "method") -> Any:
        """The table as a pandas DataFrame (`pip install 'apexgp[pandas]'`); cautions in `frame.attrs["cautions"]`."""
        return to_data_frame(self, self._columns(by))

    def shown(self) -> SummaryTable:
        """One row per method."""
        curves = max((score.curves for score in self.pooled), default=0)
        rows = [
            [score.method, *(self._format_figure(name, getattr(score, name)) for name in _FIGURES)]
            for score in self.pooled
        ]
        title = f"Backtest on {curves:,} curve{'' if curves == 1 else 's'}"
        return SummaryTable(title, ["method", *_FIGURES.values()], rows, self._all_notes(), ("method",))

    def _format_figure(self, name: str, value: float) -> str:
        if math.isnan(value):
            return "-"
        if name == "bias":
            return format_score_change(value, self.decimals + 1)
        if name in ("error", "crps"):
            return format_error(self, value)
        return f"{value:.3f}" if name == "likelihood" else f"{value:.2f}"

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write one row for each curve and method."""
        write_text(path, as_csv(self._columns("curve")), overwrite=overwrite)


_NO_FIGURES = dict.fromkeys(_FIGURES, float("nan"))


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
        One curve, several, or a mapping to them such as `read(path).curves`.
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
            f"must be a LearningCurve, or several, got {came}. Read a file with apexgp.read(path).curves.",
            argument="curve",
        )
    from joblib import delayed

    work = (delayed(_judge)(task, one, chosen, holdout) for task, one in curves)
    metrics_measured = {one.metric_name for _, one in curves}
    judged = []
    with progress_bar("curves", len(curves), shown=check_bool("progress", progress)) as advance:
        for found_on_curve in run_in_order(work, n_jobs):
            judged += found_on_curve
            advance()
    found = [score for score, _ in judged]
    held_out = [held for _, by_size in judged for held in by_size]
    pooled = [_pool(name, [score for score in found if score.method == name]) for name in chosen]
    return Backtest(
        tuple(sorted(pooled, key=lambda s: (np.isnan(s.crps), s.crps))),
        tuple(found),
        tuple(held_out),
        metric=metrics_measured.pop() if len(metrics_measured) == 1 else "score",
        decimals=max(_count_decimals(task, one, held_out) for task, one in curves),
    )


def _count_decimals(task: object, curve: LearningCurve, held_out: Sequence[HeldOut]) -> int:
    """How many decimals the scores of a curve are printed with, beside the widest interval of any method."""
    widths = [one.upper_95 - one.lower_95 for one in held_out if one.task == task]
    return curve.scale.count_decimals(max((width for width in widths if not math.isnan(width)), default=math.inf))


def make_methods(names: Sequence[str]) -> dict[str, CurveEstimator]:
    """Estimators by those of `METHODS` that have the given names."""
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise RequestError(f"There is no method {format_some(unknown)}; choose from {', '.join(METHODS)}.")
    return {name: METHODS[name]() for name in names}


def find_required_sizes(
    curve: LearningCurve, methods: Mapping[str, CurveEstimator], target: float, confidence: float
) -> dict[str, RequiredSize | str]:
    """Fit each method to the whole curve; its required size for the target, or why it has none."""
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
        return make_methods(list(METHODS))
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
        chosen = make_methods([check_text("methods", name, wanted) for name in listed])
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
        except TooFewSizesError:
            # One sentence for all of them, whatever each needs, so that they are named together.
            why = f"More sizes are needed to fit than the {len(pilot.replicates.sizes)} that were not held out."
            scores.append((_none(name, task, why), []))
        except BREAKDOWNS as problem:
            scores.append((_none(name, task, str(wrap_breakdown(problem))), []))
    return scores


def _held_out(curve: LearningCurve, holdout: int | None) -> tuple[LearningCurve, FloatArray, FloatArray]:
    """The pilot that remains, the sizes held out, and the mean scores there."""
    measured = curve.replicates
    count = len(measured.sizes)
    held = max(1, count // 3) if holdout is None else holdout
    if count - held < 3:
        has = "one size" if count == 1 else f"{count} different sizes"
        raise DataError(f"The curve has {has}; holding out {held} and keeping 3 to fit takes {held + 3}.")
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
