"""Collecting data round by round, replayed on a known curve: what a method would have cost, and whether it failed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._check import (
    UNUSABLE,
    FloatArray,
    check_positive,
    check_real_array,
    check_real_number,
    check_whole_number,
    format_value,
)
from ..._numbers import format_count
from ...curve import LearningCurve
from ...errors import DataError, RequestError
from ...estimators import CurveEstimator
from ...estimators.contract import clone
from ...estimators.least_squares import LeastSquares
from ...reading.score_details import BY_SCORE, SEVERAL, RunCount, interpolated
from ...required import attainable_target
from . import MOST_ROUNDS, plan_collection

__all__ = ["CollectionRun", "simulate_collection", "true_requirement", "tune_correction"]

Policy = Callable[[LearningCurve, int], float]

_MOST_STEPS = 10_000


@dataclass(frozen=True)
class CollectionRun:
    """A simulated collection.

    Attributes
    ----------
    target : float
        The score to reach.
    start : float
        Largest size of the pilot, q_0.
    needed : float
        D*, the smallest size that truly reaches the target.
    sizes : tuple of float
        Sizes after each round that took place.
    met : bool
        Whether the last of them reaches the target.
    """

    target: float
    start: float
    needed: float
    sizes: tuple[float, ...]
    met: bool

    @property
    def cost_ratio(self) -> float:
        """Examples collected over those that were needed, minus 1: below 0 where the run failed."""
        last = self.sizes[-1] if self.sizes else self.start
        return (last - self.start) / (self.needed - self.start) - 1


def true_requirement(curve: LearningCurve, target: float) -> float:
    """D*, the smallest size at which a measured curve reaches a target; inf if it does not.

    The curve is taken to be the isotonic regression of its mean scores, in straight lines over the logarithm of the
    size.
    """
    from scipy.optimize import isotonic_regression

    _check_curve("curve", curve)
    measured = curve.upward.replicates
    expected = isotonic_regression(measured.mean, weights=measured.count.astype(float)).x
    goal = attainable_target(target, curve, curve.range[1] if curve.direction == "higher" else curve.range[0])
    level = float(curve.as_upward(goal))
    if level > expected[-1]:
        return math.inf
    after = int(np.searchsorted(expected, level))
    if after == 0:
        return float(measured.sizes[0])
    (low, high), (x, y) = expected[after - 1 : after + 1], np.log(measured.sizes[after - 1 : after + 1])
    return float(np.exp(x + (y - x) * (level - low) / (high - low)))


def simulate_collection(
    curve: LearningCurve,
    target: float,
    model: CurveEstimator | Policy,
    pilot: int,
    rounds: int = 5,
    *,
    cost_per_example: float = 1.0,
    penalty: float = 1e7,
    correction: float = 0.0,
    truth: LearningCurve | None = None,
) -> CollectionRun:
    """Replay a collection on a curve that was measured far beyond a pilot.

    Each round fits the model to what has been measured, asks it how much to collect, and measures there; it stops when
    the true score reaches the target. A model that forecasts makes a plan for the rounds that are left
    (`plan_collection`); one that does not collects what its curve says is required.

    Parameters
    ----------
    curve
        Scores at all sizes. Between them each split's score is interpolated over the logarithm of the size; nothing is
        collected beyond the largest.
    target
        Score to reach.
    model
        Settings of the method (it is not fitted itself), or a method of your own: a function of what has been measured
        and of the rounds left that returns the total number of examples to have next.
    pilot
        How many of the smallest sizes are known at first.
    rounds
        Number of rounds of collection, T.
    cost_per_example, penalty
        As for `plan_collection`.
    correction
        For `LeastSquares`: as for its `required_size`, which then decides, whether or not it forecasts.
    truth
        Curve that determines when the target is truly reached, for instance of more splits; by default `curve`.
    """
    _check_curve("curve", curve)
    known_truth = curve if truth is None else truth
    _check_curve("truth", known_truth)
    correction = check_real_number("correction", correction)
    if isinstance(model, type) or not (isinstance(model, CurveEstimator) or callable(model)):
        hint = " Add parentheses to make it an instance." if isinstance(model, type) else ""
        raise RequestError(
            f"must be an estimator of curves, or a function, got {format_value(model)}.{hint}", argument="model"
        )
    rounds = check_whole_number("rounds", rounds, least=1, most=MOST_ROUNDS)
    sizes = np.unique(curve.sizes)
    if check_whole_number("pilot", pilot, least=1) >= len(sizes):
        raise DataError(
            f"The curve has {format_count(len(sizes), 'size')}: with {pilot} in the pilot, none is left to collect."
        )
    needed = true_requirement(known_truth, target)
    start, farthest = float(sizes[pilot - 1]), float(sizes[-1])
    if not start < needed <= farthest:
        raise RequestError(
            f"The target {target:g} must be reached after the pilot ({start:g}) and by the end of the curve "
            f"({farthest:g}), but it is at {needed:g}."
        )
    if isinstance(model, CurveEstimator):
        policy = _build_policy(model, target, cost_per_example, penalty, correction)
    else:
        policy = model
    known = sizes[:pilot]
    collected: list[float] = []
    for left in range(rounds, 0, -1):
        wanted = policy(_measure_at(curve, known), left)
        at = min(max(_check_policy_size(wanted), float(known[-1])), farthest)
        if at <= known[-1]:
            break  # the method believes that it is there, or that going on is not worth it
        collected.append(at)
        known = np.append(known, at)
        if at >= needed:
            break
    return CollectionRun(float(target), start, needed, tuple(collected), bool(collected) and collected[-1] >= needed)


def _check_curve(name: str, curve: LearningCurve) -> None:
    if not isinstance(curve, LearningCurve):
        raise DataError(f"must be a LearningCurve, got {format_value(curve)}.", argument=name)


def _check_policy_size(wanted: float) -> float:
    """Check the size that the caller's policy asks for; infinity means more than there is."""
    size = check_real_array("what the model asks for", wanted)
    if size.ndim or np.isnan(size):
        raise RequestError(f"must be one size, got {format_value(wanted)}.", argument="what the model asks for")
    return float(size)


def _build_policy(method: CurveEstimator, target: float, cost: float, penalty: float, correction: float) -> Policy:
    """Policy of a method: the plan where it forecasts, otherwise the size that its curve requires."""
    if correction and not isinstance(method, LeastSquares):
        raise RequestError(f"goes with LeastSquares, got {type(method).__name__}.", argument="correction")

    def next_size(measured: LearningCurve, left: int) -> float:
        fitted = clone(method).fit(measured)
        if isinstance(fitted, LeastSquares) and (correction or not fitted.has_distribution):
            return float(fitted.required_size(target, correction=correction).median)
        at_hand = math.ceil(measured.largest)
        plan = plan_collection(fitted, target, cost, penalty, left, start=at_hand)
        # Sizes of a curve need not be whole: to round one up is not to collect.
        return float(plan.sizes[0]) if plan.sizes[0] > at_hand else measured.largest

    return next_size


def tune_correction(
    curves: Iterable[tuple[LearningCurve, float]],
    model: CurveEstimator,
    pilot: int,
    rounds: int = 5,
    *,
    step: float = 0.005,
    largest: float = 0.3,
) -> float:
    """Least correction with which a regression would have met every target on earlier tasks (Mahmood et al. 2022).

    Parameters
    ----------
    curves
        Earlier curves, each with a target, as for `simulate_collection`.
    model, pilot, rounds
        As for `simulate_collection`.
    step
        Corrections tried are multiples of this.
    largest
        Where to give up; returned if even that does not suffice.
    """
    earlier = _check_pairs(curves)
    if check_positive("largest", largest) / check_positive("step", step) > _MOST_STEPS:
        raise RequestError(
            f"must be at least {largest / _MOST_STEPS:g} for this largest, got {step:g}.", argument="step"
        )
    for correction in np.arange(0.0, largest, step).tolist():
        runs = (simulate_collection(c, t, model, pilot, rounds, correction=correction) for c, t in earlier)
        if all(run.met for run in runs):
            return float(correction)
    return float(largest)


def _check_pairs(curves: Iterable[tuple[LearningCurve, float]]) -> list[tuple[LearningCurve, float]]:
    try:
        earlier = [(curve, target) for curve, target in curves]
    except UNUSABLE:
        raise DataError(
            f"must be pairs of a LearningCurve and a target, got {format_value(curves)}.", argument="curves"
        ) from None
    if not earlier:
        raise DataError("There is no earlier curve on which to tune the correction.")
    return earlier


def _measure_at(curve: LearningCurve, sizes: FloatArray) -> LearningCurve:
    """Measure a known curve at some sizes, by interpolating each split's curve, or the mean of unlabelled splits."""
    details = {name: values for name in BY_SCORE if (values := getattr(curve, name)) is not None}
    if curve.split is None:
        whole = curve.replicates
        found: dict[str, Any] = {
            name: _interpolate_means(sizes, curve.sizes, values) for name, values in details.items()
        }
        scores = np.interp(np.log(sizes), np.log(whole.sizes), whole.mean)
        runs: RunCount = SEVERAL if curve.is_mean_of_unknown_count else curve.known_run_count * int(whole.count.min())
        return replace(curve, sizes=sizes, scores=scores, averaged_over=runs, **found)
    at: list[FloatArray] = []
    columns: dict[str, list[FloatArray]] = {name: [] for name in ("scores", *details)}
    labels: list[object] = []
    for label in dict.fromkeys(curve.split.tolist()):
        own = np.flatnonzero(curve.split == label)
        own = own[np.argsort(curve.sizes[own])]
        within = sizes[(sizes >= curve.sizes[own[0]]) & (sizes <= curve.sizes[own[-1]])]
        at.append(within)
        for name, column in columns.items():
            column.append(interpolated(within, curve.sizes[own], getattr(curve, name)[own]))
        labels += [label] * len(within)
    joined: dict[str, Any] = {name: np.concatenate(column) for name, column in columns.items()}
    return replace(curve, sizes=np.concatenate(at), split=np.array(labels, dtype=object), **joined)


def _interpolate_means(at: FloatArray, sizes: FloatArray, values: FloatArray) -> FloatArray:
    """A detail of scores, its mean at each size where it is known, at other sizes."""
    known = ~np.isnan(values)
    distinct, which, count = np.unique(sizes[known], return_inverse=True, return_counts=True)
    return interpolated(at, distinct, np.bincount(which, weights=values[known]) / count)
