"""Covariances of the curve's departures from its mean, as functions of the distance of the logarithms of two sizes.

The paper's is a radial basis function, which is smooth: it carries a slope on beyond the pilot. That of Ornstein and
Uhlenbeck has no slope to carry on. Beyond the pilot it only reverts to the mean, so that a rising mean can be pulled
down by no more than what the curve stood above it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._check import FloatArray

__all__ = ["CORRELATIONS", "log_rbf", "log_rbf_slopes"]


def _radial(ratio: FloatArray) -> FloatArray:
    """exp(-r^2 / 2), in place: over many nodes the memory for each step would cost more than the step."""
    ratio *= ratio
    ratio *= -0.5
    return np.exp(ratio, out=ratio)


def _ornstein_uhlenbeck(ratio: FloatArray) -> FloatArray:
    """exp(-|r|), in place."""
    np.abs(ratio, out=ratio)
    np.negative(ratio, out=ratio)
    return np.exp(ratio, out=ratio)


CORRELATIONS: dict[str, Callable[[FloatArray], FloatArray]] = {"rbf": _radial, "ou": _ornstein_uhlenbeck}
"""Correlation by the name of the kernel, a function of r = (log x - log x') / lambda that may overwrite it."""


def log_rbf(distance: FloatArray, sigma: FloatArray, lam: FloatArray) -> FloatArray:
    """k(x, x') = sigma^2 exp(-(log x - log x')^2 / (2 lambda^2)), given the distance of the logarithms."""
    covariance = _radial(distance / lam)
    covariance *= sigma**2
    return covariance


def log_rbf_slopes(
    covariance: FloatArray, distance: FloatArray, sigma: FloatArray, lam: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Derivatives of `covariance`, as `log_rbf` gave it, by sigma and by lambda."""
    return 2 * covariance / sigma, covariance * distance**2 / lam**3
