"""Integration over weighted nodes: adaptive importance sampling from a density that is known up to a constant.

Nodes come in rounds of scrambled Sobol points. The first round goes through a wide proposal, each later one through
proposals that were fitted to the weights so far. All rounds count: a node's weight is the density there over that of
the mixture of all proposals, each with its share of the nodes (Cornuet et al. 2012; Owen and Zhou 2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from .density import Density
from .draws import Nodes
from .ends import LEAST_TOTAL
from .pool import Points, Pool, Proposals, Weights, weighed
from .posterior import Posterior
from .proposals import Proposal, add_mixture_density, degrees_of_freedom, fitted_proposals, wide_proposal
from .statistics import Statistics
from .thinning import calibrated, thinned
from .uniforms import DRAWS, standard_t, uniforms

__all__ = ["COARSEST", "FINEST", "TOLERATED", "integrate"]

_LOG_2PI = np.log(2 * np.pi)

# Nodes of the first rounds. More are looked for until the posterior has been found: it may lie where the wide proposal
# has hardly a node.
_FIRST, _SECOND, _SEARCHING = 256, 256, 512
_FOUND, _MOST_SEARCHING = 40.0, 16  # effective nodes, rounds
# Then come as many as the error of the ends of far forecasts asks for, in a few rounds.
_LEAST, _LEAST_WHERE_HARD, _MOST, _STEP, _GROWTH = 1024, 4096, 24576, 256, 1.0
_ENOUGH = 200.0  # effective nodes that are aimed at
_ROUGH, _MORE_WHERE_HARD = 3.0, 4  # where so many times the error remains that is aimed at, so many times the nodes
# Of each round but the first, these shares follow the posterior, and what lies beyond the lower and the upper ends of
# far forecasts: they hang on nodes with a large sigma, or with much still to be won, of which the posterior itself has
# few. The others keep to the wide proposal, in case the fitted ones missed something.
_FITTED, _FOR_POSTERIOR, _FOR_TAILS = 3, 0.4, 0.5
_BULK = 0.1  # weight of the posterior itself in what a tail's proposal is fitted to
_COMPONENTS, _MOST_FINER = 1024, 16  # at least, and how many times as many at most

TOLERATED = 0.015
"""Standard error of the ends of far forecasts, relative to the width, that is aimed at where nothing else is asked for.

A higher precision takes more nodes, and more components that are kept of them.
"""
FINEST, COARSEST = 0.001, 0.1


def integrate(
    density: Density, of: Statistics, seed: int, *, precision: float = TOLERATED, roughly: bool = False
) -> Posterior:
    """Posterior of a curve; roughly: as soon as it has been found, whether or not its tails are known well."""
    sampler = _Sampler(density, of, seed)
    finer = max((TOLERATED / precision) ** 2, 1.0)
    pool = sampler.continued(sampler.begun(), _SECOND)
    while pool.weights.effective_size < _FOUND and pool.rounds < _MOST_SEARCHING:
        pool = sampler.continued(pool, _SEARCHING)
    least = _LEAST
    if pool.rounds > 3:
        # What was hard to find may have parts that have not been found yet.
        pool, least = sampler.afresh(pool), _LEAST_WHERE_HARD
    if not roughly:
        while True:
            have, hard = pool.points.count, pool.weights.far.error > _ROUGH * precision
            most = finer * _MOST * (_MORE_WHERE_HARD if hard else 1)
            wanted = have * max((pool.weights.far.error / precision) ** 2, _ENOUGH / pool.weights.effective_size)
            if have >= most or (wanted <= have and have >= least):
                break
            # Proposals that were fitted to few nodes are not worth many.
            more = min(max(wanted, least) - have, _GROWTH * have, most - have)
            pool = sampler.continued(pool, _STEP * max(math.ceil(more / _STEP), 1))
    return sampler.posterior(pool, int(min(finer, _MOST_FINER) * _COMPONENTS))


@dataclass(frozen=True)
class _Sampler:
    """What turns a pool into one with more nodes, and in the end into a posterior; it keeps nothing itself."""

    density: Density
    of: Statistics
    seed: int

    def begun(self) -> Pool:
        """The nodes of the first round, which come from the wide proposal."""
        wide = wide_proposal(self.density, self.of)
        points = self._round(Points.none(len(self.density.names), DRAWS), [wide], [_FIRST], 0)
        proposed = np.zeros(points.roomy_z.shape[1])
        add_mixture_density(proposed, [wide], [_FIRST], points.roomy_z, 0, _FIRST)
        return Pool(Proposals((wide,), (_FIRST,)), 1, _FIRST, points, proposed, weighed(points, proposed, None))

    def continued(self, pool: Pool, count: int) -> Pool:
        """With another round, most of it from proposals that are fitted to the nodes so far."""
        fitted = fitted_proposals(_targets(pool.weights), pool.points.roomy_z)
        # The worse its ends are known, the more nodes a tail gets.
        worst = pool.weights.far.errors.max(axis=0) + 1e-12  # both may be known for certain
        shares = [_FOR_POSTERIOR, *(_FOR_TAILS * worst / worst.sum()).tolist()]
        counts = [round(share * count) for share in shares]
        counts.append(count - sum(counts))
        proposals = pool.proposals.used(fitted, counts)
        before, sources = pool.points.count, [*fitted, proposals.wide]
        points = self._round(pool.points, sources, counts, pool.rounds)
        proposed = np.zeros(points.roomy_z.shape[1])
        proposed[:before] = pool.proposed[:before]
        # The nodes that there were count as if they came from the new proposals too.
        add_mixture_density(proposed, sources, counts, points.roomy_z, 0, before)
        add_mixture_density(proposed, proposals.members, proposals.counts, points.roomy_z, before, points.count)
        weights = weighed(points, proposed, pool.weights.far.better)
        return Pool(proposals, pool.rounds + 1, count, points, proposed, weights)

    def afresh(self, pool: Pool) -> Pool:
        """With the nodes of the last round alone: after a long search most others count for nothing, but cost time."""
        points, proposals = pool.points.last(pool.latest), pool.proposals.last(_FITTED, pool.latest)
        proposed = np.zeros(points.roomy_z.shape[1])
        add_mixture_density(proposed, proposals.members, proposals.counts, points.roomy_z, 0, points.count)
        weights = weighed(points, proposed, pool.weights.far.better)
        return Pool(proposals, pool.rounds, pool.latest, points, proposed, weights)

    def _round(self, points: Points, sources: list[Proposal], counts: list[int], turn: int) -> Points:
        """With more nodes from the sources, as many as counted from each."""
        count, dimensions, start = sum(counts), points.dimensions, points.count
        t = standard_t(count, dimensions, degrees_of_freedom(dimensions), self.seed, turn)
        points = points.with_more(count)
        z, done = points.z[:, start:], 0
        for source, own in zip(sources, counts, strict=True):
            z[:, done : done + own] = source.nodes(t[:, done : done + own])
            done += own
        u = uniforms(count, dimensions, self.seed, turn)
        at = self.density.evaluate(z, u, self.of, points.roomy_draws, start)
        at.log_weight[:] -= 0.5 * (np.einsum("dn,dn->n", z, z) + dimensions * _LOG_2PI)
        return points

    def posterior(self, pool: Pool, components: int) -> Posterior:
        """What is known of the curve, in about so many components."""
        share, at, ends = pool.weights.share, pool.points.at, pool.weights.far
        # What matters to any end is kept, however well the end is known.
        alike = 1 / (ends.total.size * np.maximum(ends.total, LEAST_TOTAL))
        importance = share + np.einsum("hekn,he->kn", ends.beyond, alike)
        location, scale = at.far_location[-1], np.sqrt(at.far_variance[-1])
        chosen, kept = thinned(share.ravel(), importance.ravel(), location.ravel(), scale.ravel(), components)
        draw, node = np.unravel_index(chosen, share.shape)
        # Whatever was left out: as much must lie beyond each end as before, and the means be the same.
        traits = np.concatenate(
            [(ends.beyond[:, :, draw, node] / share[draw, node]).reshape(-1, len(draw)), at.far_location[:, draw, node]]
        )
        kept = calibrated(kept, traits, np.append(ends.total, np.einsum("hkn,kn->h", at.far_location, share)))
        z = pool.points.z[:, node]
        nodes = Nodes(self.density.parameters(z, self.of), self.density.shape(z, self.of), *at.chosen(draw, node))
        return Posterior(
            self.density,
            self.of,
            nodes,
            kept,
            pool.weights.log_evidence,
            pool.weights.effective_size,
            ends.error,
            share.sum(axis=0)[node],
        )


def _targets(weights: Weights) -> FloatArray:
    """What proposals are fitted to, shape (3, nodes): the posterior, and what lies beyond lower and upper ends.

    A part of the posterior's own comes to the tails. Where nothing lies beyond an end, it is all that they are fitted
    to: they would widen with every round otherwise.
    """
    share, ends, worth = weights.share, weights.far, weights.far.worth()
    loops = compiled_loops(share.shape[1])
    if loops is None:
        own = share.sum(axis=0)
        return np.concatenate([own[None], np.einsum("hekn,he->en", ends.beyond, worth) + _BULK * own])
    targets = np.empty((3, share.shape[1]))
    loops.targets(share, ends.beyond, worth, _BULK, targets)
    return targets
