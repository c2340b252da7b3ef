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
from ..numerics.truncated_mixture import TruncatedMixture
from .nodes import PilotNodeArrays

__all__ = ["FIGURES", "LearntMoves", "Objective", "fit_moves", "learn_moves", "score_pilots", "weigh_nodes"]

# The density of a forecast counts as a mixture with this share of a uniform one: curves that no prior can foresee must
# not decide about the priors.
_UNFORESEEN = 0.05
# That is also why the CRPS counts, so many times: the log score no longer tells hopeless forecasts from bad ones.
_CRPS = 10.0
_AT_ONCE = 200  # pilots


class PriorSlopes(NamedTuple):
    """What the gradient needs of the prior at the nodes."""

    z: FloatArray
    by_shift: FloatArray
    by_log_a: FloatArray
    by_log_b: FloatArray


def weigh_nodes(nodes: PilotNodeArrays, vector: FloatArray) -> tuple[FloatArray, PriorSlopes]:
    """Weights of the nodes (P, N) under moved priors; those of a pilot sum to 1."""
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
    """Log score and CRPS of each curve's later scores, summed over curves, plus the pull towards no moves at all."""

    def __init__(
        self, nodes: PilotNodeArrays, pull: FloatArray, which: NDArray[np.intp] | None = None, crps: float = _CRPS
    ) -> None:
        self.nodes, self.pull, self.crps = nodes, pull, crps
        self.which = np.arange(len(nodes)) if which is None else which
        known = ~np.isnan(nodes.times[self.which])
        # Scores of a pilot weigh alike, and so do the pilots of a curve, and the curves.
        curve = nodes.curve[self.which]
        self.weight = known / known.sum(axis=1, keepdims=True) / np.bincount(curve)[curve][:, None]

    def __call__(self, vector: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient."""
        value, gradient = self.evaluate_pilots(vector)
        return (
            float(value.sum() + 0.5 * (self.pull * vector**2).sum()),
            gradient.sum(axis=0) + self.pull * vector,
        )

    def evaluate_pilots(self, vector: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Without the pull, value (P,) and gradient (P, numbers) of each pilot."""
        # Some at a time: what is computed on the way is many times the nodes.
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
    crps, by_weight = nodes.ranked.crps(weight)
    gain -= times * np.einsum("pq,pqn->pn", share, by_weight)
    gain = weight * (gain - (weight * gain).sum(axis=1, keepdims=True))
    by_place = [
        np.einsum("pn,pnd->pd", gain, slopes.by_shift),
        np.einsum("pn,pnd->pd", gain, slopes.z**2 - 1),
        (gain * slopes.by_log_a).sum(axis=1)[:, None],
        (gain * slopes.by_log_b).sum(axis=1)[:, None],
    ]
    return (share * (times * crps - np.log(mixed))).sum(axis=1), -np.concatenate(by_place, axis=1)


FIGURES = ("crps", "log_score", "covers_80", "covers_95", "width_95")
_LEVELS = (np.arange(20) + 0.5) / 20
_ENDS = np.array([0.1, 0.9, 0.025, 0.975])
_WORST = -np.log(1e-12)  # one hopeless forecast must not decide the mean


def score_pilots(
    nodes: PilotNodeArrays, vector: FloatArray, counts: NDArray[np.bool_] | None = None
) -> dict[str, FloatArray]:
    """Means over each pilot's later scores, those that count; NaN where none does."""
    wanted = np.concatenate([_LEVELS, _ENDS])
    known = ~np.isnan(nodes.times) if counts is None else counts & ~np.isnan(nodes.times)
    found = {name: np.full(len(nodes), np.nan) for name in FIGURES}
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
        for name, values in zip(FIGURES, figures, strict=True):
            found[name][i] = values.mean()
    return found


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
