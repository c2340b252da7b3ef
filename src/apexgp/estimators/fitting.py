"""From a curve to its fit: what is refused, and what becomes of a computation that breaks down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._check import format_some
from ..curve import LearningCurve
from ..errors import ApexError, DataError, RequestError
from ..inference.contract import Engine, FittedCurve
from ..reading.frames import is_frame, scikit_learn_curve

__all__ = ["BREAKDOWNS", "check_curve", "fit_curves", "to_curve", "wrap_breakdown"]

BREAKDOWNS = (ApexError, ArithmeticError, ValueError)
"""What a computation raises that has no answer for odd numbers; a LinAlgError is a ValueError."""


def fit_curves(engine: Engine, curves: Sequence[LearningCurve]) -> list[FittedCurve | ApexError]:
    """Fits of the curves, together if that goes well; otherwise one by one, so that an odd curve spoils no other."""
    try:
        return [_check_nodes(fit) for fit in engine.fit(list(curves))]
    except BREAKDOWNS as problem:
        if len(curves) > 1:
            return [fit for curve in curves for fit in fit_curves(engine, [curve])]
        return [wrap_breakdown(problem)]


def _check_nodes(fit: FittedCurve) -> FittedCurve | ApexError:
    """The fit, or the error of one that is left without a node of finite weight: it could not forecast anything."""
    if fit.posterior is None:
        return fit
    weights = fit.posterior.node_weights
    if weights.size and np.isfinite(weights).all():
        return fit
    return wrap_breakdown(ArithmeticError("no parameters have a finite posterior density"))


def wrap_breakdown(problem: Exception) -> ApexError:
    """The error of a computation that broke down, in our words, with what it said as the cause."""
    if isinstance(problem, ApexError):
        return problem
    error = DataError(
        f"The computation broke down on this curve ({type(problem).__name__}: {problem}). Look for odd scores in it; "
        "if there are none, please report this."
    )
    error.__cause__ = problem
    return error


def check_curve(curve: LearningCurve, engine: Engine) -> None:
    """Refuse what is no curve, shows no trend, or is better than is possible, and what the engine cannot fit."""
    if not isinstance(curve, LearningCurve):
        raise DataError(f"Expected a LearningCurve, got {type(curve).__name__}.")
    pilot = curve.upward.replicates
    if len(pilot.sizes) < 3:
        raise DataError(
            f"Need scores at 3 or more different sizes to see a trend, got {len(pilot.sizes)} "
            f"({format_some(pilot.sizes)}). Train on a smaller subset as well."
        )
    best = float(pilot.mean.max())
    if best > engine.ceiling + 1e-12:  # a mean of equal scores may differ from them in the last digit
        higher = curve.direction == "higher"
        bound, reached = (float(curve.from_upward(value)) for value in (engine.ceiling, best))
        raise DataError(
            f"The {'ceiling' if higher else 'floor'} is {bound:g}, but the pilot reaches {reached:g} on average at "
            f"size {pilot.sizes[pilot.mean.argmax()]:g}. Give a "
            f"{'ceiling that no score is above' if higher else 'floor that no score is below'}."
        )
    engine.check(curve)


def to_curve(sizes: Any, scores: ArrayLike | None, split: ArrayLike | None) -> LearningCurve:
    """What `fit` was called with, as a curve."""
    if isinstance(sizes, LearningCurve):
        if scores is not None or split is not None:
            raise RequestError("A LearningCurve contains its own scores and splits: pass it on its own.")
        return sizes
    if scores is None:
        if is_frame(sizes):
            return LearningCurve.from_frame(sizes)
        if scikit_learn_curve(sizes) is not None:
            return LearningCurve.from_sklearn(sizes)
        raise RequestError(
            "Scores are missing. Call fit(sizes, scores), or fit(curve) with a LearningCurve, a data frame or the "
            "result of scikit-learn's learning_curve."
        )
    return LearningCurve(sizes, scores, split)
