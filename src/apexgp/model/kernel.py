"""The covariance of the paper: a radial basis function of the logarithm of the size."""

from __future__ import annotations

import numpy as np

from .._check import FloatArray

__all__ = ["log_rbf", "log_rbf_slopes"]


def log_rbf(distance: FloatArray, sigma: FloatArray, lam: FloatArray) -> FloatArray:
    """k(x, x') = sigma^2 exp(-(log x - log x')^2 / (2 lambda^2)), given the distance of the logarithms."""
    covariance: FloatArray = distance / lam
    # In place: over many nodes the memory for each step would cost more than the step.
    covariance *= covariance
    covariance *= -0.5
    np.exp(covariance, out=covariance)
    covariance *= sigma**2
    return covariance


def log_rbf_slopes(
    covariance: FloatArray, distance: FloatArray, sigma: FloatArray, lam: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Derivatives of `covariance`, as `log_rbf` gave it, by sigma and by lambda."""
    return 2 * covariance / sigma, covariance * distance**2 / lam**3
