"""How well the ends of far forecasts are known while nodes are still being looked for.

What is far off hangs on other nodes than the posterior's bulk: those with a large sigma, of which there are few. So
nodes are judged by what they do to the ends of intervals, and looked for where that is much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from .._check import FloatArray
from ..numerics.truncated_mixture import TruncatedMixture
from .draws import Evaluated

__all__ = [
    "BEND",
    "LEAST_MASS",
    "Judgement",
    "Weighed",
    "are_uneven",
    "find_end_bounds",
    "find_end_error",
    "guess_ends",
    "judge",
    "weigh",
]

_LEVELS = np.array([0.025, 0.975])
_LEVEL_SCORES = ndtri(_LEVELS)
_LEAST_SLOPE = 0.06  # of the distribution function at an end, over the width of the interval
BEND = np.array([3.0, 0.392072721868877, -0.0556852705743289, 0.00505493874153855, -0.000183386362274174])
"""Up to this many standard deviations Phi(z) is 1/2 plus z times this polynomial of z^2, to 0.0023; beyond, 0 or 1."""
LEAST_MASS = 1e-3
_EVEN_SPREAD = 0.8
"""Standard error of the probability below an end over that of independent nodes, which Sobol points are not.

The median over 21 varied pilots and 48 seeds; three in four lie between 0.65 and 0.95.
"""
_NOTHING = 1e-9  # draws of less weight are left out: nearly all that the wide proposals make
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


class Weighed(NamedTuple):
    """Weights of draws, and what these draws say of far forecasts."""

    share: FloatArray
    """Weights that sum to 1, shape (draws, nodes)."""
    log_evidence: float
    effective_size: float
    """Effective number of nodes."""
    mean: FloatArray
    """Of the forecasts, shape (sizes,), and of their squares."""
    square: FloatArray
    slopes: FloatArray
    """Density at the approximate ends of 95 % intervals, shape (sizes, 2)."""
    found: FloatArray
    """Probability below them."""
    squares: FloatArray
    """Variance of that, as if the nodes were independent."""
    beyond: FloatArray
    """What of each draw's weight lies beyond each end more than the mixture's does: shape (sizes, 2, draws, nodes)."""


def weigh(at: Evaluated, proposed: FloatArray, worth: float, ends: FloatArray) -> Weighed:
    """Weigh draws by their densities over those `proposed`, and judge approximate ends (sizes, 2).

    A node that counts for less than others has a `proposed` that is larger by that. They are `worth` so many nodes that
    count in full.

    Ends need to be known to a hundredth of their distance only, so a polynomial stands for the normal distribution.
    """
    share, log_mass = _share(at, proposed)
    log_evidence = log_mass - float(np.log(worth * len(share)))
    location, variance, mean, square = _far(at, share)
    location, rate = location[:, None], 1 / np.sqrt(variance)[:, None]
    below, _ = _nearly_normal(-location * rate)
    mass = np.maximum(_nearly_normal((1 - location) * rate)[0] - below, LEAST_MASS)
    cdf, slope = _nearly_normal((ends[:, :, None, None] - location) * rate)
    slopes = np.einsum("hekn,kn->he", slope * (rate / mass), share)
    cdf = (cdf - below) / mass
    found = np.einsum("hekn,kn->he", cdf, share)
    influence = (cdf - found[:, :, None, None]) * share
    own = influence.sum(axis=2)
    influence[:, 1] *= -1
    beyond = np.maximum(influence, 0, out=influence)
    effective = 1 / float((share.sum(axis=0) ** 2).sum())
    squares = np.einsum("hen,hen->he", own, own)
    return Weighed(share, log_evidence, effective, mean, square, slopes, found, squares, beyond)


def guess_ends(at: Evaluated, proposed: FloatArray) -> FloatArray:
    """Ends of far intervals as if forecasts were normal, shape (sizes, 2)."""
    _, _, mean, square = _far(at, _share(at, proposed)[0])
    return _guess(mean, square)


def _share(at: Evaluated, proposed: FloatArray) -> tuple[FloatArray, float]:
    log_weights = at.log_weight - np.log(proposed)
    top = log_weights.max()
    share = np.exp(log_weights - top)
    whole = share.sum()
    share /= whole
    share[share <= _NOTHING] = 0.0
    return share, float(top + np.log(whole))


def _far(at: Evaluated, share: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Locations and variances of forecasts within bounds, and the means of these and of their squares."""
    location = np.clip(at.far_location, -_FARTHEST, _FARTHEST)
    variance = np.clip(at.far_variance, 1e-14, _FARTHEST**2)
    mean = np.einsum("hkn,kn->h", location, share)
    return location, variance, mean, np.einsum("hkn,kn->h", location**2 + variance, share)


def _nearly_normal(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Phi(z) and its slope, nearly."""
    reach, *p = BEND.tolist()
    z = np.clip(z, -reach, reach)
    x = z * z
    slope = p[0] + x * (3 * p[1] + x * (5 * p[2] + x * (7 * p[3])))
    return 0.5 + z * (p[0] + x * (p[1] + x * (p[2] + x * p[3]))), slope


def _guess(mean: FloatArray, square: FloatArray) -> FloatArray:
    """Ends as if the mixture were normal, shape (sizes, 2)."""
    std = np.sqrt(np.maximum(square - mean**2, 0.0))
    return np.clip(np.stack([mean - 2 * std, mean + 2 * std], axis=1), _NEXT, 1 - _NEXT)


class Judgement(NamedTuple):
    """How well the ends of far 95 % intervals are known."""

    ends: FloatArray
    """After a step of Newton's method, shape (sizes, 2)."""
    found: FloatArray
    """Probability below the ends before that step."""
    errors: FloatArray
    """Standard error of each end relative to the width, as if the nodes were independent: shape (sizes, 2)."""
    squares: FloatArray
    """Variance of the probability below each end."""
    total: FloatArray
    """What lies beyond each end more than there should: the sum over all draws, shape (sizes, 2)."""
    mean: FloatArray
    effective_size: float
    log_evidence: float

    @property
    def error(self) -> float:
        """That of the worst."""
        return float(self.errors.max())


def judge(weighed: Weighed, ends: FloatArray) -> Judgement:
    """Judge approximate ends (sizes, 2), and improve them."""
    width = np.maximum(ends[:, 1] - ends[:, 0], 1e-9)[:, None]
    # Next to 0 or 1 the approximation may find no density at an end; a normal distribution has four times this.
    slopes = np.maximum(weighed.slopes, _LEAST_SLOPE / width)
    # In normal scores, where distribution functions are nearly straight.
    score = ndtri(np.clip(weighed.found, 1e-6, 1 - 1e-6))
    missing = _LEVEL_SCORES - score
    newton = ends + missing * np.exp(-0.5 * score**2) / (np.sqrt(2 * np.pi) * slopes)
    better = np.where(np.abs(missing) < 1, newton, _guess(weighed.mean, weighed.square))
    return Judgement(
        np.clip(better, _NEXT, 1 - _NEXT),
        weighed.found,
        np.sqrt(weighed.squares) / (width * slopes),
        weighed.squares,
        weighed.beyond.sum(axis=(2, 3)),
        weighed.mean,
        weighed.effective_size,
        weighed.log_evidence,
    )


def find_end_bounds(forecasts: TruncatedMixture, squares: FloatArray, heaviest: float) -> FloatArray:
    """Find what the ends of far 95 % intervals may be, two standard errors of the probability below them either way.

    By quantiles, not by the density at the end: where that is next to nothing, an end may lie anywhere between two
    parts of the distribution.

    Parameters
    ----------
    forecasts
        The mixture at all sizes.
    squares
        Variances of the probabilities below the ends, as if nodes were independent, shape (sizes, 2).
    heaviest
        Weight of the heaviest node where weights are uneven, else 0: no probability is known better.

    Returns
    -------
    array of shape (3, 2, sizes)
        The outer bounds of the lower and the upper end, the inner ones, and the ends.
    """
    error = np.maximum(_EVEN_SPREAD * np.sqrt(squares), heaviest)
    tail = _LEVELS[0]
    outer, inner = tail - np.minimum(2 * error, tail / 2), np.minimum(tail + 2 * error, 0.5)
    ends = np.broadcast_to(_LEVELS[:, None], (2, len(error)))
    below = np.array([outer[:, 0], 1 - outer[:, 1], inner[:, 0], 1 - inner[:, 1], *ends])
    return forecasts.quantile(below, 1 - below).reshape(3, 2, -1)


def find_end_error(bounds: FloatArray, effective_size: float) -> float:
    """Find the largest standard error of the ends of far intervals, relative to their width.

    The bounds of the ends are those that `find_end_bounds` gives, on any scale of scores. No end is known better than
    to one over the effective number of nodes.
    """
    outer, inner, ends = bounds
    width = np.maximum(np.abs(ends[1] - ends[0]), 1e-9)
    return max(0.25 * float((np.abs(inner - outer) / width).max()), 1 / effective_size)
