"""All nodes so far of several curves and what they weigh: values, of which a round of nodes makes new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from .draws import Draws, Nodes
from .ends import FarForecast
from .proposals import Proposal

__all__ = ["Points", "Pool", "Proposals", "Round", "Weights", "weighed"]

# Signs of the influence, by end, of a draw that lies beyond it.
_OUTWARDS = np.array([1, -1], dtype=np.float32)[:, None, None, None]


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

    def take(self, which: NDArray[np.intp]) -> Proposals:
        """For some of the curves."""
        return Proposals(tuple(proposal.take(which) for proposal in self.members), self.counts)


@dataclass(frozen=True)
class Points:
    """Nodes of several curves, and what is known of each; arrays end on (curves, nodes) unless they say otherwise."""

    z: FloatArray
    """Coordinates, shape (curves, D, nodes)."""
    log_density: FloatArray
    """Of the posterior up to a constant, by draw: shape (draws, curves, nodes)."""
    proposed: FloatArray
    """Sum over the proposals of the number of nodes times the density."""
    widely: FloatArray
    """The wide proposal's density alone: more nodes come from it in every round."""
    far: FarForecast

    def proposed_by(self, fitted: Sequence[Proposal], counts: Sequence[int]) -> Points:
        """The same nodes, after a round of which so many came from fitted proposals and, the last, the wide one."""
        proposed = self.proposed + counts[-1] * self.widely
        for proposal, number in zip(fitted, counts[:-1], strict=True):
            proposed += number * proposal.density(self.z)
        return replace(self, proposed=proposed)

    def joined(self, other: Points) -> Points:
        """With further nodes of the same curves."""
        return Points(
            np.concatenate([self.z, other.z], axis=-1),
            np.concatenate([self.log_density, other.log_density], axis=-1),
            np.concatenate([self.proposed, other.proposed], axis=-1),
            np.concatenate([self.widely, other.widely], axis=-1),
            self.far.joined(other.far),
        )

    def take(self, which: NDArray[np.intp]) -> Points:
        """Those of some of the curves."""
        return Points(
            self.z[which],
            self.log_density[:, which],
            self.proposed[which],
            self.widely[which],
            self.far.take(which),
        )


@dataclass(frozen=True)
class Weights:
    """What the draws of a pool weigh, and how well the ends of far forecasts are known by them."""

    log: FloatArray
    """Logarithms of the density over that of all proposals, shape (draws, curves, nodes)."""
    share: FloatArray
    """The same as shares of each curve's sum."""
    tails: FloatArray
    """Shares of what lies beyond the lower and the upper ends of far forecasts: shape (2, draws, curves, nodes)."""
    ends: FloatArray
    """Of far intervals, shape (sizes, 2, curves)."""
    error: FloatArray
    """Standard error of the worst end relative to the width, shape (curves,)."""
    effective_size: FloatArray
    """Effective number of nodes, shape (curves,)."""

    def take(self, which: NDArray[np.intp]) -> Weights:
        """Those of some of the curves."""
        return Weights(
            self.log[:, which],
            self.share[:, which],
            self.tails[:, :, which],
            self.ends[..., which],
            self.error[which],
            self.effective_size[which],
        )


def weighed(points: Points, ends: FloatArray | None) -> Weights:
    """Weigh all draws, by what they are worth and by what of them lies beyond the ends of far forecasts.

    `ends` are those that fewer nodes gave; None, where there were none.
    """
    far, nodes = points.far, points.z.shape[-1]
    log_weights = points.log_density - np.log(points.proposed / nodes)
    share = np.exp(log_weights - log_weights.max(axis=(0, 2))[:, None])
    share /= share.sum(axis=(0, 2))[:, None]
    found = far.ends(share, far.guess(share) if ends is None else ends)
    # What is beyond an end is worth looking for: one proposal cannot follow both tails, and the bulk has its own.
    beyond = np.maximum(found.influence * _OUTWARDS, 0)
    size = np.maximum(np.einsum("hekbn,kbn->heb", beyond, share), 1e-12)
    tails = share * np.einsum("hekbn,heb->ekbn", beyond, 1 / (len(size) * size))
    effective_size = 1 / (share.sum(axis=0) ** 2).sum(axis=1)
    return Weights(log_weights, share, tails, found.better, found.error, effective_size)


@dataclass(frozen=True)
class Round:
    """Draws of one round, and at which place they have each of the curves."""

    curves: NDArray[np.intp]
    draws: Draws

    def __len__(self) -> int:
        return self.draws.far_scale.shape[-1]


@dataclass(frozen=True)
class Pool:
    """Curves that are computed together, by their numbers, with the nodes of all rounds and their weights."""

    curves: NDArray[np.intp]
    proposals: Proposals
    rounds: tuple[Round, ...]
    points: Points
    weights: Weights

    def take(self, which: NDArray[np.intp]) -> Pool:
        """The pool of some of the curves."""
        if len(which) == len(self.curves):
            return self
        return Pool(
            self.curves[which],
            self.proposals.take(which),
            self.rounds,
            self.points.take(which),
            self.weights.take(which),
        )

    def chosen(self, curve: int, draw: NDArray[np.intp], node: NDArray[np.intp]) -> tuple[Nodes, NDArray[np.intp]]:
        """Some of the draws of one curve, by round, and in which order that puts them."""
        nodes, order, start = [], [], 0
        for one in self.rounds:
            own = np.flatnonzero((node >= start) & (node < start + len(one)))
            place = int(np.searchsorted(one.curves, self.curves[curve]))
            nodes.append(one.draws.chosen(place, draw[own], node[own] - start))
            order.append(own)
            start += len(one)
        return Nodes.joined(nodes), np.concatenate(order)
