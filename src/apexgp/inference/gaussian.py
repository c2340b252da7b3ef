"""Linear algebra of the Gaussian process, batched over parameter values."""

from __future__ import annotations

import numpy as np

from .._check import FloatArray

__all__ = ["condition", "log_likelihood"]


def log_likelihood(residual: FloatArray, covariance: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log N(residual | 0, covariance), and its derivatives by the residual and by the covariance.

    Shapes are (batch, R) and (batch, R, R).
    """
    root = np.linalg.cholesky(covariance)
    inverse = np.linalg.inv(covariance)
    weighted = (inverse @ residual[..., None])[..., 0]
    log_det = 2 * np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)
    fit = (residual * weighted).sum(axis=-1)
    value = -0.5 * (residual.shape[-1] * np.log(2 * np.pi) + log_det + fit)
    return value, -weighted, 0.5 * (weighted[..., :, None] * weighted[..., None, :] - inverse)


def condition(residual: FloatArray, covariance: FloatArray, cross: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Conditional mean of the process at new sizes, relative to the mean function, and H = L^-1 K_*.

    The covariance there is K_** - H'H.

    Parameters
    ----------
    residual
        y - m at the R pilot sizes.
    covariance
        K + tau^2 I = L L', shape (R, R).
    cross
        K_*, shape (R, Q).
    """
    root = np.linalg.cholesky(covariance)
    half = np.linalg.solve(root, cross)
    return half.T @ np.linalg.solve(root, residual), half
