"""How well the ends of far forecasts are known while nodes are still being looked for.

What is far off hangs on other nodes than the posterior's bulk: those with a large sigma, of which there are few. So
nodes are judged by what they do to the ends of intervals, and looked for where that is much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from .._check import FloatArray

__all__ = ["Ends", "FarForecast"]

_LEVELS = np.array([0.025, 0.975])
_LEAST_SLOPE = 0.06  # of the distribution function at an end, over the width of the interval
_STEEPNESS = 1.702  # the logistic function of this many times z is Phi(z) to a hundredth, at a fifth of the time


class Ends(NamedTuple):
    """Of intervals of several far forecasts, for each curve."""

    values: FloatArray
    """Shape (sizes, 2, curves): approximately the ends."""
    influence: FloatArray
    """How far each draw's probability is off the mixture's there: shape (sizes, 2, draws, curves, nodes)."""
    better: FloatArray
    """The ends after a step of Newton's method."""
    error: FloatArray
    """Standard error of the worst end relative to the width, shape (curves,), as if the nodes were independent."""


@dataclass(frozen=True)
class FarForecast:
    """Normal distributions cut to [0, 1]: locations (sizes, draws, curves, nodes), scales (sizes, curves, nodes).

    In single precision, for ends need to be known to a hundredth of their distance only; but sums are not, so that they
    do not depend on what else is computed along with a curve.
    """

    location: FloatArray
    scale: FloatArray
    rate: FloatArray
    """Of the logistic function that stands for the normal distribution."""
    below: FloatArray
    """Probability below 0 before the cut."""
    mass: FloatArray
    """Probability within [0, 1] before the cut."""

    @classmethod
    def of(cls, location: FloatArray, scale: FloatArray) -> FarForecast:
        """Distributions that have these means and standard deviations before the cut."""
        location = np.clip(location, -1e3, 1e3).astype(np.float32)
        scale = np.clip(scale, 1e-7, 1e3).astype(np.float32)
        rate = _STEEPNESS / scale[:, None]
        below = _logistic(-location * rate)
        return cls(location, scale, rate, below, np.maximum(_logistic((1 - location) * rate) - below, 1e-3))

    def joined(self, other: FarForecast) -> FarForecast:
        """With the draws of further nodes."""
        pairs = zip(self._arrays, other._arrays, strict=True)
        return FarForecast(*(np.concatenate(pair, axis=-1) for pair in pairs))

    def take(self, curves: NDArray[np.intp]) -> FarForecast:
        """For some of the curves."""
        return FarForecast(*(array[..., curves, :] for array in self._arrays))

    @property
    def _arrays(self) -> tuple[FloatArray, ...]:
        return self.location, self.scale, self.rate, self.below, self.mass

    def guess(self, weights: FloatArray) -> FloatArray:
        """Ends as if the mixture were normal, shape (sizes, 2, curves), for weights (draws, curves, nodes)."""
        mean = np.einsum("hkbn,kbn->hb", self.location, weights)
        spread = (self.location - mean[:, None, :, None]) ** 2 + self.scale[:, None] ** 2
        std = np.sqrt(np.einsum("hkbn,kbn->hb", spread, weights))
        return np.clip(np.stack([mean - 2 * std, mean + 2 * std], axis=1), 0.01, 0.99)

    def ends(self, weights: FloatArray, values: FloatArray) -> Ends:
        """Judge ends that are approximately known, and improve them.

        Parameters
        ----------
        weights
            Of the draws, shape (draws, curves, nodes); each curve's sum to 1.
        values
            The ends, shape (sizes, 2, curves).
        """
        weights = weights.astype(np.float32)
        z = values.astype(np.float32)[:, :, None, :, None] - self.location[:, None]
        z *= self.rate[:, None]
        cdf = _logistic(z)
        density = 1 - cdf
        density *= cdf
        density *= (weights * self.rate / self.mass)[:, None]
        slope = density.sum(axis=(2, 4), dtype=float)
        cdf -= self.below[:, None]
        cdf /= self.mass[:, None]
        found = np.multiply(cdf, weights, out=density).sum(axis=(2, 4), dtype=float)
        cdf -= found.astype(np.float32)[:, :, None, :, None]
        own = np.multiply(cdf, weights, out=density).sum(axis=2)
        width = np.maximum(values[:, 1] - values[:, 0], 1e-9)
        # Next to 0 or 1 the approximation may find no density at an end; a normal distribution has four times this.
        steep = np.maximum(slope, _LEAST_SLOPE / width[:, None])
        error = np.sqrt((own * own).sum(axis=-1, dtype=float)) / steep
        # In normal scores, where distribution functions are nearly straight.
        score = ndtri(np.clip(found, 1e-6, 1 - 1e-6))
        missing = ndtri(_LEVELS)[:, None] - score
        newton = values + missing * np.exp(-0.5 * score**2) / np.sqrt(2 * np.pi) / np.maximum(slope, 1e-9)
        better = np.clip(np.where(np.abs(missing) < 1, newton, self.guess(weights)), 1e-6, 1 - 1e-6)
        return Ends(values, cdf, better, (error / width[:, None]).max(axis=(0, 1)))


def _logistic(x: FloatArray) -> FloatArray:
    y = np.minimum(-x, 80.0)
    np.exp(y, out=y)
    y += 1
    return np.divide(1, y, out=y)
