"""Gaussian algebra over many nodes at once: factors, inner products under an inverse covariance, draws of scores.

Arrays keep the nodes on their last axes: a matrix for each is an array of shape (R, R, ..., nodes). Loops run over R,
which is small, so that each step works on long rows.

The likelihood needs inner products of columns over the pilot sizes under the inverse covariance of the pseudo-scores:
that of the process f plus their noise. Where f forgets its past (the Ornstein-Uhlenbeck kernel) and noise is
independent between sizes but for one common effect, a Kalman filter that walks along the sizes finds them in linear
time, without a matrix. Otherwise there is a Cholesky factor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from .._check import FloatArray
from ..numerics.truncated_normal import TruncatedNormal

__all__ = [
    "Products",
    "by_factor",
    "by_filter",
    "cholesky",
    "draw_scores",
    "log_determinant",
    "log_product",
    "solve_lower",
]

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


class Products(NamedTuple):
    """Of columns A = (a_1, a_2, ...) over the pilot sizes; C is the covariance of the pseudo-scores."""

    gram: FloatArray
    """A' C^-1 A, shape (columns, columns, ...)."""
    log_determinant: FloatArray
    """Half of log det C."""
    pulls: FloatArray
    """k' C^-1 A, where k holds covariances of f at some size with the pseudo-scores: shape (sizes, columns, ...)."""
    explained: FloatArray
    """k' C^-1 k: how much of the variance of f there the pseudo-scores explain, shape (sizes, ...)."""


def by_filter(
    columns: FloatArray,
    own: FloatArray,
    common: FloatArray | None,
    variance: FloatArray,
    kept: FloatArray,
    left: FloatArray,
) -> Products:
    """Products for the covariance kernel + diag(own) + common common', the kernel being Ornstein-Uhlenbeck's.

    Parameters
    ----------
    columns
        Shape (sizes, columns, ...).
    own, common
        Noise at each size, shape (sizes, ...).
    variance
        sigma^2.
    kept
        Correlation of f from each size to the next, shape (sizes - 1, ...).
    left
        Correlation of f at the largest size with f at those sizes beyond that forecasts are wanted for.
    """
    count = columns.shape[1]
    shape = (*columns.shape[:1], count + (common is not None), *columns.shape[2:])
    white = np.empty(shape)
    white[:, :count] = columns
    if common is not None:
        white[:, count] = common
    state, spread = np.zeros(shape[1:]), variance
    totals = np.empty_like(own)
    for r, row in enumerate(white):
        if r:
            state *= kept[r - 1]
            spread = variance - kept[r - 1] ** 2 * (variance - spread)
        total = np.add(spread, own[r], out=totals[r])
        gain = spread / total
        row -= state
        state += gain * row
        row /= np.sqrt(total)
        spread = gain * own[r]
    log_total = log_product(totals)
    gram = np.empty((shape[1], *shape[1:]))
    for i in range(shape[1]):
        for j in range(i, shape[1]):
            gram[i, j] = gram[j, i] = np.einsum("r...,r...->...", white[:, i], white[:, j])
    explained = variance - spread
    if common is not None:
        # Sherman and Morrison's formula.
        excess = 1 + gram[count, count]
        log_total += np.log(excess)
        lever = gram[count, :count] / excess
        gram = gram[:count, :count] - gram[:count, count][:, None] * lever
        explained = explained - state[count] ** 2 / excess
        state = state[:count] - state[count] * lever
    return Products(gram, 0.5 * log_total, left[:, None] * state, left**2 * explained)


def by_factor(columns: FloatArray, factor: FloatArray, reach: FloatArray) -> Products:
    """Products for the covariance with the given Cholesky factor.

    `reach` has the covariances k of f at the wanted sizes with the pseudo-scores, shape (pilot sizes, sizes, ...).
    """
    count = columns.shape[1]
    white = solve_lower(factor, np.concatenate([columns, reach], axis=1))
    columns, reach = white[:, :count], white[:, count:]
    return Products(
        np.einsum("ri...,rj...->ij...", columns, columns),
        log_determinant(factor),
        np.einsum("rh...,ri...->hi...", reach, columns),
        np.einsum("rh...,rh...->h...", reach, reach),
    )


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
