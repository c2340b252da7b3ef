"""Integration over weighted nodes: adaptive importance sampling from a density that is known up to a constant.

Nodes come in rounds of scrambled Sobol points. The first round goes through a wide proposal, each later one through
proposals that were fitted to the weights so far. All rounds count: a node's weight is the density there over that of
the mixture of all proposals, each with its share of the nodes (Cornuet et al. 2012; Owen and Zhou 2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from .density import Density
from .ends import FarForecast
from .pool import Points, Pool, Proposals, Round, weighed
from .posterior import Posterior
from .proposals import Proposal, fitted_proposal, sobol, standard_t, wide_proposal
from .statistics import Batch
from .thinning import thinned

__all__ = ["TOLERATED", "TOLERATED_AT_LAST", "integrate"]

_LOG_2PI = np.log(2 * np.pi)

# Nodes of the rounds. The second is repeated until the posterior has been found: it may lie where the wide proposal has
# hardly a node. Every curve gets the first ones, the others where the ends of far forecasts are not known well enough,
# and those beyond the usual ones where they are hardly known at all.
_ROUNDS = (256, 512, 1024, 1024, 2048, 4096, 4096, 4096)
_ROUGH_ROUNDS, _LEAST_ROUNDS, _USUAL_ROUNDS = 2, 3, 6
_FOUND, _MOST_SEARCHING = 40.0, 16  # effective nodes, rounds
# Of each round but the first, these shares follow the posterior, and what lies beyond the lower and the upper ends of
# far forecasts: they hang on nodes with a large sigma, or with much still to be won, of which the posterior itself has
# few. The others keep to the wide proposal, in case the fitted ones missed something.
_FITTED_SHARES = (0.4, 0.25, 0.25)
_DRAWS = 4  # of level and drop at a node: cheap beside the node
_COMPONENTS = 512

_ENOUGH = 200.0  # effective nodes that are aimed at
TOLERATED = 0.025
"""Standard error of the ends of far forecasts, relative to the width, that is aimed at."""
TOLERATED_AT_LAST = 2 * TOLERATED
"""The same, where the usual rounds have not reached it."""


def integrate(density: Density, batch: Batch, seed: int, *, roughly: bool = False) -> list[Posterior]:
    """Posterior of each curve; roughly: as soon as it has been found, whether or not its tails are known well."""
    found: dict[int, Posterior] = {}
    sampler = _Sampler(density, batch, seed)
    waiting = [(0, sampler.begun())]
    while waiting:
        step, pool = waiting.pop()
        steps = _next_steps(step, pool)
        for following in np.unique(steps).tolist():
            alike = pool.take(np.flatnonzero(steps == following))
            if following < (_ROUGH_ROUNDS if roughly else len(_ROUNDS)):
                waiting.append((following, sampler.continued(alike, _ROUNDS[following])))
            else:
                found |= {int(curve): sampler.posterior(alike, i) for i, curve in enumerate(alike.curves)}
    return [found[curve] for curve in sorted(found)]


def _next_steps(step: int, pool: Pool) -> NDArray[np.intp]:
    """Which of `_ROUNDS` comes next for each curve, after that of this step; their number if none does."""
    weights = pool.weights
    lost = (weights.effective_size < _FOUND) & (len(pool.rounds) < _MOST_SEARCHING)
    tolerated = TOLERATED if step + 1 < _USUAL_ROUNDS else TOLERATED_AT_LAST
    enough = (weights.error <= tolerated) & (weights.effective_size >= _ENOUGH)
    done = enough & (step + 1 >= _LEAST_ROUNDS)
    following = np.where(done, len(_ROUNDS), step + 1)
    return np.where(lost & (step == 1), 1, following)


@dataclass(frozen=True)
class _Sampler:
    """What turns a pool into one with more nodes, and in the end into posteriors; it keeps nothing itself."""

    density: Density
    batch: Batch
    seed: int

    def begun(self) -> Pool:
        """All curves with the nodes of the first round, which come from the wide proposal."""
        curves, count = np.arange(len(self.batch)), _ROUNDS[0]
        wide = wide_proposal(self.density, self.batch)
        proposals = Proposals((wide,), (count,))
        points, drawn = self._round(curves, [wide], [count], proposals, 0)
        return Pool(curves, proposals, (drawn,), points, weighed(points, None))

    def continued(self, pool: Pool, count: int) -> Pool:
        """With another round, most of it from proposals that are fitted to the nodes so far."""
        fitted = _fitted_proposals(pool)
        counts = [int(share * count) for share in _FITTED_SHARES]
        counts.append(count - sum(counts))
        proposals = pool.proposals.used(fitted, counts)
        new, drawn = self._round(pool.curves, [*fitted, proposals.wide], counts, proposals, len(pool.rounds))
        # The nodes that there were count as if they came from the new proposals too.
        points = pool.points.proposed_by(fitted, counts).joined(new)
        return Pool(pool.curves, proposals, (*pool.rounds, drawn), points, weighed(points, pool.weights.ends))

    def _round(
        self, curves: NDArray[np.intp], sources: list[Proposal], counts: list[int], proposals: Proposals, turn: int
    ) -> tuple[Points, Round]:
        """Nodes from the sources, as many as counted from each, which count as if they came from all proposals."""
        batch = self.batch if len(curves) == len(self.batch) else self.batch.take(curves)
        count, dimensions = sum(counts), len(self.density.names) + 3
        t, u = (make(count, dimensions, self.seed, turn) for make in (standard_t, _uniforms))
        parts = np.split(t, np.cumsum(counts)[:-1], axis=1)
        z = np.concatenate([source.nodes(part) for source, part in zip(sources, parts, strict=True)], axis=-1)
        densities = [proposal.density(z) for proposal in proposals.members]
        proposed = np.einsum("pbn,p->bn", densities, proposals.counts)
        log_density, draws = self.density.evaluate(z.swapaxes(0, 1), u, batch)
        log_density -= 0.5 * np.einsum("bdn,bdn->bn", z, z) + 0.5 * z.shape[1] * _LOG_2PI
        far = FarForecast.of(draws.far_location, draws.far_scale)
        return Points(z, log_density, proposed, densities[0], far), Round(curves, draws)

    def posterior(self, pool: Pool, curve: int) -> Posterior:
        """What is known of one of the curves of a pool, by its place there."""
        log_weights, share = (w[:, curve] for w in (pool.weights.log, pool.weights.share))
        tails = pool.weights.tails[:, :, curve].mean(axis=0)
        top = log_weights.max()
        evidence = float(top + np.log(np.exp(log_weights - top).mean()))
        location = pool.points.far.location[-1, :, curve]
        scale = np.broadcast_to(pool.points.far.scale[-1, curve], location.shape)
        chosen, kept = thinned(share.ravel(), (share + tails).ravel(), location.ravel(), scale.ravel(), _COMPONENTS)
        draw, node = np.unravel_index(chosen, share.shape)
        nodes, order = pool.chosen(curve, draw, node)
        return Posterior(
            self.density,
            self.batch.members[pool.curves[curve]],
            nodes,
            kept[order],
            evidence,
            float(pool.weights.effective_size[curve]),
            float(pool.weights.error[curve]),
            share.sum(axis=0)[node[order]],
        )


def _fitted_proposals(pool: Pool) -> list[Proposal]:
    """One fitted to the weights so far, one to what lies beyond lower ends, one to what lies beyond upper ends."""
    # Where a single node has all the weight, none lies beyond ends: all are then alike.
    sums = [np.maximum(w.sum(axis=0), 1e-300) for w in (pool.weights.share, *pool.weights.tails)]
    return [fitted_proposal(np.log(w), pool.points.z) for w in sums]


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
