"""How well the ends of far forecasts are known while nodes are still being looked for.

What is far off hangs on other nodes than the posterior's bulk: those with a large sigma, of which there are few. So
nodes are judged by what they do to the ends of intervals, and looked for where that is much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from .._check import FloatArray
from ..numerics.truncated_mixture import TruncatedMixture

__all__ = ["BEND", "LEAST_MASS", "LEAST_TOTAL", "Ends", "FarForecast", "Sums", "are_uneven"]

_LEVELS = np.array([0.025, 0.975])
_LEVEL_SCORES = ndtri(_LEVELS)
_LEAST_SLOPE = 0.06  # of the distribution function at an end, over the width of the interval
BEND = np.array([3.0, 0.392072721868877, -0.0556852705743289, 0.00505493874153855, -0.000183386362274174])
"""Up to this many standard deviations Phi(z) is 1/2 plus z times this polynomial of z^2, to 0.0023; beyond, 0 or 1."""
LEAST_MASS = 1e-3
LEAST_TOTAL = 1e-6
"""Of what lies beyond an end: about 0.02 usually does."""
_WELL_KNOWN = 1e-3  # square of the error of an end over that of the worst
_NEXT = 1e-6  # to 0 and 1, the nearest that an end may come
_FARTHEST = 1e3  # locations and standard deviations: beyond, nothing changes, and squares overflow


_HEAVIEST = 50  # nodes whose weights say how uneven all are
_UNEVEN = 0.6  # tail index of weights beyond which errors computed from them are too small (Vehtari et al. 2024: 0.7)


def are_uneven(weights: FloatArray) -> bool:
    """Whether a few nodes weigh so much that the variance of a weighted mean does not say how exact it is.

    By the tail index of Hill (1975): the mean logarithm of the heaviest over the next. Weights from a tail with an
    index above 1/2 have no variance, and nodes as heavy as those may not have been found.
    """
    heaviest = np.sort(np.partition(weights, -_HEAVIEST - 1)[-_HEAVIEST - 1 :]) if len(weights) > _HEAVIEST else weights
    least = max(float(heaviest.min()), 1e-300)
    return bool(np.log(np.maximum(heaviest, least) / least).sum() > _UNEVEN * _HEAVIEST)


class Ends(NamedTuple):
    """Of intervals of several far forecasts."""

    beyond: FloatArray
    """What of each draw's weight lies beyond each end more than the mixture's does: shape (sizes, 2, draws, nodes)."""
    total: FloatArray
    """Its sum over all draws, shape (sizes, 2)."""
    level: FloatArray
    """Probability beyond each end, shape (sizes, 2)."""
    better: FloatArray
    """The ends after a step of Newton's method, shape (sizes, 2)."""
    errors: FloatArray
    """Standard error of each end relative to the width, as if the nodes were independent: shape (sizes, 2)."""
    squares: FloatArray
    """As in `Sums`."""

    @property
    def error(self) -> float:
        """That of the worst."""
        return float(self.errors.max())

    def error_of(self, forecasts: TruncatedMixture, weights: FloatArray) -> float:
        """The largest standard error over all ends, relative to the width: at least one over the number of nodes.

        By the quantiles two standard errors of the probability away, not by the density at the end: where that is next
        to nothing, an end may lie anywhere between two parts of the distribution.

        Parameters
        ----------
        forecasts
            The mixture at all sizes.
        weights
            Of the nodes. Where they are uneven, no probability is known better than to the heaviest of them.
        """
        heaviest = float(weights.max()) if are_uneven(weights) else 0.0
        return end_error(forecasts, self.squares, heaviest, float(weights @ weights))

    def worth(self) -> FloatArray:
        """Factors by which what lies beyond ends counts: the more, the less an end is known, shape (sizes, 2).

        What lies beyond the lower ends then sums to 1, and so does what lies beyond the upper ones, unless they are
        known far better than the others: next to a bound nothing lies beyond, and rounding would tell where nodes go.
        """
        squares = self.errors**2
        whole = np.maximum(squares.sum(axis=0), _WELL_KNOWN * squares.max())
        worth: FloatArray = squares / (np.maximum(whole, 1e-300) * np.maximum(self.total, LEAST_TOTAL))
        return worth

    def blame(self) -> FloatArray:
        """Factors that turn squares of what nodes have beyond ends into what they add to the errors, shape (sizes, 2).

        Ends that are known less well than others count for more.
        """
        relative = self.errors / max(self.error, 1e-300)
        blame: FloatArray = relative**3 / np.maximum(self.squares, 1e-300)
        return blame


def end_error(forecasts: TruncatedMixture, squares: FloatArray, heaviest: float, least: float) -> float:
    """The largest standard error over all ends, relative to the width: see `Ends.error_of`."""
    error = np.maximum(np.sqrt(squares), heaviest)
    tail = _LEVELS[0]
    outer, inner = tail - np.minimum(2 * error, tail / 2), np.minimum(tail + 2 * error, 0.5)
    ends = np.broadcast_to(_LEVELS[:, None], (2, len(error)))
    below = np.array([outer[:, 0], inner[:, 0], 1 - inner[:, 1], 1 - outer[:, 1], *ends])
    lowest, low, high, highest, lower, upper = forecasts.quantile(below, 1 - below)
    widest = np.maximum(low - lowest, highest - high) / np.maximum(upper - lower, 1e-9)
    return max(0.25 * float(widest.max()), least)


class Sums(NamedTuple):
    """Weighted sums over the draws at approximate ends, for each size; all but the first two also for each end."""

    mean: FloatArray
    square: FloatArray
    """Of location and scale together."""
    slopes: FloatArray
    """Density at the ends."""
    found: FloatArray
    """Probability below them."""
    squares: FloatArray
    """Variance of that, as if the nodes were independent."""
    total: FloatArray
    """As in `Ends`."""

    def guess(self) -> FloatArray:
        """Ends as if the mixture were normal, shape (sizes, 2)."""
        std = np.sqrt(np.maximum(self.square - self.mean**2, 0.0))
        return np.clip(np.stack([self.mean - 2 * std, self.mean + 2 * std], axis=1), _NEXT, 1 - _NEXT)

    def judged(self, values: FloatArray, beyond: FloatArray) -> Ends:
        """Ends, given approximate ones and what lies beyond these."""
        width = np.maximum(values[:, 1] - values[:, 0], 1e-9)[:, None]
        # Next to 0 or 1 the approximation may find no density at an end; a normal distribution has four times this.
        slopes = np.maximum(self.slopes, _LEAST_SLOPE / width)
        errors = np.sqrt(self.squares) / (width * slopes)
        # In normal scores, where distribution functions are nearly straight.
        score = ndtri(np.clip(self.found, 1e-6, 1 - 1e-6))
        missing = _LEVEL_SCORES - score
        newton = values + missing * np.exp(-0.5 * score**2) / (np.sqrt(2 * np.pi) * slopes)
        near = np.abs(missing) < 1
        better = newton if near.all() else np.where(near, newton, self.guess())
        level = np.abs(self.found - np.array([0.0, 1.0]))
        return Ends(beyond, self.total, level, np.clip(better, _NEXT, 1 - _NEXT), errors, self.squares)


@dataclass(frozen=True)
class FarForecast:
    """Normal distributions cut to [0, 1]: arrays have the shape (sizes, draws, nodes).

    Ends need to be known to a hundredth of their distance only, so a polynomial stands for the normal distribution.
    """

    location: FloatArray
    variance: FloatArray

    def ends(self, weights: FloatArray, values: FloatArray | None) -> Ends:
        """Judge ends that are approximately known, and improve them.

        Parameters
        ----------
        weights
            Of the draws, shape (draws, nodes); they sum to 1.
        values
            The ends, shape (sizes, 2); None: to be guessed first.
        """
        location = np.clip(self.location, -_FARTHEST, _FARTHEST)
        variance = np.clip(self.variance, 1e-14, _FARTHEST**2)
        mean = np.einsum("hkn,kn->h", location, weights)
        square = np.einsum("hkn,kn->h", location**2 + variance, weights)
        if values is None:
            values = Sums(mean, square, *np.empty((4, len(mean), 2))).guess()
        location, rate = location[:, None], 1 / np.sqrt(variance)[:, None]
        below, _ = _nearly_normal(-location * rate)
        mass = np.maximum(_nearly_normal((1 - location) * rate)[0] - below, LEAST_MASS)
        cdf, slope = _nearly_normal((values[:, :, None, None] - location) * rate)
        slopes = np.einsum("hekn,kn->he", slope * (rate / mass), weights)
        cdf = (cdf - below) / mass
        found = np.einsum("hekn,kn->he", cdf, weights)
        influence = (cdf - found[:, :, None, None]) * weights
        own = influence.sum(axis=2)
        influence[:, 1] *= -1
        beyond = np.maximum(influence, 0, out=influence)
        squares = np.einsum("hen,hen->he", own, own)
        return Sums(mean, square, slopes, found, squares, beyond.sum(axis=(2, 3))).judged(values, beyond)


def _nearly_normal(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Phi(z) and its slope, nearly."""
    reach, *p = BEND.tolist()
    z = np.clip(z, -reach, reach)
    x = z * z
    slope = p[0] + x * (3 * p[1] + x * (5 * p[2] + x * (7 * p[3])))
    return 0.5 + z * (p[0] + x * (p[1] + x * (p[2] + x * p[3]))), slope
