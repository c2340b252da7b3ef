"""What pseudo-scores say of a curve: inner products of columns under the inverse of their covariance, at many nodes.

The covariance is that of the process f at the pilot sizes plus the noise of the pseudo-scores. Where f forgets its past
(the Ornstein-Uhlenbeck kernel) and noise is independent between sizes but for one common effect, a filter that walks
along the sizes does it in linear time, without a matrix. Otherwise there is a Cholesky factor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._check import FloatArray
from .nodes import log_determinant, log_product, solve_lower

__all__ = ["Products", "by_factor", "by_filter"]


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
