"""Present knowledge of a curve before more of it is measured: weighted nodes, each with a Gaussian over the curve.

Nodes are those of a fitted model, or curves drawn from its priors where there is no pilot yet.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from .._check import FloatArray
from ..curve import LearningCurve
from ..inference.bayes import AveragedPosterior, FullBayes
from ..inference.density import Density
from ..inference.gaussian_algebra import cholesky
from ..inference.posterior import Posterior
from ..inference.sobol_points import sobol
from ..inference.statistics import Statistics

__all__ = ["Knowledge", "PilotSplits", "knowledge_from_posterior", "knowledge_from_priors"]

_PARTS = 4  # groups into which each trait divides the nodes


class PilotSplits(NamedTuple):
    """The mean effect of the pilot's own splits, which adds to f; arrays run over (sizes, nodes)."""

    shift: FloatArray
    """Mean of the effect."""
    weight: FloatArray
    """Effect at each size, relative to that at the reference size."""
    with_curve: FloatArray
    """Covariance of f with the mean effect."""
    variance: FloatArray
    """Variance of the mean effect at the reference size, shape (nodes,)."""
    single: FloatArray
    """Variance of the mean of the noise that no split carries along."""


@dataclass(frozen=True)
class Knowledge:
    """Weighted nodes, each a Gaussian over f, the true expected score (higher is better), at rising sizes.

    The last axis of every array runs over the nodes.
    """

    sizes: FloatArray
    weights: FloatArray
    location: FloatArray
    """Mean of f, shape (sizes, nodes)."""
    covariance: FloatArray
    """Covariance of f, shape (sizes, sizes, nodes)."""
    single: FloatArray
    """Variance of a score around its split's curve, shape (sizes, nodes)."""
    carried: FloatArray
    """Standard deviation of the effect of a split, shape (sizes, nodes)."""
    labelled: bool = True
    """Whether scores of one new split will be known to belong together."""
    pilot_splits: PilotSplits | None = None
    """The pilot's splits, where they can be continued."""

    def find_places(self, sizes: FloatArray) -> NDArray[np.intp]:
        """Find the indices of some of the sizes."""
        return np.searchsorted(self.sizes, sizes)

    def average(self, values: FloatArray) -> FloatArray:
        """Average over the nodes, which are the last axis of the values."""
        return values @ self.weights

    def covariance_between(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Covariance over the nodes of values of shape (sizes, nodes)."""
        centred = left - self.average(left)[:, None]
        return (centred * self.weights) @ (right - self.average(right)[:, None]).T

    def split_by(self, *traits: FloatArray) -> list[tuple[float, Knowledge]]:
        """Split the nodes into `_PARTS` groups by each trait, each group with its share of the weight.

        New measurements will tell such groups apart, which a linear predictor alone cannot.
        """
        groups = np.zeros(len(self.weights), np.intp)
        for trait in traits:
            order = np.argsort(trait, kind="stable")
            below = np.cumsum(self.weights[order]) - 0.5 * self.weights[order]
            part = np.empty_like(groups)
            part[order] = np.minimum(below / self.weights.sum() * _PARTS, _PARTS - 1)
            groups = _PARTS * groups + part
        return [self._take(np.flatnonzero(groups == group)) for group in np.unique(groups)]

    def split_by_noise(self) -> list[tuple[float, Knowledge]]:
        """Split the nodes by their noise."""
        return self.split_by(self._noise)

    def split_by_level_and_noise(self) -> list[tuple[float, Knowledge]]:
        """Split the nodes by the height of their curve and by their noise."""
        return self.split_by(self.location[len(self.sizes) // 2], self._noise)

    @property
    def _noise(self) -> FloatArray:
        """Variance of a score at the middle size."""
        middle = len(self.sizes) // 2
        return self.single[middle] + self.carried[middle] ** 2

    def _take(self, which: NDArray[np.intp]) -> tuple[float, Knowledge]:
        share = float(self.weights[which].sum())
        pilot_splits = (
            None if self.pilot_splits is None else PilotSplits(*(array[..., which] for array in self.pilot_splits))
        )
        location, covariance, single, carried = (
            array[..., which] for array in (self.location, self.covariance, self.single, self.carried)
        )
        weights = self.weights[which] / share
        return share, Knowledge(self.sizes, weights, location, covariance, single, carried, self.labelled, pilot_splits)


def knowledge_from_posterior(average: AveragedPosterior, sizes: FloatArray) -> Knowledge:
    """Knowledge of a fitted model about the curve at rising sizes, those of the pilot among them."""
    statistics = average.posteriors[0].statistics
    parts = [_evaluate_nodes(posterior, sizes) for posterior in average.posteriors]
    location, covariance, single, carried = (np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True))
    pilot_splits = None
    # Where sizes were merged, it is not known which split was measured where.
    if statistics.labelled and len(statistics.sizes) == len(statistics.replicates.sizes):
        continued = [posterior.continued(sizes) for posterior in average.posteriors]
        shift, weight, pulled, variance, alone = (
            np.concatenate(arrays, axis=-1) for arrays in zip(*continued, strict=True)
        )
        pilot_splits = PilotSplits(shift, weight, -pulled, variance, alone)
    return Knowledge(
        sizes,
        average.node_weights,
        location,
        covariance,
        single,
        carried,
        labelled=statistics.labelled,
        pilot_splits=pilot_splits,
    )


def _evaluate_nodes(posterior: Posterior, sizes: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    location, covariance = posterior.joint(sizes, "expected", 1.0, np.arange(len(posterior.weights)))
    single, carried = posterior.density.noise(
        posterior.nodes.parameters, sizes[:, None], posterior.statistics.sizes[:, None]
    )
    return location, covariance, single, carried


# Heights of the curve at the end of the pilot, and sets of all other parameters at each.
_LEVELS, _AT_EACH = 64, 64
_JITTER = 1e-12  # of a variance: close sizes make a matrix singular to rounding


def knowledge_from_priors(engine: FullBayes, sizes: FloatArray, pilot: FloatArray, seed: int) -> Knowledge:
    """Knowledge before a pilot: curves drawn from the priors at rising sizes, each an exactly known node.

    A curve is drawn whole, and rejected unless all of it lies in [0, 1].

    Parameters
    ----------
    engine
        Its means, weighted equally, and its beliefs.
    sizes
        Sizes at which the curves are drawn.
    pilot
        Sizes that a pilot may have. Priors are stated at its largest: there the curve may be anywhere between floor and
        ceiling. The noise is stated at the middle of the pilot.
    seed
        Seed of the draws.
    """
    rng = np.random.default_rng(seed)
    densities = [Density(mean, engine.beliefs, engine.ceiling, engine.floor) for mean in engine.means]
    parts = [_draw_curves(density, sizes, pilot, seed, rng) for density in densities]
    location, single, carried = (np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True))
    count = location.shape[1]
    weights = np.concatenate([np.full(part[0].shape[1], 1 / (len(parts) * part[0].shape[1])) for part in parts])
    no_covariance = np.broadcast_to(0.0, (len(sizes), len(sizes), count))
    return Knowledge(sizes, weights, location, no_covariance, single, carried)


def _draw_curves(
    density: Density, sizes: FloatArray, pilot: FloatArray, seed: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draw curves, and the noise that goes with each."""
    coordinates = [name for name in density.names if name != "drop"]
    uniform = sobol(_LEVELS * _AT_EACH, len(coordinates) + 2, seed)
    uniform = uniform[:, np.argsort(uniform[-1])]
    heights = density.floor + (density.ceiling - density.floor) * (np.arange(_LEVELS) + 0.5) / _LEVELS
    z = np.zeros((len(density.names), _LEVELS, _AT_EACH))
    z[: len(coordinates)] = ndtri(uniform[: len(coordinates)]).reshape(-1, _LEVELS, _AT_EACH)
    by_height: dict[str, list[FloatArray]] = defaultdict(list)
    shapes, shares = [], []
    for i, (height, uniforms) in enumerate(zip(heights, uniform[-2].reshape(_LEVELS, _AT_EACH), strict=True)):
        # A flat pilot of that height stands in for the features that priors depend on.
        flat = Statistics.of(LearningCurve(pilot, np.full((len(pilot), 1), height)))
        for name, value in density.parameters(z[:, i], flat).items():
            by_height[name].append(value)
        shapes.append(density.shape(z[:, i], flat))
        shares.append(_draw_shares(density, uniforms, flat))
    parameters = {name: np.concatenate(values) for name, values in by_height.items()}
    shape = tuple(np.concatenate(values) for values in zip(*shapes, strict=True))
    level = np.repeat(heights, _AT_EACH)
    drop = np.concatenate(shares) * np.maximum(density.ceiling - level, 1e-9)
    at, unit, last = sizes[:, None], pilot[0], pilot[-1]
    mean = level + density.rise(at / unit, np.asarray(last / unit), drop, shape)
    covariance = density.kernel(at, at, float(last), parameters)
    diagonal = np.arange(len(sizes))
    covariance[diagonal, diagonal] *= 1 + _JITTER
    curve = mean + np.einsum("pqn,qn->pn", cholesky(covariance), rng.standard_normal(mean.shape))
    possible = ((curve >= 0) & (curve <= 1)).all(axis=0)
    single, carried = density.noise(parameters, at, pilot[:, None])
    return curve[:, possible], single[:, possible], carried[:, possible]


def _draw_shares(density: Density, uniform: FloatArray, pilot: Statistics) -> FloatArray:
    """Draw shares of the room above the curve that are still to be won."""
    if density.beliefs.shares is None:
        shares: FloatArray = uniform
    else:
        prior = density.beliefs.shares[density.mean.name]
        times_a, times_b = density.share_factors(pilot)
        shares = betaincinv(prior.a * times_a, prior.b * times_b, uniform)
    return np.clip(shares, 1e-9, 1 - 1e-9)
