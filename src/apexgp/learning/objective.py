"""How well later scores are forecast under moved priors: a smooth function of the moves, with its gradient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, digamma

from .._check import FloatArray
from .nodes import PilotNodeArrays

__all__ = ["Objective", "weigh_nodes"]

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
        value, gradient = self.by_pilot(vector)
        return (
            float(value.sum() + 0.5 * (self.pull * vector**2).sum()),
            gradient.sum(axis=0) + self.pull * vector,
        )

    def by_pilot(self, vector: FloatArray) -> tuple[FloatArray, FloatArray]:
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
