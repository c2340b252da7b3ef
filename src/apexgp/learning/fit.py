"""The moves that whole curves speak for: those that forecast tasks which are left out, pulled towards none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from .._check import FloatArray
from .nodes import PilotNodeArrays
from .objective import Objective

__all__ = ["LearntMoves", "fit_moves", "learn_moves"]

_FARTHEST = 1.5  # standard deviations, or logarithms, that a number moves at most
_STEPS = 15
_MOST_FOLDS = 4
_FACTORS = (1.0, 6.0)
"""Times the pull: how related the curves are is learnt among these, and not moving at all."""


@dataclass(frozen=True)
class LearntMoves:
    """Moves learnt from all curves, and those learnt without the tasks of each fold."""

    vector: FloatArray
    related: float
    """Share of the moves that was kept."""
    fold: NDArray[np.intp] | None
    """Which fold each pilot is left out in; None where there is one task."""
    without: tuple[FloatArray, ...] = ()


def fit_moves(
    nodes: PilotNodeArrays, pull: FloatArray, first: FloatArray | None = None, which: NDArray[np.intp] | None = None
) -> FloatArray:
    """The best moves for these pilots; numbers with an infinite pull stay."""
    free = np.isfinite(pull)
    objective = Objective(nodes, np.where(free, pull, 0.0), which)

    def of_free(numbers: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(_fill_in(numbers, free))
        return value, gradient[free]

    start = np.zeros(int(free.sum())) if first is None else first[free]
    bounds = [(-_FARTHEST, _FARTHEST)] * len(start)
    found = minimize(of_free, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _STEPS})
    return _fill_in(found.x, free)


def _fill_in(numbers: FloatArray, free: NDArray[np.bool_]) -> FloatArray:
    vector = np.zeros(len(free))
    vector[free] = numbers
    return vector


def learn_moves(nodes: PilotNodeArrays, task: NDArray[np.intp], pull: FloatArray, seed: int) -> LearntMoves:
    """Moves for all pilots, given the task of each.

    How far curves are related to each other, and so to the next one, is learnt: moves under pulls of several strengths,
    and none, are averaged by how well they forecast tasks that are left out.
    """
    candidates = _fit_all_strengths(nodes, pull)
    tasks = np.unique(task)
    if len(tasks) == 1:
        vector = candidates.mean(axis=0)
        return LearntMoves(vector, _compute_share_kept(vector, candidates), None)
    dealt = np.empty(int(task.max()) + 1, int)
    dealt[np.random.default_rng(seed).permutation(tasks)] = np.arange(len(tasks)) % _MOST_FOLDS
    fold = dealt[task]
    left_out = []
    losses = np.zeros(len(candidates))
    for one in np.unique(fold):
        out, rest = np.flatnonzero(fold == one), np.flatnonzero(fold != one)
        vectors = _fit_all_strengths(nodes, pull, rest)
        judged = Objective(nodes, np.zeros(len(pull)), out)
        losses += [judged(vector)[0] for vector in vectors]
        left_out.append(vectors)
    weight = np.exp(losses.min() - losses)
    weight /= weight.sum()
    vector = weight @ candidates
    return LearntMoves(
        vector, _compute_share_kept(vector, candidates), fold, tuple(weight @ vectors for vectors in left_out)
    )


def _fit_all_strengths(nodes: PilotNodeArrays, pull: FloatArray, which: NDArray[np.intp] | None = None) -> FloatArray:
    """Moves under each pull, the weakest first and none at all last."""
    vectors = []
    vector: FloatArray | None = None
    for factor in _FACTORS:
        vector = fit_moves(nodes, factor * pull, vector, which)
        vectors.append(vector)
    return np.stack([*vectors, np.zeros(len(pull))])


def _compute_share_kept(vector: FloatArray, candidates: FloatArray) -> float:
    most = float(np.linalg.norm(candidates[0]))
    return min(float(np.linalg.norm(vector)) / most, 1.0) if most else 0.0
