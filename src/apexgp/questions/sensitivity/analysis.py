"""How much of an answer is the data's, and how much was assumed: one question with one thing changed at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from ..._answer import Answer, ColumnData, SummaryTable
from ..._check import (
    FloatArray,
    check_choice,
    check_instance,
    check_positive,
    check_probability,
    check_real_array,
    check_real_number,
    check_sizes,
)
from ..._numbers import SCORE_DIGITS, format_chance, format_score, format_score_interval, format_size
from ...cautions import FARTHEST_FACTOR
from ...errors import ApexError, RequestError
from ...estimators import BREAKDOWNS, APExGP, CurveEstimator, wrap_breakdown
from ...estimators.contract import check_is_fitted
from ...forecast import LEVEL, Quantity
from ...question_base.changes import (
    Kind,
    Variant,
    fit_group,
    group_variants,
    list_other_quantities,
    list_variants,
)
from ...required import CONFIDENCE, RequiredSize, prob_met, success_of
from ...running.processes import run_in_order
from ..forecast.batch import DEFAULT_TIMES

__all__ = ["Sensitivity", "SensitivityRow", "sensitivity"]

_ROUGH = 0.05  # of an interval's width: an error of its ends that is worth a word


@dataclass(frozen=True, eq=False)
class SensitivityRow:
    """The answer with one thing changed.

    Attributes
    ----------
    name : str
        What is changed; "unchanged" for the model's own answer.
    kind : str
        "prior" (a prior, or the whole method), "curve" (its shape), "limit" (the best possible score), "data" (a part
        of it is left out), "question" (what is forecast), or "none".
    mean, lower, upper : arrays of shape (Q,)
        Forecast at the sizes: expected score and the ends of its interval. Empty if there is none.
    required : RequiredSize or None
        What the target takes, where there is a target.
    prob_target : float
        Probability that the size `Sensitivity.compared_at` reaches the target; NaN without a target.
    effect : float
        How far the answer is moved: with a target the change of `prob_target`, without one that of the expected score
        at `Sensitivity.compared_at`. NaN if there is no answer.
    error : str or None
        Why there is no answer.
    end_error : float
        Standard error of the interval's ends relative to its width, as `APExGP.end_error_`; NaN if it is not known.
    """

    name: str
    kind: Kind
    mean: FloatArray = field(default_factory=lambda: np.empty(0))
    lower: FloatArray = field(default_factory=lambda: np.empty(0))
    upper: FloatArray = field(default_factory=lambda: np.empty(0))
    required: RequiredSize | None = None
    prob_target: float = math.nan
    effect: float = math.nan
    error: str | None = None
    end_error: float = math.nan

    @property
    def compared(self) -> float:
        """The number that rows are compared by: the probability of the target, or without one the expected score."""
        return float(self.mean[-1]) if math.isnan(self.prob_target) else self.prob_target

    @property
    def takes(self) -> str:
        """The size that the target takes, as it is written."""
        found = self.required
        if found is None:
            return "-"
        if found.already_met:
            return "met already"
        return "none" if found.is_out_of_reach else found.size_in_words


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Answer):
    """How much of an answer is due to the assumptions, and how much to each part of the data.

    Attributes
    ----------
    unchanged : SensitivityRow
        The model's own answer.
    rows : tuple of SensitivityRow
        The answer with one thing changed at a time, largest change first; changes without an answer come last.
    sizes : array of shape (Q,)
        Training-set sizes that are forecast.
    level : float
        Probability of the intervals.
    target, confidence : float
        Score to reach, None if there is none, and the probability with which it should be.
    compared_at : float
        The size at which rows are compared: what the target takes under the unchanged model, or the pilot's largest
        where that suffices; the farthest size forecast where there is no target, or no size up to 50 times the pilot's
        largest that reaches it.
    numerical_error : float
        Standard error, due to the integration, of the number that rows are compared by; 0 where nothing is random.
    metric, unit : str
        What is measured, and what a size counts.
    decimals : int
        How many decimals scores are printed with.
    cautions : tuple of str
        Reasons to doubt the answer.
    """

    unchanged: SensitivityRow
    rows: tuple[SensitivityRow, ...]
    sizes: FloatArray
    level: float
    target: float | None
    confidence: float
    compared_at: float
    numerical_error: float = 0.0
    metric: str = "score"
    unit: str = "examples"
    decimals: int = SCORE_DIGITS
    cautions: tuple[str, ...] = ()

    @property
    def compared_size(self) -> str:
        """`compared_at` as it is written: what a target takes as it is written everywhere, rounded up."""
        required = self.unchanged.required
        if required is None or self.compared_at != required.size:
            return format_size(self.compared_at)
        return required.in_words(required.size)

    @property
    def answered(self) -> tuple[SensitivityRow, ...]:
        """The changes that have an answer, largest first."""
        return tuple(row for row in self.rows if row.error is None)

    @property
    def failed(self) -> tuple[SensitivityRow, ...]:
        """The changes that have none, each with its reason."""
        return tuple(row for row in self.rows if row.error is not None)

    @property
    def rough(self) -> tuple[SensitivityRow, ...]:
        """The changes whose posterior was hard to integrate: the ends of their intervals may be visibly off."""
        return tuple(row for row in self.answered if row.end_error > _ROUGH)

    @property
    def largest_effects(self) -> dict[str, float]:
        """The largest effect of each kind of change, up or down."""
        found: dict[str, float] = {}
        for row in self.answered:
            found[row.kind] = max(found.get(row.kind, 0.0), abs(row.effect))
        return found

    def _columns(self) -> ColumnData:
        every = [self.unchanged, *self.rows]
        columns: ColumnData = {"change": [row.name for row in every], "kind": [row.kind for row in every]}
        for i, size in enumerate(self.sizes.tolist()):
            for name in ("mean", "lower", "upper"):
                found = (getattr(row, name) for row in every)
                columns[f"{name}_{size:.10g}"] = [float(part[i]) if len(part) else math.nan for part in found]
        if self.target is not None:
            asked = [row.required for row in every]
            columns["required_size"] = [math.nan if one is None else one.size for one in asked]
            columns["prob_target"] = [row.prob_target for row in every]
            columns["prob_reachable"] = [math.nan if one is None else one.prob_reachable for one in asked]
        return columns | {"effect": [row.effect for row in every], "error": [row.error for row in every]}

    def shown(self) -> SummaryTable:
        """One row per change, the model's own answer above them."""
        at = sorted({0, len(self.sizes) // 2, len(self.sizes) - 1})
        header = ["change", *(f"at {format_size(self.sizes[i])}" for i in at)]
        header[-1] += f", {100 * self.level:g} % interval"
        if self.target is not None:
            header += [
                f"{self.unit} for {self.target:g}",
                f"{self.compared_size} reach it",
                "unlimited data",
            ]
        rows = [[row.name, *self._cells(row, at)] for row in (self.unchanged, *self.answered)]
        rows += [[row.name, *["-"] * (len(header) - 1)] for row in self.failed]
        notes = [f"{row.name}: {row.error}" for row in self.failed]
        notes += [
            f"{row.name}: the ends of the interval may be off by {format_chance(row.end_error)} of its width."
            for row in self.rough
        ]
        title = f"Sensitivity: expected {self.metric} with one thing changed at a time, largest change first"
        return SummaryTable(title, header, rows, self._all_notes(*notes), ("change",))

    def _cells(self, row: SensitivityRow, at: list[int]) -> list[str]:
        """The expected score at some of the sizes, with its interval at the last, and what a target takes."""
        cells = [format_score(row.mean[i], self.decimals) for i in at]
        cells[-1] += f" ({format_score_interval(row.lower[-1], row.upper[-1], self.decimals)})"
        if row.required is None:
            return cells
        return [*cells, row.takes, format_chance(row.prob_target), row.required.at_best]


@dataclass(frozen=True)
class _Asked:
    """The question that is put to every changed model."""

    sizes: FloatArray
    of: Quantity
    level: float
    target: float | None
    confidence: float
    compared_at: float
    largest: float

    def row(self, name: str, kind: Kind, model: CurveEstimator, of: Quantity | None = None) -> SensitivityRow:
        """Answer of a fitted model; with `of`, another quantity is forecast and held to the target as well."""
        forecast = model.forecast(self.sizes, of=of or self.of)
        lower, upper = forecast.interval(self.level)
        error = getattr(model, "end_error_", math.nan)
        row = SensitivityRow(name, kind, forecast.mean, lower, upper, end_error=error)
        if self.target is None:
            return row
        if kind in ("none", "question"):
            required = model.required_size(self.target, self.confidence, of or "expected")
        else:  # many models, each of which has one integral for all its answers
            required = model._required_size_within(1, self.target, self.confidence, of or "expected")
        required = replace(required, largest=self.largest)  # of the whole pilot, whatever was left out
        at = np.array([self.compared_at])
        if kind == "none":  # by the integrals behind the size, so that the two agree
            chances = prob_met(model._forecast_behind(required, at), required.target, model.curve_.direction)
        else:
            chances = success_of(model, self.target, of or "expected")(at)
        return replace(row, required=required, prob_target=float(chances[0]))

    def find_numerical_error(self, model: APExGP) -> float:
        """Standard error of the number that rows are compared by, as far as the integration is its cause."""
        if self.target is not None:
            at = np.array([self.compared_at])
            return float(model._fit.standard_error(at, np.array([self.target]), "expected")[0])
        lower, upper = model.forecast(self.sizes[-1:], of=self.of).interval(LEVEL)
        return float(getattr(model, "end_error_", 0.0) * (upper - lower)[0])


def sensitivity(
    model: APExGP,
    sizes: ArrayLike | None = None,
    *,
    times: ArrayLike | None = None,
    of: Quantity = "new_splits",
    level: float = LEVEL,
    target: float | None = None,
    confidence: float = CONFIDENCE,
    n_jobs: int | None = None,
) -> Sensitivity:
    """How an answer changes with the assumptions, with parts of the data left out, and with what is asked.

    The same question is put to models that differ from the given one in one thing each: priors that expect more or less
    to be gained, noisier or steadier scores, larger or smaller departures from the curve; the paper's priors, and its
    published method; other shapes of the curve; other ceilings; the pilot without its smallest size, without its
    largest, without each of its splits, without its training scores; another quantity that is forecast.

    Parameters
    ----------
    model
        A fitted model.
    sizes
        Training-set sizes to forecast.
    times
        More of them, as multiples of the pilot's largest size; 2, 10 and 50 where neither is given.
    of
        What is forecast, as for `APExGP.forecast`. A target is about the true expected score.
    level
        Probability that the intervals should cover the score.
    target, confidence
        Score to reach, and the probability with which it should be, as for `APExGP.required_size`.
    n_jobs
        Processes, as joblib counts them.

    Returns
    -------
    Sensitivity
        Its `rows` start with the largest change. A change that cannot be fitted is a row that says why.

    Notes
    -----
    Priors are moved by a factor of two: b of the Beta prior of the share still to be gained is halved ("more left to
    gain") or doubled, the noise and the departures likewise. Lower ceilings are a quarter and a half of the way down to
    the best score of the pilot, or to the target if that is higher. Of more than 15 splits a tenth is left out at a
    time. All fits have the model's own seed, so that the same model gives the same numbers. Effects no larger than
    twice `numerical_error` may be due to the computation alone; changes whose posterior is hard to integrate are named
    in `rough`.

    Examples
    --------
    >>> model = APExGP().fit([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    >>> found = sensitivity(model, target=0.86)
    >>> found.rows[0].name
    'arctan curve'
    """
    from joblib import delayed

    check_is_fitted(check_instance("model", model, APExGP, "a fitted APExGP"))
    check_choice("of", of, get_args(Quantity))
    given = np.empty(0) if sizes is None else check_sizes("sizes", sizes)
    multiples = DEFAULT_TIMES if sizes is None and times is None else () if times is None else times
    factors = [check_positive("times", number) for number in np.ravel(check_real_array("times", multiples)).tolist()]
    at = np.unique([*given.tolist(), *(number * model.curve_.largest for number in factors)])
    if not at.size:
        raise RequestError("is empty. Give at least one multiple, or sizes.", argument="times")
    goal = None if target is None else check_real_number("target", target)
    confidence = check_probability("confidence", confidence)
    required = None if goal is None else model.required_size(goal, confidence)
    compared_at = _compared_at(model, required, float(at[-1]))
    asked = _Asked(at, of, check_probability("level", level), goal, confidence, compared_at, model.curve_.largest)
    unchanged = replace(asked.row("unchanged", "none", model), effect=0.0)
    rows = [asked.row(name, "question", model, other) for name, other in _questions(model, asked).items()]
    groups = group_variants(list_variants(model, goal))
    for answered in run_in_order((delayed(_answers)(alike, asked) for alike in groups), n_jobs):
        rows += answered
    cautions = (*model.forecast(at, of=of).cautions, *(() if required is None else required.cautions))
    found = Sensitivity(
        unchanged=unchanged,
        rows=(),
        sizes=at,
        level=asked.level,
        target=goal,
        confidence=confidence,
        compared_at=compared_at,
        numerical_error=asked.find_numerical_error(model),
        metric=model.curve_.metric_name,
        unit=model.curve_.unit_name,
        decimals=model.curve_.scale.count_decimals(float(unchanged.upper[-1] - unchanged.lower[-1])),
        cautions=tuple(dict.fromkeys(cautions)),
    )
    judged = [row if row.error else replace(row, effect=row.compared - unchanged.compared) for row in rows]
    order = sorted(judged, key=lambda row: math.inf if math.isnan(row.effect) else -abs(row.effect))
    return replace(found, rows=tuple(order))


def _compared_at(model: APExGP, required: RequiredSize | None, farthest: float) -> float:
    last = model.curve_.largest
    if required is None or required.already_met:
        return farthest if required is None else last
    return float(required.size) if required.size <= FARTHEST_FACTOR * last else farthest


def _questions(model: APExGP, asked: _Asked) -> dict[str, Quantity]:
    return list_other_quantities(model.curve_, asked.of, asked_of_target=asked.target is not None)


def _answers(alike: Sequence[Variant], asked: _Asked) -> list[SensitivityRow]:
    """Answers of changed models that differ in their data only, fitted together."""
    return [_answer(variant, model, asked) for variant, model in zip(alike, fit_group(alike), strict=True)]


def _answer(variant: Variant, model: CurveEstimator | ApexError, asked: _Asked) -> SensitivityRow:
    try:
        if isinstance(model, ApexError):
            raise model
        return asked.row(variant.name, variant.kind, model)
    except BREAKDOWNS as problem:
        return SensitivityRow(variant.name, variant.kind, error=str(wrap_breakdown(problem)))
