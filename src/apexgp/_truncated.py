"""The normal distribution cut to [0, 1], elementwise over arrays.

`scipy.stats.truncnorm` has the same quantities, but takes longer to import than one of our fits takes to run.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

from ._check import FloatArray

# Farther outside [0, 1] the tail masses underflow. Seen from so many standard deviations away the distribution is
# an exponential that hugs the bound (scale: a thirtieth of a standard deviation), so a location beyond is held here.
_FARTHEST = 30.0


def _standardised(location: FloatArray, scale: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Location (kept within reach of [0, 1]) and the two bounds in standard deviations from it."""
    location = np.clip(location, -_FARTHEST * scale, 1 + _FARTHEST * scale)
    return location, -location / scale, (1 - location) / scale


def _normal_mass(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Standard normal mass of (lower, upper), computed in the tail where no digits are lost."""
    mirrored = lower + upper > 0
    mass: FloatArray = ndtr(np.where(mirrored, -lower, upper)) - ndtr(np.where(mirrored, -upper, lower))
    return mass


def mass_between(low: FloatArray, high: FloatArray, location: FloatArray, scale: FloatArray) -> FloatArray:
    """P(low < Y < high)."""
    location, alpha, beta = _standardised(location, scale)
    inside = _normal_mass(
        np.clip((low - location) / scale, alpha, beta), np.clip((high - location) / scale, alpha, beta)
    )
    share: FloatArray = np.clip(inside / _normal_mass(alpha, beta), 0.0, 1.0)
    return share


def pdf(y: FloatArray, location: FloatArray, scale: FloatArray) -> FloatArray:
    """Density of Y at y; 0 outside [0, 1]."""
    location, alpha, beta = _standardised(location, scale)
    height = np.exp(-0.5 * ((y - location) / scale) ** 2) / (scale * np.sqrt(2 * np.pi) * _normal_mass(alpha, beta))
    density: FloatArray = np.where((y >= 0) & (y <= 1), height, 0.0)
    return density


def quantile(p: FloatArray, location: FloatArray, scale: FloatArray) -> FloatArray:
    """Inverse of the cumulative distribution."""
    location, alpha, beta = _standardised(location, scale)
    # Work on the side where the window's masses are small, hence exact; mirror back at the end.
    mirrored = alpha + beta > 0
    lower, upper = np.where(mirrored, -beta, alpha), np.where(mirrored, -alpha, beta)
    below = ndtr(lower)
    z = ndtri(below + np.where(mirrored, 1 - p, p) * (ndtr(upper) - below))
    z = np.clip(z, lower, upper)
    value: FloatArray = np.clip(location + scale * np.where(mirrored, -z, z), 0.0, 1.0)
    return value


def mean_and_variance(location: FloatArray, scale: FloatArray) -> tuple[FloatArray, FloatArray]:
    """First two moments of Y."""
    location, alpha, beta = _standardised(location, scale)
    density: Callable[[FloatArray], FloatArray] = lambda z: np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)  # noqa: E731
    at_alpha, at_beta, mass = density(alpha), density(beta), _normal_mass(alpha, beta)
    shift = (at_alpha - at_beta) / mass
    variance = scale**2 * (1 + (alpha * at_alpha - beta * at_beta) / mass - shift**2)
    # A variable on [0, 1] has a variance of at most 1/4; rounding may leave that range in the far tail.
    return np.clip(location + scale * shift, 0.0, 1.0), np.clip(variance, 0.0, 0.25)
