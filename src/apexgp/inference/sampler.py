"""Integration over weighted nodes: adaptive importance sampling from a density that is known up to a constant.

Nodes come in rounds of scrambled Sobol points. The first round goes through a wide proposal, each later one through
proposals that were fitted to the weights so far. All rounds count: a node's weight is the density there over that of
the mixture of all proposals, each with its share of the nodes (Cornuet et al. 2012; Owen and Zhou 2000).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from .density import FAR, Density
from .draws import Draws, Nodes
from .ends import FarForecast
from .posterior import Posterior
from .proposals import Proposal, fitted_proposal, sobol, standard_t, wide_proposal
from .statistics import Batch
from .thinning import thinned

__all__ = ["TOLERATED", "integrate"]

_LOG_2PI = np.log(2 * np.pi)

# Nodes of the rounds. The second is repeated until the posterior has been found: it may lie where the wide proposal has
# hardly a node. Every curve gets the first ones, the others where the ends of far forecasts are not known well enough.
_ROUNDS = (256, 512, 1024, 1024, 2048, 4096)
_LEAST_ROUNDS, _ROUGH_ROUNDS = 3, 2
_FOUND, _MOST_SEARCHING = 40.0, 16  # effective nodes, rounds
# Of each round but the first, these shares follow the posterior and what decides about far forecasts: their ends hang
# on nodes with a large sigma, of which the posterior itself has few. The others keep to the wide proposal, in case the
# fitted ones missed something.
_FOLLOWING, _FAR_SIGHTED = 0.4, 0.5
_DRAWS = 4  # of level and drop at a node: cheap beside the node
_COMPONENTS = 512

_ENOUGH = 200.0  # effective nodes that are aimed at
TOLERATED = 0.025
"""Standard error of the ends of far forecasts, relative to the width, that is aimed at."""


def integrate(density: Density, batch: Batch, seed: int, *, roughly: bool = False) -> list[Posterior]:
    """Posterior of each curve; roughly: as soon as it has been found, whether or not its tails are known well."""
    found: dict[int, Posterior] = {}
    waiting = [_Pool(density, batch, seed)]
    while waiting:
        pool = waiting.pop()
        pool.add()
        steps = pool.next_steps()
        for step in np.unique(steps).tolist():
            alike = pool.take(np.flatnonzero(steps == step), step)
            if step < (_ROUGH_ROUNDS if roughly else len(_ROUNDS)):
                waiting.append(alike)
            else:
                found |= {int(curve): alike.posterior(i) for i, curve in enumerate(alike.curves)}
    return [found[curve] for curve in sorted(found)]


@dataclass(frozen=True)
class _Round:
    """Draws of one round, and at which place they have each of the curves."""

    curves: NDArray[np.intp]
    draws: Draws


class _Pool:
    """All nodes so far of the curves that are not done yet."""

    def __init__(self, density: Density, batch: Batch, seed: int) -> None:
        self._density, self._batch, self._seed = density, batch, seed
        self.curves = np.arange(len(batch))
        self._rounds: list[_Round] = []
        self._step = 0
        """Which of `_ROUNDS` comes next."""
        self._proposals = [wide_proposal(density, batch)]
        self._counts = [0]
        """How many nodes came from each proposal."""
        nothing = np.empty((len(batch), 0))
        self._z = np.empty((len(batch), len(density.names), 0))
        self._log_density = np.empty((_DRAWS, *nothing.shape))
        """Of the posterior up to a constant, by draw."""
        self._proposed = nothing
        """Sum over the proposals of the number of nodes times the density."""
        self._widely = nothing
        """The wide proposal's density alone: more nodes come from it in every round."""
        self._far = FarForecast(np.empty((len(FAR), _DRAWS, *nothing.shape)), np.empty((len(FAR), *nothing.shape)))
        self._ends = np.empty(0)

    def next_steps(self) -> NDArray[np.intp]:
        """Which of `_ROUNDS` comes next for each curve; their number if none does."""
        lost = (self.effective_size < _FOUND) & (len(self._rounds) < _MOST_SEARCHING)
        enough = (self.error <= TOLERATED) & (self.effective_size >= _ENOUGH)
        done = enough & (self._step + 1 >= _LEAST_ROUNDS)
        following = np.where(done, len(_ROUNDS), self._step + 1)
        return np.where(lost & (self._step == 1), 1, following)

    def add(self) -> None:
        """Draw another round of nodes, and judge all."""
        count, turn = _ROUNDS[self._step], len(self._rounds)
        dimensions = self._z.shape[1] + 3
        t, u = (make(count, dimensions, self._seed, turn) for make in (standard_t, _uniforms))
        fitted = self._fitted_proposals()
        counts = [int(share * count) for share in (_FOLLOWING, _FAR_SIGHTED)[: len(fitted)]]
        counts.append(count - sum(counts))
        wide = self._proposals[0]
        parts = np.split(t, np.cumsum(counts)[:-1], axis=1)
        z = np.concatenate([p.nodes(part) for p, part in zip([*fitted, wide], parts, strict=True)], axis=-1)
        # The nodes that there were, as if they came from the new proposals too.
        self._proposed += counts[-1] * self._widely
        for proposal, number in zip(fitted, counts[:-1], strict=True):
            self._proposed += number * proposal.density(self._z)
        self._proposals = [*self._proposals, *fitted]
        self._counts = [self._counts[0] + counts[-1], *self._counts[1:], *counts[:-1]]
        # The new nodes, as if they came from the proposals that there were.
        densities = [proposal.density(z) for proposal in self._proposals]
        proposed = np.einsum("pbn,p->bn", densities, self._counts)
        log_density, draws = self._density.evaluate(z.swapaxes(0, 1), u, self._batch)
        log_density -= 0.5 * np.einsum("bdn,bdn->bn", z, z) + 0.5 * z.shape[1] * _LOG_2PI
        self._rounds.append(_Round(self.curves, draws))
        self._z = np.concatenate([self._z, z], axis=-1)
        self._log_density = np.concatenate([self._log_density, log_density], axis=-1)
        self._proposed = np.concatenate([self._proposed, proposed], axis=-1)
        self._widely = np.concatenate([self._widely, densities[0]], axis=-1)
        self._far = self._far.joined(FarForecast(draws.far_location, draws.far_scale))
        self._judge()

    def _judge(self) -> None:
        """Weigh all draws, by what they are worth and by what they do to the ends of far forecasts."""
        self.log_weights = self._log_density - np.log(self._proposed / sum(self._counts))
        weights = np.exp(self.log_weights - self.log_weights.max(axis=(0, 2))[:, None])
        weights /= weights.sum(axis=(0, 2))[:, None]
        ends = self._far.ends(weights, self._far.guess(weights) if not self._ends.size else self._ends)
        influence = np.abs(ends.influence, out=ends.influence)
        size = np.maximum(np.einsum("hekbn,kbn->heb", influence, weights), 1e-12)
        self.weights = weights
        self.tails = weights * np.einsum("hekbn,heb->kbn", influence, 1 / (size.shape[0] * size.shape[1] * size))
        self._ends, self.error = ends.better, ends.error
        self.effective_size = 1 / (weights.sum(axis=0) ** 2).sum(axis=1)

    def _fitted_proposals(self) -> list[Proposal]:
        """One fitted to the weights so far, one to what decides about ends."""
        if not self._rounds:
            return []
        # Where a single node has all the weight, none decides about ends: all are then alike.
        sums = [np.maximum(w.sum(axis=0), 1e-300) for w in (self.weights, self.tails)]
        return [fitted_proposal(np.log(w), self._z) for w in sums]

    def take(self, which: NDArray[np.intp], step: int) -> _Pool:
        """The pool of some of the curves, for which another step comes next."""
        some = copy(self)
        some._step, some.curves, some._rounds = step, self.curves[which], list(self._rounds)
        if len(which) < len(self.curves):
            some._batch, some._far = self._batch.take(which), self._far.take(which)
            some._proposals = [proposal.take(which) for proposal in self._proposals]
        some._z, some._ends = self._z[which], self._ends[..., which]
        some.error, some.effective_size = self.error[which], self.effective_size[which]
        for name in ("_log_density", "_proposed", "_widely", "log_weights", "weights", "tails"):
            setattr(some, name, getattr(self, name)[..., which, :])
        return some

    def posterior(self, curve: int) -> Posterior:
        """What is known of one of the curves."""
        log_weights, weights, tails = (w[:, curve] for w in (self.log_weights, self.weights, self.tails))
        top = log_weights.max()
        evidence = float(top + np.log(np.exp(log_weights - top).mean()))
        location = self._far.location[-1, :, curve]
        scale = np.broadcast_to(self._far.scale[-1, curve], location.shape)
        chosen, kept = thinned(weights.ravel(), (weights + tails).ravel(), location.ravel(), scale.ravel(), _COMPONENTS)
        draw, node = np.unravel_index(chosen, weights.shape)
        nodes, order, start = [], [], 0
        for one in self._rounds:
            end = start + one.draws.far_scale.shape[-1]
            own = np.flatnonzero((node >= start) & (node < end))
            place = int(np.searchsorted(one.curves, self.curves[curve]))
            nodes.append(one.draws.chosen(place, draw[own], node[own] - start))
            order.append(own)
            start = end
        places = np.concatenate(order)
        return Posterior(
            self._density,
            self._batch.members[curve],
            Nodes.joined(nodes),
            kept[places],
            evidence,
            float(self.effective_size[curve]),
            float(self.error[curve]),
            weights.sum(axis=0)[node[places]],
        )


@lru_cache(maxsize=64)
def _uniforms(count: int, dimensions: int, seed: int, turn: int) -> FloatArray:
    """Pairs of uniform numbers (2, draws, nodes) for level and drop.

    The several pairs of a node are evenly spread over the unit square, each half of them as well.
    """
    steps = np.arange(_DRAWS)
    turned = np.array([int(f"{step:0{_DRAWS.bit_length() - 1}b}"[::-1], 2) for step in steps])
    pair = sobol(count, dimensions, seed, turn)[-2:, None]
    spread: FloatArray = (pair + np.stack([steps, turned])[:, :, None] / _DRAWS) % 1.0
    spread.flags.writeable = False
    return spread
