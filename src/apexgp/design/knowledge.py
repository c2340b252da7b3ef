"""What is known of a curve before more of it is measured: weighted nodes, each with a Gaussian over the curve.

Nodes are those of a fitted model, or draws from its priors where there is no pilot yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..inference.averaging import AveragedPosterior
from ..inference.posterior import Posterior

__all__ = ["Knowledge", "PilotSplits", "knowledge_from_posterior"]

_PARTS = 4  # in which nodes are divided by their noise


class PilotSplits(NamedTuple):
    """What the mean over the pilot's own splits adds to f: arrays run over (sizes, nodes)."""

    shift: FloatArray
    """Mean of what they carry."""
    weight: FloatArray
    """How much of the effect at the reference size there is at each."""
    with_curve: FloatArray
    """Covariance of f with the mean effect."""
    variance: FloatArray
    """Of the mean effect, shape (nodes,)."""
    single: FloatArray
    """Variance of the mean of what no split carries."""


@dataclass(frozen=True)
class Knowledge:
    """Gaussians over f, the true expected score where higher is better, at rising sizes; arrays end on the nodes."""

    sizes: FloatArray
    weights: FloatArray
    location: FloatArray
    """Mean of f, shape (sizes, nodes)."""
    covariance: FloatArray
    """Of f, shape (sizes, sizes, nodes)."""
    single: FloatArray
    """Variance of a score around its split's curve, shape (sizes, nodes)."""
    carried: FloatArray
    """Standard deviation of what a split carries along, shape (sizes, nodes)."""
    labelled: bool = True
    """Whether scores of one new split will be known to belong together."""
    own: PilotSplits | None = None
    """The pilot's splits, where they can be continued."""

    def places(self, sizes: FloatArray) -> NDArray[np.intp]:
        """Where some of the sizes stand."""
        return np.searchsorted(self.sizes, sizes)

    def mean(self, values: FloatArray) -> FloatArray:
        """Of values that end on the nodes."""
        return values @ self.weights

    def between(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Covariance over the nodes of values of shape (sizes, nodes)."""
        centred = left - self.mean(left)[:, None]
        return (centred * self.weights) @ (right - self.mean(right)[:, None]).T

    def parts(self, *traits: FloatArray) -> list[tuple[float, Knowledge]]:
        """Nodes alike in their traits, `_PARTS` for each, with their share of the weight.

        What has been measured tells them apart, and a linear predictor does not know how.
        """
        groups = np.zeros(len(self.weights), np.intp)
        for trait in traits:
            order = np.argsort(trait, kind="stable")
            below = np.cumsum(self.weights[order]) - 0.5 * self.weights[order]
            part = np.empty_like(groups)
            part[order] = np.minimum(below / self.weights.sum() * _PARTS, _PARTS - 1)
            groups = _PARTS * groups + part
        return [self._some(np.flatnonzero(groups == group)) for group in np.unique(groups)]

    def by_noise(self) -> list[tuple[float, Knowledge]]:
        """Nodes of like noise."""
        return self.parts(self._noise)

    def by_level_and_noise(self) -> list[tuple[float, Knowledge]]:
        """Nodes of like noise, on curves of like height."""
        return self.parts(self.location[len(self.sizes) // 2], self._noise)

    @property
    def _noise(self) -> FloatArray:
        """Variance of a score at a middling size."""
        middle = len(self.sizes) // 2
        return self.single[middle] + self.carried[middle] ** 2

    def _some(self, which: NDArray[np.intp]) -> tuple[float, Knowledge]:
        share = float(self.weights[which].sum())
        own = None if self.own is None else PilotSplits(*(array[..., which] for array in self.own))
        location, covariance, single, carried = (
            array[..., which] for array in (self.location, self.covariance, self.single, self.carried)
        )
        weights = self.weights[which] / share
        return share, Knowledge(self.sizes, weights, location, covariance, single, carried, self.labelled, own)


def knowledge_from_posterior(average: AveragedPosterior, sizes: FloatArray) -> Knowledge:
    """What a fitted model knows of the curve at rising sizes, those of the pilot among them."""
    statistics = average.posteriors[0].statistics
    parts = [_evaluate_nodes(posterior, sizes) for posterior in average.posteriors]
    location, covariance, single, carried = (np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True))
    own = None
    # Of merged sizes it is not known which split was measured where.
    if statistics.labelled and len(statistics.sizes) == len(statistics.replicates.sizes):
        continued = [posterior.continued(sizes) for posterior in average.posteriors]
        shift, weight, pulled, variance, alone = (
            np.concatenate(arrays, axis=-1) for arrays in zip(*continued, strict=True)
        )
        own = PilotSplits(shift, weight, -pulled, variance, alone)
    return Knowledge(
        sizes, average.node_weights, location, covariance, single, carried, labelled=statistics.labelled, own=own
    )


def _evaluate_nodes(posterior: Posterior, sizes: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    location, covariance = posterior.joint(sizes, "expected", 1.0, np.arange(len(posterior.weights)))
    single, carried = posterior.density.noise(
        posterior.nodes.parameters, sizes[:, None], posterior.statistics.sizes[:, None]
    )
    return location, covariance, single, carried
