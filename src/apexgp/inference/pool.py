"""All nodes so far of a curve and what they weigh: values, of which a round of nodes makes new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from .draws import Draws, Nodes
from .ends import LEAST_MASS, STEEPNESS, Ends, FarForecast
from .proposals import Proposal, mixture_density

__all__ = ["Points", "Pool", "Proposals", "Weights", "weighed"]


@dataclass(frozen=True)
class Proposals:
    """Where nodes came from: proposals, the wide one first, and how many came from each."""

    members: tuple[Proposal, ...]
    counts: tuple[int, ...]

    @property
    def wide(self) -> Proposal:
        """The first one, which a part of every round comes from."""
        return self.members[0]

    def used(self, fitted: Sequence[Proposal], counts: Sequence[int]) -> Proposals:
        """After a round from fitted proposals and, by the last of the counts, from the wide one."""
        wide, *others = self.counts
        return Proposals((*self.members, *fitted), (wide + counts[-1], *others, *counts[:-1]))


@dataclass(frozen=True)
class Points:
    """Nodes, and what is known of each; arrays end on them."""

    z: FloatArray
    """Coordinates, shape (D, nodes)."""
    log_density: FloatArray
    """Of the posterior up to a constant, by draw: shape (draws, nodes)."""
    proposed: FloatArray
    """Sum over the proposals of the number of nodes times the density."""
    widely: FloatArray
    """The wide proposal's density alone: more nodes come from it in every round."""
    far: FarForecast

    def proposed_by(self, fitted: Sequence[Proposal], counts: Sequence[int]) -> Points:
        """The same nodes, after a round of which so many came from fitted proposals and, the last, the wide one."""
        new = mixture_density(fitted, counts[:-1], self.z)[1]
        return replace(self, proposed=self.proposed + counts[-1] * self.widely + new)

    def joined(self, other: Points) -> Points:
        """With further nodes."""
        return Points(
            np.concatenate([self.z, other.z], axis=-1),
            np.concatenate([self.log_density, other.log_density], axis=-1),
            np.concatenate([self.proposed, other.proposed]),
            np.concatenate([self.widely, other.widely]),
            self.far.joined(other.far),
        )


@dataclass(frozen=True)
class Weights:
    """What the draws of a pool weigh, and how well the ends of far forecasts are known by them."""

    log: FloatArray
    """Logarithms of the density over that of all proposals, shape (draws, nodes)."""
    share: FloatArray
    """The same as shares of their sum."""
    far: Ends
    effective_size: float
    """Effective number of nodes."""


def weighed(points: Points, ends: FloatArray | None) -> Weights:
    """Weigh all draws, by what they are worth and by what of them lies beyond the ends of far forecasts.

    `ends` are those that fewer nodes gave; None, where there were none.
    """
    loops = compiled_loops(points.z.shape[-1])
    if loops is not None:
        return _weighed_by(loops, points, ends)
    log_weights = points.log_density - np.log(points.proposed / points.z.shape[-1])
    share = np.exp(log_weights - log_weights.max())
    share /= share.sum()
    found = points.far.ends(share, points.far.guess(share) if ends is None else ends)
    return Weights(log_weights, share, found, 1 / float((share.sum(axis=0) ** 2).sum()))


def _weighed_by(loops: Any, points: Points, ends: FloatArray | None) -> Weights:
    """The same by compiled loops."""
    far, (draws, nodes) = points.far, points.log_density.shape
    log_weights, share = np.empty((2, draws, nodes))
    sums = np.empty(1 + 6 * len(far.location))

    def weigh(values: FloatArray) -> FloatArray:
        beyond = np.empty((*values.shape, draws, nodes))
        given = points.log_density, points.proposed, far.location, far.variance, values
        loops.weigh(STEEPNESS, LEAST_MASS, *given, log_weights, share, beyond, sums)
        return beyond

    if ends is None:
        weigh(np.empty(0))
        ends = far.guess(share)
    beyond = weigh(ends)
    slopes, found, squares = sums[1:].reshape(3, *ends.shape)
    return Weights(log_weights, share, far.judged(share, ends, beyond, found, slopes, squares), 1 / float(sums[0]))


@dataclass(frozen=True)
class Pool:
    """The nodes of all rounds, with their draws and weights."""

    proposals: Proposals
    rounds: tuple[Draws, ...]
    points: Points
    weights: Weights

    def chosen(self, draw: NDArray[np.intp], node: NDArray[np.intp]) -> tuple[Nodes, NDArray[np.intp]]:
        """Some of the draws, by round, and in which order that puts them."""
        nodes, order, start = [], [], 0
        for draws in self.rounds:
            count = len(draws.at.explained)
            own = np.flatnonzero((node >= start) & (node < start + count))
            nodes.append(draws.chosen(draw[own], node[own] - start))
            order.append(own)
            start += count
        return Nodes.joined(nodes), np.concatenate(order)
