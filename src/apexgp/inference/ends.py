"""How well the ends of far forecasts are known while nodes are still being looked for.

What is far off hangs on other nodes than the posterior's bulk: those with a large sigma, of which there are few. So
nodes are judged by what they do to the ends of intervals, and looked for where that is much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtri

from .._check import FloatArray

__all__ = ["LEAST_MASS", "STEEPNESS", "Ends", "FarForecast"]

_LEVELS = np.array([0.025, 0.975])
_LEAST_SLOPE = 0.06  # of the distribution function at an end, over the width of the interval
STEEPNESS = 1.702  # the logistic function of this many times z is Phi(z) to a hundredth, at a fifth of the time
LEAST_MASS = 1e-3
_NEXT = 1e-6  # to 0 and 1, the nearest that an end may come
_FARTHEST = 1e3  # locations and standard deviations: beyond, nothing changes, and squares overflow


class Ends(NamedTuple):
    """Of intervals of several far forecasts."""

    beyond: FloatArray
    """What of each draw's weight lies beyond each end more than the mixture's does: shape (sizes, 2, draws, nodes)."""
    better: FloatArray
    """The ends after a step of Newton's method, shape (sizes, 2)."""
    error: float
    """Standard error of the worst end relative to the width, as if the nodes were independent."""

    def tails(self) -> FloatArray:
        """Shares of what lies beyond the lower and the upper ends, alike for all sizes: shape (2, draws, nodes)."""
        total = np.maximum(self.beyond.sum(axis=(2, 3)), 1e-12)
        return np.einsum("hekn,he->ekn", self.beyond, 1 / (len(total) * total))


@dataclass(frozen=True)
class FarForecast:
    """Normal distributions cut to [0, 1]: arrays have the shape (sizes, draws, nodes).

    Ends need to be known to a hundredth of their distance only, so a logistic function stands for the normal one.
    """

    location: FloatArray
    variance: FloatArray

    def joined(self, other: FarForecast) -> FarForecast:
        """With the draws of further nodes."""
        location = np.concatenate([self.location, other.location], axis=-1)
        return FarForecast(location, np.concatenate([self.variance, other.variance], axis=-1))

    def guess(self, weights: FloatArray) -> FloatArray:
        """Ends as if the mixture were normal, shape (sizes, 2), for weights (draws, nodes)."""
        location = np.clip(self.location, -_FARTHEST, _FARTHEST)
        mean = np.einsum("hkn,kn->h", location, weights)
        spread = (location - mean[:, None, None]) ** 2 + np.minimum(self.variance, _FARTHEST**2)
        std = np.sqrt(np.einsum("hkn,kn->h", spread, weights))
        return np.clip(np.stack([mean - 2 * std, mean + 2 * std], axis=1), _NEXT, 1 - _NEXT)

    def ends(self, weights: FloatArray, values: FloatArray) -> Ends:
        """Judge ends that are approximately known, and improve them.

        Parameters
        ----------
        weights
            Of the draws, shape (draws, nodes); they sum to 1.
        values
            The ends, shape (sizes, 2).
        """
        location = np.clip(self.location, -_FARTHEST, _FARTHEST)[:, None]
        rate = STEEPNESS / np.sqrt(np.clip(self.variance, 1e-14, _FARTHEST**2))[:, None]
        below = expit(-location * rate)
        mass = np.maximum(expit((1 - location) * rate) - below, LEAST_MASS)
        cdf = expit((values[:, :, None, None] - location) * rate)
        slopes = np.einsum("hekn,kn->he", cdf * (1 - cdf) * (rate / mass), weights)
        cdf = (cdf - below) / mass
        found = np.einsum("hekn,kn->he", cdf, weights)
        influence = (cdf - found[:, :, None, None]) * weights
        own = influence.sum(axis=2)
        influence[:, 1] *= -1
        beyond = np.maximum(influence, 0, out=influence)
        return self.judged(weights, values, beyond, found, slopes, np.einsum("hen,hen->he", own, own))

    def judged(
        self,
        weights: FloatArray,
        values: FloatArray,
        beyond: FloatArray,
        found: FloatArray,
        slopes: FloatArray,
        squares: FloatArray,
    ) -> Ends:
        """Ends, given what lies beyond approximate ones, the mixture's probability and density there, and its variance.

        The last three have the shape (sizes, 2).
        """
        width = np.maximum(values[:, 1] - values[:, 0], 1e-9)[:, None]
        # Next to 0 or 1 the approximation may find no density at an end; a normal distribution has four times this.
        error = np.sqrt(squares) / np.maximum(slopes, _LEAST_SLOPE / width)
        # In normal scores, where distribution functions are nearly straight.
        score = ndtri(np.clip(found, 1e-6, 1 - 1e-6))
        missing = ndtri(_LEVELS) - score
        newton = values + missing * np.exp(-0.5 * score**2) / np.sqrt(2 * np.pi) / np.maximum(slopes, 1e-9)
        near = np.abs(missing) < 1
        better = newton if near.all() else np.where(near, newton, self.guess(weights))
        return Ends(beyond, np.clip(better, _NEXT, 1 - _NEXT), float((error / width).max()))
