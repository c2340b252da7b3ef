"""Integration over weighted nodes: adaptive importance sampling from a density that is known up to a constant.

Nodes come in rounds of scrambled Sobol points, in two halves. The first round goes through wide proposals, each later
one through others that were fitted to the weights so far, those of one half to the nodes of the other: a node that has
shaped its own proposals would weigh too little. Within a half all rounds count: a node's weight is the density there
over that of the mixture of its half's proposals, each with its share of the nodes (Cornuet et al. 2012; Owen and Zhou
2000).

Compiled code does the same for the usual model, with the same numbers to rounding; this serves all others, and the
tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._check import FloatArray
from ..numerics.truncated_mixture import TruncatedMixture
from .compiled_integral import integrate_compiled
from .density import Density, Divide
from .draws import Evaluated, Nodes
from .ends import Judgement, Weighed, are_uneven, find_end_error, guess_ends, judge, weigh
from .onset import OnsetCoordinates
from .peaks import Peak, find_missed_peaks, wide_around
from .posterior import Posterior
from .proposals import Proposals, Wide, degrees_of_freedom, fit_proposals, wide_proposals
from .rounds import ROUNDS, TOLERATED, Rounds
from .statistics import Statistics
from .thinning import calibrated, thinned
from .uniforms import standard_t, uniforms

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


class _Half(NamedTuple):
    """Half of the nodes."""

    places: FloatArray
    """Coordinates (D, nodes)."""
    at: Evaluated
    """Logarithms of weights are those of the posterior's density, up to a constant."""
    proposals: Proposals
    """That the nodes came from."""
    latest: Proposals
    """Those of the last round alone."""
    expected: FloatArray
    """How many nodes of a unit of volume there were to be expected at each, shape (nodes,)."""


@dataclass(frozen=True)
class _Nodes:
    """Both halves, what they weigh and what they say."""

    halves: tuple[_Half, _Half]
    weighed: tuple[Weighed, Weighed]
    judgement: Judgement
    rounds: int
    used: int
    """Points that either half was made of, with those of nodes that were given up."""

    @property
    def count(self) -> int:
        """Of all nodes."""
        return sum(half.places.shape[1] for half in self.halves)

    def together(self, name: str) -> FloatArray:
        """What weighs something at the draws of both halves, one behind the other."""
        parts = zip(self.judgement.parts, self.weighed, strict=True)
        return np.concatenate([part * getattr(half, name) for part, half in parts], axis=-1)

    @cached_property
    def weights(self) -> FloatArray:
        """Of all nodes, which sum to 1."""
        weights: FloatArray = self.together("share").sum(axis=0)
        return weights

    @cached_property
    def at(self) -> Evaluated:
        """What is known at all of them."""
        return self.halves[0].at.and_then(self.halves[1].at)

    @property
    def places(self) -> FloatArray:
        """Coordinates of all of them."""
        return np.concatenate([half.places for half in self.halves], axis=1)


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
        """Rounds of about so many nodes until the posterior has been found, or has not been for long."""
        by, each = self.by, count // 2
        halves = [self._add(None, self.wide.counting(each), None, used, half) for half in range(2)]
        ends = guess_ends([half.at for half in halves], [half.expected for half in halves])
        nodes = self._go_on(self._judged((halves[0], halves[1]), ends, 1, used + each), each)
        while min(half.effective_size for half in nodes.weighed) < by.found and nodes.rounds < by.most_searching:
            nodes = self._go_on(nodes, max(each, by.searching // 2))
        # What was hard to find may have parts that have not been found yet.
        return self._latest(nodes) if nodes.rounds > by.soon else nodes

    def refine(self, nodes: _Nodes, precision: float, least: int, most: float) -> _Nodes:
        """Add rounds until the ends of far forecasts are known well enough; the numbers of nodes may be exceeded."""
        by = self.by
        while True:
            have, error = nodes.count, nodes.judgement.error
            wanted = have * max((error / precision) ** 2, by.enough / nodes.judgement.effective_size)
            if wanted <= have and are_uneven(nodes.weights):
                least = by.least_where_uneven
            limit = most * (by.more_where_hard if error > by.rough * precision else 1)
            if have >= limit or (wanted <= have and have >= least):
                return nodes
            more = min(max(wanted, least) - have, by.growth * have, limit - have)
            nodes = self._go_on(nodes, by.step // 2 * max(math.ceil(more / by.step), 1))

    def find_missed_peaks(self, nodes: _Nodes, *, everywhere: bool) -> list[Peak]:
        """Narrow peaks that the nodes, which have deviates, hardly know."""
        centre = self.first_proposals.proposals.location[0]
        weights, evidence = nodes.weights, nodes.judgement.log_evidence
        return find_missed_peaks(
            self.coordinates, nodes.places, nodes.at.log_weight, weights, evidence, centre, everywhere=everywhere
        )

    def _go_on(self, nodes: _Nodes, count: int) -> _Nodes:
        """With another round of so many nodes for each half, most from proposals fitted to the other half."""
        fits = [
            fit_proposals(half.places, weighed, nodes.judgement, self.divide, self.by.fitting)
            for half, weighed in zip(nodes.halves, nodes.weighed, strict=True)
        ]
        halves = []
        for half, (fitted, shares) in enumerate(fits[::-1]):
            # A little less than a half, so that rounding errors do not decide which way halves go.
            fitted = fitted.counting(np.round((1 - self.by.wide) * count * shares - 1e-7).astype(np.int64))
            wide = self.wide.counting(count - int(fitted.counts.sum()))
            halves.append(self._add(nodes.halves[half], wide, fitted, nodes.used, half))
        return self._judged((halves[0], halves[1]), nodes.judgement.ends, nodes.rounds + 1, nodes.used + count)

    def _add(self, before: _Half | None, wide: Proposals, fitted: Proposals | None, used: int, half: int) -> _Half:
        """With more nodes, as many as the proposals count; the wide ones come first."""
        sources = wide if fitted is None else wide.and_then(fitted)
        stop, dimensions = used + int(sources.counts.sum()), len(self.density.names)
        t = standard_t(stop, dimensions, degrees_of_freedom(dimensions), self.seed, half)[:, used:]
        places = sources.nodes(t)
        z, log_slope = self.deviates(places)
        at = self.density.evaluate(z, uniforms(stop, dimensions, self.seed, half).between(used, stop), self.of)
        log_weight = at.log_weight - 0.5 * (np.einsum("dn,dn->n", z, z) + dimensions * _LOG_2PI) + log_slope
        at = at._replace(log_weight=log_weight)
        if before is None or fitted is None:
            return _Half(places, at, sources, sources, sources.expected(places))
        counts = before.proposals.counts.copy()
        counts[: len(wide.counts)] += wide.counts
        together = before.proposals.counting(counts).and_then(fitted)
        # The nodes that there were count as if they came from the new proposals too.
        expected = [before.expected + sources.expected(before.places), together.expected(places)]
        return _Half(
            np.concatenate([before.places, places], axis=1),
            before.at.and_then(at),
            together,
            sources,
            np.concatenate(expected),
        )

    def _latest(self, nodes: _Nodes) -> _Nodes:
        """With the nodes of the last round alone: after a long search most others count for nothing, but cost time."""
        halves = []
        for half in nodes.halves:
            count = int(half.latest.counts.sum())
            places = half.places[:, -count:]
            halves.append(_Half(places, half.at.last(count), half.latest, half.latest, half.latest.expected(places)))
        return self._judged((halves[0], halves[1]), nodes.judgement.ends, nodes.rounds, nodes.used)

    def _judged(self, halves: tuple[_Half, _Half], ends: FloatArray, rounds: int, used: int) -> _Nodes:
        first, second = (weigh(half.at, half.expected, ends) for half in halves)
        return _Nodes(halves, (first, second), judge((first, second), ends), rounds, used)

    def posterior(self, nodes: _Nodes, components: int) -> Posterior:
        """What is known of the curve, in about so many components."""
        share, beyond, at, told = nodes.together("share"), nodes.together("beyond"), nodes.at, nodes.judgement
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
        error = find_end_error(far, told.squares, heaviest, told.effective_size)
        return Posterior(
            self.density, self.of, known, kept, told.log_evidence, told.effective_size, error, nodes.weights[node]
        )
