"""Integration over weighted nodes: adaptive importance sampling from a density that is known up to a constant.

Nodes come in rounds of scrambled Sobol points. The first round goes through a wide proposal, each later one through
proposals that were fitted to the weights so far. All rounds count: a node's weight is the density there over that of
the mixture of all proposals, each with its share of the nodes (Cornuet et al. 2012; Owen and Zhou 2000).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .density import Density
from .draws import Draws
from .ends import FarForecast
from .pool import Points, Pool, Proposals, weighed
from .posterior import Posterior
from .proposals import Proposal, degrees_of_freedom, fitted_proposals, mixture_density, wide_proposal
from .statistics import Statistics
from .thinning import calibrated, thinned
from .uniforms import standard_t, uniforms

__all__ = ["COARSEST", "FINEST", "TOLERATED", "integrate"]

_LOG_2PI = np.log(2 * np.pi)

# Nodes of the first rounds. The second is repeated until the posterior has been found: it may lie where the wide
# proposal has hardly a node.
_FIRST, _SECOND, _THIRD = 256, 512, 1024
_FOUND, _MOST_SEARCHING = 40.0, 16  # effective nodes, rounds
# Then come as many as the error of the ends of far forecasts asks for, in a few rounds.
_LEAST, _MOST, _MOST_ROUNDS = 1024, 8192, 3
_ENOUGH = 200.0  # effective nodes that are aimed at
# Of each round but the first, these shares follow the posterior, and what lies beyond the lower and the upper ends of
# far forecasts: they hang on nodes with a large sigma, or with much still to be won, of which the posterior itself has
# few. The others keep to the wide proposal, in case the fitted ones missed something.
_FITTED_SHARES = (0.4, 0.25, 0.25)
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
    while pool.weights.effective_size < _FOUND and len(pool.rounds) < _MOST_SEARCHING:
        pool = sampler.continued(pool, _SECOND)
    if not roughly:
        pool = sampler.continued(pool, _THIRD)
        for _ in range(_MOST_ROUNDS):
            have = pool.points.z.shape[-1]
            wanted = have * max((pool.weights.far.error / precision) ** 2, _ENOUGH / pool.weights.effective_size)
            if wanted <= have:
                break
            missing = _LEAST * np.ceil(min(wanted - have, finer * _MOST) / _LEAST)
            pool = sampler.continued(pool, int(missing))
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
        proposals = Proposals((wide,), (_FIRST,))
        points, draws = self._round([wide], [_FIRST], proposals, 0)
        return Pool(proposals, (draws,), points, weighed(points, None))

    def continued(self, pool: Pool, count: int) -> Pool:
        """With another round, most of it from proposals that are fitted to the nodes so far."""
        share = pool.weights.share.sum(axis=0)
        # One for the posterior, one each for what lies beyond lower and upper ends. Where nothing does, that is the
        # posterior's too: it would widen with every round otherwise.
        tails = pool.weights.far.tails().sum(axis=1) + _BULK * share
        fitted = fitted_proposals(np.concatenate([share[None], tails]), pool.points.z)
        counts = [int(share * count) for share in _FITTED_SHARES]
        counts.append(count - sum(counts))
        proposals = pool.proposals.used(fitted, counts)
        new, draws = self._round([*fitted, proposals.wide], counts, proposals, len(pool.rounds))
        # The nodes that there were count as if they came from the new proposals too.
        points = pool.points.proposed_by(fitted, counts).joined(new)
        return Pool(proposals, (*pool.rounds, draws), points, weighed(points, pool.weights.far.better))

    def _round(
        self, sources: list[Proposal], counts: list[int], proposals: Proposals, turn: int
    ) -> tuple[Points, Draws]:
        """Nodes from the sources, as many as counted from each, which count as if they came from all proposals."""
        count, dimensions = sum(counts), len(self.density.names)
        t = standard_t(count, dimensions, degrees_of_freedom(dimensions), self.seed, turn)
        parts = np.split(t, np.cumsum(counts)[:-1], axis=1)
        z = np.concatenate([source.nodes(part) for source, part in zip(sources, parts, strict=True)], axis=-1)
        widely, proposed = mixture_density(proposals.members, proposals.counts, z)
        draws = self.density.evaluate(z, uniforms(count, dimensions, self.seed, turn), self.of)
        log_density = draws.log_weight - 0.5 * (np.einsum("dn,dn->n", z, z) + dimensions * _LOG_2PI)
        far = FarForecast(draws.at.far_location, draws.at.far_variance)
        return Points(z, log_density, proposed, widely, far), draws

    def posterior(self, pool: Pool, components: int) -> Posterior:
        """What is known of the curve, in about so many components."""
        log_weights, share = pool.weights.log, pool.weights.share
        top = log_weights.max()
        evidence = float(top + np.log(np.exp(log_weights - top).mean()))
        location, scale = pool.points.far.location[-1], np.sqrt(pool.points.far.variance[-1])
        tails = pool.weights.far.tails().mean(axis=0)
        chosen, kept = thinned(share.ravel(), (share + tails).ravel(), location.ravel(), scale.ravel(), components)
        draw, node = np.unravel_index(chosen, share.shape)
        # Whatever was left out: as much must lie beyond each end as before, and the means be the same.
        beyond, far = pool.weights.far.beyond, pool.points.far.location
        traits = np.concatenate(
            [(beyond[:, :, draw, node] / share[draw, node]).reshape(-1, len(draw)), far[:, draw, node]]
        )
        totals = np.append(beyond.sum(axis=(2, 3)), np.einsum("hkn,kn->h", far, share))
        kept = calibrated(kept, traits, totals)
        nodes, order = pool.chosen(draw, node)
        return Posterior(
            self.density,
            self.of,
            nodes,
            kept[order],
            evidence,
            pool.weights.effective_size,
            pool.weights.far.error,
            share.sum(axis=0)[node[order]],
        )
