"""Integration over weighted nodes: adaptive importance sampling from a density that is known up to a constant.

Nodes come in rounds of scrambled Sobol points. The first round goes through wide proposals, each later one through
others that were fitted to the weights so far (`adaptation`). All rounds count: a node's weight is the density there
over that of the mixture of all proposals, each with its share of the nodes (Cornuet et al. 2012; Owen and Zhou 2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._check import FloatArray
from ..numerics.truncated_mixture import TruncatedMixture
from .adaptation import adapted
from .density import Density, Divide
from .draws import Nodes
from .ends import LEAST_TOTAL, are_uneven
from .onset import OnsetCoordinates
from .peaks import Peak, find_missed_peaks, wide_around
from .pool import Points, Pool, weighed
from .posterior import Posterior
from .proposals import Proposals, Wide, degrees_of_freedom, wide_proposals
from .statistics import Statistics
from .thinning import calibrated, thinned
from .uniforms import DRAWS, standard_t, uniforms

__all__ = ["COARSEST", "FINEST", "TOLERATED", "integrate"]

_LOG_2PI = np.log(2 * np.pi)

# Nodes of the first rounds. More are looked for until the posterior has been found: it may lie where the wide proposals
# have hardly a node.
_FIRST, _SEARCHING = 1024, 512
_FIRST_ROUGHLY, _FIRST_WHERE_HARD = 256, 1024
_FOUND, _MOST_SEARCHING = 40.0, 16  # effective nodes, rounds
# Then come as many as the error of the ends of far forecasts asks for, in a few rounds: proposals that were fitted to
# few nodes are not worth many.
_LEAST, _LEAST_WHERE_HARD, _LEAST_WHERE_UNEVEN, _MOST, _STEP, _GROWTH = 1536, 4096, 16384, 24576, 256, 0.75
_ENOUGH = 200.0  # effective nodes that are aimed at
_ROUGH, _MORE_WHERE_HARD = 3.0, 4  # where so many times the error remains that is aimed at, so many times the nodes
_WIDE = 0.15  # share of every round that keeps to the wide proposals
_COMPONENTS, _MOST_FINER = 1024, 16  # at least, and how many times as many at most

TOLERATED = 0.0125
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
    pool = sampler.search(_FIRST_ROUGHLY if roughly else _FIRST)
    if roughly:
        return sampler.posterior(pool, _COMPONENTS)
    hard, centre = pool.rounds > 3, sampler.wide.proposals.parts[0][0]
    for everywhere in (hard, True):
        missed = find_missed_peaks(sampler.coordinates, pool, centre, everywhere=everywhere)
        if missed:
            sampler, hard = replace(sampler, peaks=tuple(missed)), True
            pool = sampler.search(_FIRST_WHERE_HARD)
        pool = sampler.refine(pool, precision, _LEAST_WHERE_HARD if hard else _LEAST, finer * _MOST)
        if missed or not are_uneven(pool.weights.share.sum(axis=0)):
            break
    return sampler.posterior(pool, int(min(finer, _MOST_FINER) * _COMPONENTS))


@dataclass(frozen=True)
class _Sampler:
    """What turns a pool into one with more nodes, and in the end into a posterior; it keeps nothing itself."""

    density: Density
    of: Statistics
    seed: int
    peaks: tuple[Peak, ...] = ()
    """That have proposals of their own: nodes then have `coordinates`, else deviates."""

    @cached_property
    def coordinates(self) -> OnsetCoordinates:
        """Those in which narrow peaks are looked for."""
        return OnsetCoordinates(self.density, self.of)

    @cached_property
    def wide(self) -> Wide:
        """What nodes come from at first, and some of them later."""
        wide = wide_proposals(self.density, self.of)
        return wide_around(self.peaks, self.coordinates, wide, self.seed) if self.peaks else wide

    @property
    def divide(self) -> Divide:
        """Threshold between two families of curves in what nodes have."""
        return self.coordinates.divide if self.peaks else self.density.divide(self.of)

    def deviates(self, places: FloatArray) -> tuple[FloatArray, FloatArray | float]:
        """Deviates of nodes, and the logarithm of what a unit of their places is in deviates."""
        return self.coordinates.to_deviates(places) if self.peaks else (places, 0.0)

    def search(self, count: int) -> Pool:
        """Rounds of about so many nodes until the posterior has been found, or has not been for long."""
        pool = self.continued(self.begun(count), count)
        while pool.weights.effective_size < _FOUND and pool.rounds < _MOST_SEARCHING:
            pool = self.continued(pool, max(count, _SEARCHING))
        # What was hard to find may have parts that have not been found yet.
        return self.afresh(pool) if pool.rounds > 3 else pool

    def refine(self, pool: Pool, precision: float, least: int, most: float) -> Pool:
        """Add rounds until the ends of far forecasts are known well enough; the numbers of nodes may be exceeded."""
        while True:
            have, error = pool.points.count, pool.weights.far.error
            wanted = have * max((error / precision) ** 2, _ENOUGH / pool.weights.effective_size)
            if wanted <= have and are_uneven(pool.weights.share.sum(axis=0)):
                least = _LEAST_WHERE_UNEVEN
            limit = most * (_MORE_WHERE_HARD if error > _ROUGH * precision else 1)
            if have >= limit or (wanted <= have and have >= least):
                return pool
            more = min(max(wanted, least) - have, _GROWTH * have, limit - have)
            pool = self.continued(pool, _STEP * max(math.ceil(more / _STEP), 1))

    def begun(self, count: int) -> Pool:
        """The nodes of the first round, which come from the wide proposals."""
        wide = self.wide.counting(count)
        return self._pool(self._round(Points.none(len(self.density.names), DRAWS), wide, 0), wide, 1, None)

    def continued(self, pool: Pool, count: int) -> Pool:
        """With another round, most of it from proposals that are fitted to the nodes so far."""
        fitted, shares = adapted(pool.weights, pool.points.roomy_z, self.divide)
        fitted = fitted.counting(np.round((1 - _WIDE) * count * shares).astype(np.int64))
        wide = self.wide.counting(count - int(fitted.counts.sum()))
        sources = wide.and_then(fitted)
        before, points = pool.points.count, self._round(pool.points, sources, pool.rounds)
        counts = pool.proposals.counts.copy()
        counts[: len(wide.counts)] += wide.counts
        together = pool.proposals.counting(counts).and_then(fitted)
        proposed = np.zeros(points.roomy_z.shape[1])
        proposed[:before] = pool.proposed[:before]
        # The nodes that there were count as if they came from the new proposals too.
        sources.add_density(proposed, points.roomy_z, 0, before)
        together.add_density(proposed, points.roomy_z, before, points.count)
        weights = weighed(points, proposed, pool.weights.far.better)
        return Pool(together, pool.rounds + 1, sources, points, proposed, weights)

    def afresh(self, pool: Pool) -> Pool:
        """With the nodes of the last round alone: after a long search most others count for nothing, but cost time."""
        points = pool.points.last(int(pool.latest.counts.sum()))
        return self._pool(points, pool.latest, pool.rounds, pool.weights.far.better)

    def _pool(self, points: Points, proposals: Proposals, rounds: int, ends: FloatArray | None) -> Pool:
        """Points that all came from these proposals."""
        proposed = np.zeros(points.roomy_z.shape[1])
        proposals.add_density(proposed, points.roomy_z, 0, points.count)
        return Pool(proposals, rounds, proposals, points, proposed, weighed(points, proposed, ends))

    def _round(self, points: Points, sources: Proposals, turn: int) -> Points:
        """With more nodes from the sources, as many as they count."""
        count, dimensions, start = int(sources.counts.sum()), points.dimensions, points.count
        points = points.with_more(count)
        sources.place(
            standard_t(count, dimensions, degrees_of_freedom(dimensions), self.seed, turn), points.roomy_z, start
        )
        z, log_slope = self.deviates(points.z[:, start:])
        at = self.density.evaluate(z, uniforms(count, dimensions, self.seed, turn), self.of, points.roomy_draws, start)
        at.log_weight[:] -= 0.5 * (np.einsum("dn,dn->n", z, z) + dimensions * _LOG_2PI) - log_slope
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
        far = TruncatedMixture(at.far_location[:, draw, node].T, np.sqrt(at.far_variance[:, draw, node]).T, kept)
        z, _ = self.deviates(pool.points.z[:, node])
        nodes = Nodes(self.density.parameters(z, self.of), self.density.shape(z, self.of), *at.chosen(draw, node))
        return Posterior(
            self.density,
            self.of,
            nodes,
            kept,
            pool.weights.log_evidence,
            pool.weights.effective_size,
            ends.error_of(far, share.sum(axis=0)),
            share.sum(axis=0)[node],
        )
