"""Integration over weighted nodes: adaptive importance sampling from a density that is known up to a constant.

Nodes come in rounds of scrambled Sobol points. The first round goes through wide proposals, each later one through
others that were fitted to the nodes before. A node weighs its density over that of the proposals of its own round,
which no node of that round has shaped: so all rounds since the posterior was found count, without bias.

Compiled code does the same for the usual model, with the same numbers to rounding; this serves all others, and the
tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._check import FloatArray
from ..numerics.truncated_mixture import TruncatedMixture
from .compiled_integral import integrate_compiled
from .density import Density, Divide
from .draws import Evaluated, Nodes
from .ends import Judgement, Weighed, are_uneven, find_end_bounds, guess_ends, judge, weigh
from .peaks import OnsetCoordinates, Peak, find_missed_peaks, wide_around
from .posterior import Posterior
from .proposals import Proposals, Wide, degrees_of_freedom, fit_proposals, wide_proposals
from .rounds import ROUNDS, TOLERATED, Rounds
from .sobol_points import standard_t, uniforms
from .statistics import Statistics
from .thinning import calibrated, thinned

__all__ = ["integrate", "integrate_in_numpy"]

_LOG_2PI = np.log(2 * np.pi)
_LEAST_TOTAL = 1e-6  # of what lies beyond an end


def integrate(
    density: Density, of: Statistics, seed: int, *, precision: float = TOLERATED, roughly: bool = False
) -> Posterior:
    """Posterior of a curve; roughly: as soon as it has been found, whether or not its tails are known well."""
    found = integrate_compiled(density, of, seed, precision=precision, roughly=roughly)
    return integrate_in_numpy(density, of, seed, precision=precision, roughly=roughly) if found is None else found


def integrate_in_numpy(
    density: Density, of: Statistics, seed: int, *, precision: float = TOLERATED, roughly: bool = False
) -> Posterior:
    """The same without compiled code."""
    search = _Search(density, of, seed)
    by, finer = search.by, ROUNDS.finer(precision)
    nodes = search.find(by.first_roughly if roughly else by.first)
    if roughly:
        return search.posterior(nodes, by.components)
    hard = nodes.rounds > by.soon
    for everywhere in (hard, True):
        missed = search.find_missed_peaks(nodes, everywhere=everywhere)
        if missed:
            search, hard = replace(search, peaks=tuple(missed)), True
            nodes = search.find(2 * by.first, nodes.used)
        nodes = search.refine(nodes, precision, by.least_where_hard if hard else by.least, finer * by.most)
        if missed or not are_uneven(nodes.weights):
            break
    return search.posterior(nodes, ROUNDS.components_for(precision))


@dataclass(frozen=True)
class _Nodes:
    """The nodes that count, what they weigh and what they say."""

    places: FloatArray
    """Coordinates (D, nodes)."""
    at: Evaluated
    """Logarithms of weights are those of the posterior's density, up to a constant."""
    proposed: FloatArray
    """Density of the proposals of their round at the nodes, over what a node of that round counts."""
    worth: float
    """How many nodes that count in full they are."""
    weighed: Weighed
    judgement: Judgement
    rounds: int
    used: int
    """Points that were used, those of nodes that do not count any more included."""

    @property
    def count(self) -> int:
        """Number of nodes that count."""
        return self.places.shape[1]

    @cached_property
    def weights(self) -> FloatArray:
        """Weights of the nodes, which sum to 1."""
        weights: FloatArray = self.weighed.share.sum(axis=0)
        return weights


@dataclass(frozen=True)
class _Search:
    """What makes nodes of proposals, and of all nodes a posterior; it keeps none itself."""

    density: Density
    of: Statistics
    seed: int
    peaks: tuple[Peak, ...] = ()
    """That have proposals of their own: nodes then have `coordinates`, else deviates."""
    by: Rounds = ROUNDS

    @cached_property
    def coordinates(self) -> OnsetCoordinates:
        """Those in which narrow peaks are looked for."""
        return OnsetCoordinates(self.density, self.of)

    @cached_property
    def first_proposals(self) -> Wide:
        """Wide ones for deviates."""
        return wide_proposals(self.density, self.of)

    @cached_property
    def wide(self) -> Wide:
        """What nodes come from at first, and some of them later."""
        wide = self.first_proposals
        return wide_around(self.peaks, self.coordinates, wide, self.seed) if self.peaks else wide

    @property
    def divide(self) -> Divide:
        """Threshold between two families of curves in what nodes have."""
        return self.coordinates.divide if self.peaks else self.density.divide(self.of)

    def deviates(self, places: FloatArray) -> tuple[FloatArray, FloatArray | float]:
        """Deviates of nodes, and the logarithm of what a unit of their places is in deviates."""
        return self.coordinates.to_deviates(places) if self.peaks else (places, 0.0)

    def find(self, count: int, used: int = 0) -> _Nodes:
        """Rounds of about so many nodes until the posterior has been found, or has not been for long.

        Only those of the last round count: the others lie where it is not.
        """
        by = self.by
        nodes = self._go_on(self._begin(count, used), count, alone=True)
        while nodes.judgement.effective_size < by.found and nodes.rounds < by.most_searching:
            nodes = self._go_on(nodes, max(count // 2, by.searching), alone=True)
        return nodes

    def refine(self, nodes: _Nodes, precision: float, least: int, most: float) -> _Nodes:
        """Add rounds until the ends of far forecasts are known well enough; the numbers of nodes may be exceeded."""
        by, found = self.by, nodes.rounds
        while True:
            have, error = nodes.count, nodes.judgement.error
            wanted = have * max((error / precision) ** 2, by.enough / nodes.judgement.effective_size)
            if wanted <= have and are_uneven(nodes.weights):
                least = by.least_where_uneven
            limit = most * (by.more_where_hard if error > by.rough * precision else 1)
            if have >= limit or (wanted <= have and have >= least):
                return nodes
            more = min(max(wanted, least) - have, by.growth * have, limit - have)
            if nodes.rounds == found:
                less = by.first_worth
                nodes = replace(nodes, proposed=nodes.proposed / less, worth=nodes.worth * less)
            nodes = self._go_on(nodes, by.step * max(math.ceil(more / by.step), 1))

    def find_missed_peaks(self, nodes: _Nodes, *, everywhere: bool) -> list[Peak]:
        """Narrow peaks that the nodes, which have deviates, hardly know."""
        centre = self.first_proposals.proposals.location[0]
        weights, evidence = nodes.weights, nodes.judgement.log_evidence
        return find_missed_peaks(
            self.coordinates, nodes.places, nodes.at.log_weight, weights, evidence, centre, everywhere=everywhere
        )

    def _begin(self, count: int, used: int) -> _Nodes:
        """Nodes from the wide proposals."""
        places, at, proposed = self._evaluate(self.wide.counting(count), used)
        return self._judge_nodes(places, at, proposed, count, None, 1, used + count)

    def _go_on(self, nodes: _Nodes, count: int, *, alone: bool = False) -> _Nodes:
        """With another round of so many nodes, which count alone or beside those before."""
        told = nodes.judgement
        fitted, shares = fit_proposals(nodes.places, nodes.weighed, told, self.divide, self.by.fitting)
        # A little less than a half, so that rounding errors do not decide which way halves go.
        fitted = fitted.counting(np.round((1 - self.by.wide) * count * shares - 1e-7).astype(np.int64))
        wide = self.wide.counting(count - int(fitted.counts.sum()))
        places, at, proposed = self._evaluate(wide.and_then(fitted), nodes.used)
        worth = float(count)
        if not alone:
            places, worth = np.concatenate([nodes.places, places], axis=1), worth + nodes.worth
            at, proposed = nodes.at.and_then(at), np.concatenate([nodes.proposed, proposed])
        return self._judge_nodes(places, at, proposed, worth, told.ends, nodes.rounds + 1, nodes.used + count)

    def _evaluate(self, sources: Proposals, used: int) -> tuple[FloatArray, Evaluated, FloatArray]:
        """Nodes, as many as the proposals count, what is known there, and the density of the proposals."""
        count, dimensions = int(sources.counts.sum()), len(self.density.names)
        t = standard_t(used + count, dimensions, degrees_of_freedom(dimensions), self.seed)[:, used:]
        places = sources.nodes(t)
        z, log_slope = self.deviates(places)
        u = uniforms(used + count, dimensions, self.seed).between(used, used + count)
        at = self.density.evaluate(z, u, self.of)
        log_weight = at.log_weight - 0.5 * (np.einsum("dn,dn->n", z, z) + dimensions * _LOG_2PI) + log_slope
        return places, at._replace(log_weight=log_weight), sources.mixed_density(places)

    def _judge_nodes(
        self,
        places: FloatArray,
        at: Evaluated,
        proposed: FloatArray,
        worth: float,
        ends: FloatArray | None,
        rounds: int,
        used: int,
    ) -> _Nodes:
        if ends is None:
            ends = guess_ends(at, proposed)
        weighed = weigh(at, proposed, worth, ends)
        return _Nodes(places, at, proposed, worth, weighed, judge(weighed, ends), rounds, used)

    def posterior(self, nodes: _Nodes, components: int) -> Posterior:
        """What is known of the curve, in about so many components."""
        share, beyond, at, told = nodes.weighed.share, nodes.weighed.beyond, nodes.at, nodes.judgement
        # What matters to any end is kept, however well the end is known.
        alike = 1 / (told.total.size * np.maximum(told.total, _LEAST_TOTAL))
        importance = share + np.einsum("hekn,he->kn", beyond, alike)
        location, variance = at.far_location[-1], at.far_variance[-1]
        chosen, kept = thinned(share.ravel(), importance.ravel(), location.ravel(), variance.ravel(), components)
        draw, node = np.unravel_index(chosen, share.shape)
        # Whatever was left out: as much must lie beyond each end as before, and the means be the same.
        traits = np.concatenate(
            [(beyond[:, :, draw, node] / share[draw, node]).reshape(-1, len(draw)), at.far_location[:, draw, node]]
        )
        kept = calibrated(kept, traits, np.append(told.total, told.mean))
        z, _ = self.deviates(nodes.places[:, node])
        known = Nodes(self.density.parameters(z, self.of), self.density.shape(z, self.of), *at.chosen(draw, node))
        far = TruncatedMixture(at.far_location[:, draw, node].T, np.sqrt(at.far_variance[:, draw, node]).T, kept)
        heaviest = float(nodes.weights.max()) if are_uneven(nodes.weights) else 0.0
        bounds = find_end_bounds(far, told.squares, heaviest)
        return Posterior(
            self.density,
            self.of,
            known,
            kept,
            told.log_evidence,
            told.effective_size,
            bounds,
            nodes.weights[node],
            nodes.used,
        )
