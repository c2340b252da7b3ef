"""Small linear algebra over many nodes at once.

Arrays keep the curves and the nodes on their last two axes: a matrix for each is an array of shape (R, R, curves,
nodes). Loops run over R, which is small, so that each step works on long rows.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from .._check import FloatArray
from ..numerics.truncated_normal import TruncatedNormal

__all__ = ["cholesky", "draw_scores", "log_determinant", "log_product", "solve_lower"]

# The C library gives arrays above a threshold back to the system at once, and fresh pages cost more than the arithmetic
# on them. It raises the threshold (in glibc, to at most 32 MB) to the largest array that it has seen freed.
np.empty(31 * 2**17)

_LEAST_PRODUCT = 1e-300  # below, a product loses digits, and then all of them


def cholesky(matrix: FloatArray) -> FloatArray:
    """Lower factors of matrices (R, R, ...), of which only the lower triangles are read."""
    factor = np.zeros_like(matrix)
    for j in range(len(matrix)):
        column = factor[j:, j]
        if j:
            np.einsum("rk...,k...->r...", factor[j:, :j], factor[j, :j], out=column)
        np.subtract(matrix[j:, j], column, out=column)
        # Rounding may leave a pivot at or below zero where sizes nearly coincide.
        pivot = np.maximum(column[0], 1e-16, out=column[0])
        np.sqrt(pivot, out=pivot)
        column[1:] /= pivot
    return factor


def log_determinant(factor: FloatArray) -> FloatArray:
    """Sum of the logarithms of the diagonal: half of that of the factored matrix's determinant."""
    diagonal = np.arange(len(factor))
    logs: FloatArray = np.log(factor[diagonal, diagonal]).sum(axis=0)
    return logs


def solve_lower(factor: FloatArray, right: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """factor^-1 right, for right sides of shape (R, K, ...); `out` may be the right sides themselves."""
    solved = right.copy() if out is None else out
    for i in range(len(factor)):
        if i:
            solved[i] -= np.einsum("k...,kc...->c...", factor[i, :i], solved[:i])
        solved[i] /= factor[i, i]
    return solved


def log_product(values: FloatArray) -> FloatArray:
    """Sum of logarithms over the first axis: one for every eight numbers, whose product hardly ever underflows."""
    logs = np.zeros(values.shape[1:])
    for start in range(0, len(values), 8):
        eight = values[start : start + 8]
        with np.errstate(over="ignore", under="ignore"):
            product = np.multiply.reduce(eight, axis=0)
        beyond = (product < _LEAST_PRODUCT) | (product == np.inf)
        if beyond.any():
            logs[beyond] += np.log(eight[:, beyond]).sum(axis=0)
            product[beyond] = 1.0
        logs += np.log(product)
    return logs


def draw_scores(location: FloatArray, covariance: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw a curve from each Gaussian, with scores cut to [0, 1]: locations (Q, N), covariances (Q, Q, N) -> (N, Q).

    Each score has the distribution that the cut gives it alone, and the curve the dependence that the Gaussian has.
    """
    diagonal = np.arange(len(location))
    scale = np.sqrt(covariance[diagonal, diagonal])
    correlation = covariance / (scale[:, None] * scale[None, :])
    correlation[diagonal, diagonal] = 1 + 1e-9  # close sizes make it singular to rounding
    normal = np.einsum("pqn,qn->pn", cholesky(correlation), rng.standard_normal(location.shape))
    return TruncatedNormal(location, scale).quantile(ndtr(normal)).T
