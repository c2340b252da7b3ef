"""How well later scores are forecast under moved priors, and the moves that whole curves speak for.

The objective is a smooth function of the moves, with its gradient. The moves that minimise it are judged by tasks that
were left out, and shrunk towards none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import betaln, digamma

from .._check import FloatArray
from ..model.learnt import FIGURE_LABELS
from ..numerics.truncated_mixture import TruncatedMixture
from .nodes import PilotNodeArrays

__all__ = ["LearntMoves", "Objective", "fit_moves", "learn_moves", "score_pilots", "weigh_nodes"]

# The density of a forecast counts as a mixture with this share of a uniform one: curves that no prior can foresee must
# not decide about the priors.
_UNFORESEEN = 0.05
# Weight of the CRPS beside the log score, which no longer tells hopeless forecasts from bad ones.
_CRPS = 10.0
_AT_ONCE = 200  # pilots


class PriorSlopes(NamedTuple):
    """Derivatives of the log prior at the nodes, from which the gradient is made."""

    z: FloatArray
    by_shift: FloatArray
    by_log_a: FloatArray
    by_log_b: FloatArray


def weigh_nodes(nodes: PilotNodeArrays, vector: FloatArray) -> tuple[FloatArray, PriorSlopes]:
    """Compute the weights of the nodes (P, N) under moved priors; those of a pilot sum to 1."""
    count = nodes.deviates.shape[-1]
    shift, spread = nodes.shift + vector[:count], nodes.log_spread + vector[count : 2 * count]
    inverse = np.exp(-spread)[:, None]
    z = (nodes.deviates - shift[:, None]) * inverse
    log_a, log_b = nodes.log_a + vector[-2], nodes.log_b + vector[-1]
    a, b = np.exp(log_a)[:, None], np.exp(log_b)[:, None]
    log_weight = nodes.log_likelihood - 0.5 * np.einsum("pnd,pnd->pn", z, z) - spread.sum(axis=1)[:, None]
    log_weight += (a - 1) * nodes.log_share + (b - 1) * nodes.log_rest - betaln(a, b)
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    both = digamma(a + b)
    slopes = PriorSlopes(
        z, z * inverse, a * (nodes.log_share - digamma(a) + both), b * (nodes.log_rest - digamma(b) + both)
    )
    return weight, slopes


class Objective:
    """Log score and CRPS of each curve's later scores, summed over curves, plus the penalty on moves."""

    def __init__(
        self, nodes: PilotNodeArrays, shrinkage: FloatArray, which: NDArray[np.intp] | None = None, crps: float = _CRPS
    ) -> None:
        self.nodes, self.shrinkage, self.crps = nodes, shrinkage, crps
        self.which = np.arange(len(nodes)) if which is None else which
        known = ~np.isnan(nodes.times[self.which])
        # Equal weights for the scores of a pilot, for the pilots of a curve, and for the curves.
        curve = nodes.curve[self.which]
        self.weight = known / known.sum(axis=1, keepdims=True) / np.bincount(curve)[curve][:, None]

    def __call__(self, vector: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient of the objective at a vector of moves."""
        value, gradient = self.evaluate_pilots(vector)
        return (
            float(value.sum() + 0.5 * (self.shrinkage * vector**2).sum()),
            gradient.sum(axis=0) + self.shrinkage * vector,
        )

    def evaluate_pilots(self, vector: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Value (P,) and gradient (P, numbers) of each pilot, without the penalty."""
        # In batches: intermediate arrays are many times larger than the nodes.
        firsts = range(0, len(self.which), _AT_ONCE)
        parts = [
            _evaluate_pilots(
                self.nodes.take(self.which[i : i + _AT_ONCE]), self.weight[i : i + _AT_ONCE], self.crps, vector
            )
            for i in firsts
        ]
        values, gradients = zip(*parts, strict=True)
        return np.concatenate(values), np.concatenate(gradients)


def _evaluate_pilots(
    nodes: PilotNodeArrays, share: FloatArray, times: float, vector: FloatArray
) -> tuple[FloatArray, FloatArray]:
    weight, slopes = weigh_nodes(nodes, vector)
    mixed = (1 - _UNFORESEEN) * np.einsum("pqn,pn->pq", nodes.pdf, weight) + _UNFORESEEN
    # How the value falls with the log weight of each node.
    gain = np.einsum("pq,pqn->pn", share * (1 - _UNFORESEEN) / mixed, nodes.pdf)
    crps, by_weight = nodes.sorted_points.crps(weight)
    gain -= times * np.einsum("pq,pqn->pn", share, by_weight)
    gain = weight * (gain - (weight * gain).sum(axis=1, keepdims=True))
    by_place = [
        np.einsum("pn,pnd->pd", gain, slopes.by_shift),
        np.einsum("pn,pnd->pd", gain, slopes.z**2 - 1),
        (gain * slopes.by_log_a).sum(axis=1)[:, None],
        (gain * slopes.by_log_b).sum(axis=1)[:, None],
    ]
    return (share * (times * crps - np.log(mixed))).sum(axis=1), -np.concatenate(by_place, axis=1)


_LEVELS = (np.arange(20) + 0.5) / 20
_ENDS = np.array([0.1, 0.9, 0.025, 0.975])
_WORST = -np.log(1e-12)  # cap on the log score: one hopeless forecast must not decide the mean


def score_pilots(
    nodes: PilotNodeArrays, vector: FloatArray, counts: NDArray[np.bool_] | None = None
) -> dict[str, FloatArray]:
    """Compute each figure of `FIGURE_LABELS`, averaged over a pilot's later scores.

    `counts` selects the scores to average over; a pilot without any has NaN.
    """
    wanted = np.concatenate([_LEVELS, _ENDS])
    known = ~np.isnan(nodes.times) if counts is None else counts & ~np.isnan(nodes.times)
    found = {name: np.full(len(nodes), np.nan) for name in FIGURE_LABELS}
    for i in np.flatnonzero(known.any(axis=1)):
        here, truth = known[i], nodes.truth[i, known[i]]
        weights, _ = weigh_nodes(nodes.take(np.array([i])), vector)
        mixture = TruncatedMixture(nodes.location[i][:, here], nodes.scale[i][:, here], weights[0])
        quantiles = mixture.quantile(wanted, 1 - wanted)
        gap = truth - quantiles[: len(_LEVELS)]
        # Twice the mean pinball loss over many levels is the CRPS to half a per cent, and quick.
        pinball = np.where(gap >= 0, _LEVELS[:, None] * gap, (_LEVELS[:, None] - 1) * gap)
        low_80, high_80, low_95, high_95 = quantiles[len(_LEVELS) :]
        density = np.maximum(nodes.pdf[i, here] @ weights[0], np.exp(-_WORST))
        figures = (
            2 * pinball.mean(axis=0),
            -np.log(density),
            (truth >= low_80) & (truth <= high_80),
            (truth >= low_95) & (truth <= high_95),
            high_95 - low_95,
        )
        for name, values in zip(FIGURE_LABELS, figures, strict=True):
            found[name][i] = values.mean()
    return found


_FARTHEST = 1.5  # standard deviations, or logarithms, that a number moves at most
_STEPS = 15
_MOST_FOLDS = 4
_FACTORS = (1.0, 6.0)
"""Multiples of the shrinkage that are tried, besides no move at all: the mixture shows how related the curves are."""


@dataclass(frozen=True)
class LearntMoves:
    """Moves learnt from all curves, and those learnt without the tasks of each fold."""

    vector: FloatArray
    related: float
    """Share of the moves that was kept."""
    fold: NDArray[np.intp] | None
    """Index of the fold that leaves each pilot out; None where there is one task."""
    without: tuple[FloatArray, ...] = ()


def fit_moves(
    nodes: PilotNodeArrays,
    shrinkage: FloatArray,
    first: FloatArray | None = None,
    which: NDArray[np.intp] | None = None,
) -> FloatArray:
    """Find the best moves for these pilots; numbers with infinite shrinkage stay."""
    free = np.isfinite(shrinkage)
    objective = Objective(nodes, np.where(free, shrinkage, 0.0), which)

    def evaluate_free(numbers: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(_fill_in(numbers, free))
        return value, gradient[free]

    start = np.zeros(int(free.sum())) if first is None else first[free]
    bounds = [(-_FARTHEST, _FARTHEST)] * len(start)
    found = minimize(evaluate_free, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _STEPS})
    return _fill_in(found.x, free)


def _fill_in(numbers: FloatArray, free: NDArray[np.bool_]) -> FloatArray:
    vector = np.zeros(len(free))
    vector[free] = numbers
    return vector


def learn_moves(nodes: PilotNodeArrays, task: NDArray[np.intp], shrinkage: FloatArray, seed: int) -> LearntMoves:
    """Learn moves from all pilots, given the task of each.

    How far curves are related to each other, and so to the next one, is learnt, too: moves under several strengths of
    shrinkage, and no move, are averaged by how well they forecast tasks that are left out.
    """
    candidates = _fit_all_strengths(nodes, shrinkage)
    tasks = np.unique(task)
    if len(tasks) == 1:
        vector = candidates.mean(axis=0)
        return LearntMoves(vector, _compute_share_kept(vector, candidates), None)
    fold_of_task = np.empty(int(task.max()) + 1, int)
    fold_of_task[np.random.default_rng(seed).permutation(tasks)] = np.arange(len(tasks)) % _MOST_FOLDS
    fold = fold_of_task[task]
    left_out = []
    losses = np.zeros(len(candidates))
    for one in np.unique(fold):
        out, rest = np.flatnonzero(fold == one), np.flatnonzero(fold != one)
        vectors = _fit_all_strengths(nodes, shrinkage, rest)
        held_out = Objective(nodes, np.zeros(len(shrinkage)), out)
        losses += [held_out(vector)[0] for vector in vectors]
        left_out.append(vectors)
    weight = np.exp(losses.min() - losses)
    weight /= weight.sum()
    vector = weight @ candidates
    return LearntMoves(
        vector, _compute_share_kept(vector, candidates), fold, tuple(weight @ vectors for vectors in left_out)
    )


def _fit_all_strengths(
    nodes: PilotNodeArrays, shrinkage: FloatArray, which: NDArray[np.intp] | None = None
) -> FloatArray:
    """Fit moves under each strength of shrinkage, the weakest first; the last row is no move."""
    vectors = []
    vector: FloatArray | None = None
    for factor in _FACTORS:
        vector = fit_moves(nodes, factor * shrinkage, vector, which)
        vectors.append(vector)
    return np.stack([*vectors, np.zeros(len(shrinkage))])


def _compute_share_kept(vector: FloatArray, candidates: FloatArray) -> float:
    most = float(np.linalg.norm(candidates[0]))
    return min(float(np.linalg.norm(vector)) / most, 1.0) if most else 0.0
