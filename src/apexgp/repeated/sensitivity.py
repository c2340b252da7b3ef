"""How much of an answer is the data's, and how much was assumed: the same question with one thing changed at a time."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from .._check import (
    FloatArray,
    check_choice,
    check_instance,
    check_positive,
    check_probability,
    check_real_array,
    check_real_number,
    check_sizes,
)
from ..answers.required import CONFIDENCE, RequiredSize, success_of
from ..cautions import FARTHEST_FACTOR
from ..errors import AccuracyWarning, ApexError, RequestError
from ..estimators import BREAKDOWNS, APExGP, CurveEstimator, fit_together, wrap_breakdown
from ..estimators.contract import check_is_fitted
from ..forecast import LEVEL, Quantity
from ..running.processes import in_order
from .many import DEFAULT_TIMES
from .sensitivity_answer import Sensitivity, SensitivityRow
from .variants import Kind, Variant, other_quantities, variants_of

__all__ = ["sensitivity"]


@dataclass(frozen=True)
class _Asked:
    """What every variant is asked."""

    sizes: FloatArray
    of: Quantity
    level: float
    target: float | None
    confidence: float
    compared_at: float
    largest: float

    def row(self, name: str, kind: Kind, model: CurveEstimator, of: Quantity | None = None) -> SensitivityRow:
        """What a fitted model answers; `of`, what is forecast instead, is then held to the target as well."""
        forecast = model.forecast(self.sizes, of=of or self.of)
        lower, upper = forecast.interval(self.level)
        error = getattr(model, "end_error_", math.nan)
        row = SensitivityRow(name, kind, forecast.mean, lower, upper, end_error=error)
        if self.target is None:
            return row
        required = model.required_size(self.target, self.confidence, of or "expected")
        required = replace(required, largest=self.largest)  # of the whole pilot, whatever was left out
        chances = success_of(model, self.target, of or "expected")(np.array([self.compared_at]))
        return replace(row, required=required, prob_target=float(chances[0]))


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
    largest, without each of its splits, without its training scores; another quantity that is forecast; another seed.

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
    time. All fits have the model's own seed, so that the same model gives the same numbers; how far another seed moves
    the answer is a separate row, and effects no larger than that mean nothing. Changes whose posterior is hard to
    integrate are named in `rough`.

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
    groups = [list(alike) for _, alike in groupby(variants_of(model, goal), key=lambda one: id(one.settings))]
    for answered in in_order((delayed(_answers)(alike, asked) for alike in groups), n_jobs):
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
        metric=model.curve_.metric_name,
        unit=model.curve_.unit_name,
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
    return other_quantities(model.curve_, asked.of, asked_of_target=asked.target is not None)


def _answers(alike: Sequence[Variant], asked: _Asked) -> list[SensitivityRow]:
    """What variants with the same settings answer, fitted together."""
    models: Sequence[CurveEstimator | ApexError]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)  # says not which change it is about; `rough` does
            models = fit_together(alike[0].settings, [variant.curve for variant in alike])
    except BREAKDOWNS as problem:  # settings that cannot be used, whatever the curve
        models = [wrap_breakdown(problem)] * len(alike)
    return [_answer(variant, model, asked) for variant, model in zip(alike, models, strict=True)]


def _answer(variant: Variant, model: CurveEstimator | ApexError, asked: _Asked) -> SensitivityRow:
    try:
        if isinstance(model, ApexError):
            raise model
        return asked.row(variant.name, variant.kind, model)
    except BREAKDOWNS as problem:
        return SensitivityRow(variant.name, variant.kind, error=str(wrap_breakdown(problem)))
