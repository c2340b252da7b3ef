"""Small linear algebra and sampling over many nodes at once.

Arrays keep the curves and the nodes on their last two axes: a matrix for each is an array of shape (R, R, curves,
nodes). Loops run over R, which is small, so that each step works on long rows.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import qmc

from .._check import FloatArray
from .._truncated import CutNormal

__all__ = ["DEGREES", "cholesky", "cut_normal", "draw_scores", "sobol", "sobol_t", "solve_lower", "tempered_moments"]

DEGREES = 5.0
"""Degrees of freedom of the t distributions that propose nodes: tails heavier than the posterior's."""


def cholesky(matrix: FloatArray) -> FloatArray:
    """Lower factors of matrices (R, R, ...)."""
    size = matrix.shape[0]
    factor = np.zeros_like(matrix)
    for j in range(size):
        column = matrix[j:, j].copy()
        for k in range(j):
            column -= factor[j:, k] * factor[j, k]
        # Rounding may leave a pivot at or below zero where sizes nearly coincide.
        column[0] = np.sqrt(np.maximum(column[0], 1e-16))
        column[1:] /= column[0]
        factor[j:, j] = column
    return factor


def solve_lower(factor: FloatArray, right: FloatArray) -> FloatArray:
    """factor^-1 right, for right sides of shape (R, K, ...)."""
    solved = right.copy()
    for i in range(len(factor)):
        solved[i] /= factor[i, i]
        for k in range(i + 1, len(factor)):
            solved[k] -= factor[k, i] * solved[i]
    return solved


def cut_normal(u: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard normal cut to [low, high], at the quantiles u, and the logarithm of its mass (-inf if there is none)."""
    mirrored = low + high > 0
    a, b = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
    below, above = ndtr(a), ndtr(b)
    mass = above - below
    z = np.clip(ndtri(below + np.where(mirrored, 1 - u, u) * mass), a, np.maximum(a, b))
    with np.errstate(divide="ignore"):
        return np.where(mirrored, -z, z), np.log(np.maximum(mass, 0.0))


def draw_scores(location: FloatArray, covariance: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw a curve from each Gaussian, with scores cut to [0, 1]: locations (Q, N), covariances (Q, Q, N) -> (N, Q).

    Each score has the distribution that the cut gives it alone, and the curve the dependence that the Gaussian has.
    """
    diagonal = np.arange(len(location))
    scale = np.sqrt(covariance[diagonal, diagonal])
    correlation = covariance / (scale[:, None] * scale[None, :])
    correlation[diagonal, diagonal] = 1 + 1e-9  # close sizes make it singular to rounding
    normal = np.einsum("pqn,qn->pn", cholesky(correlation), rng.standard_normal(location.shape))
    return CutNormal(location, scale).quantile(ndtr(normal)).T


@lru_cache(maxsize=64)
def sobol(count: int, dimensions: int, seed: int) -> FloatArray:
    """Scrambled Sobol points in the unit cube, shape (dimensions, count)."""
    points = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(seed)).random(count)
    points = np.ascontiguousarray(np.clip(points, 1e-6, 1 - 1e-6).T)
    points.flags.writeable = False
    return points


@lru_cache(maxsize=64)
def sobol_t(count: int, dimensions: int, seed: int) -> FloatArray:
    """The same points as scores of Student's t."""
    scores: FloatArray = stdtrit(DEGREES, np.clip(sobol(count, dimensions, seed), 2e-4, 1 - 2e-4))
    scores.flags.writeable = False
    return scores


def tempered_moments(log_weights: FloatArray, z: FloatArray, least: float = 50.0) -> tuple[FloatArray, FloatArray]:
    """Mean (curves, D) and covariance (curves, D, D) of nodes z (D, curves, nodes) under weights^beta.

    beta is the largest power up to 1 that leaves an effective sample size of `least`: few nodes must not decide alone
    where the next ones go.
    """
    relative = np.maximum(log_weights - log_weights.max(axis=1, keepdims=True), -1e5)

    def weights(beta: FloatArray) -> FloatArray:
        w = np.exp(beta[:, None] * relative)
        return w / w.sum(axis=1, keepdims=True)

    low, high = np.zeros(len(relative)), np.ones(len(relative))
    w = weights(high)
    if (1 / (w**2).sum(axis=1) < least).any():
        beta = high  # first of all: who has enough already?
        for _ in range(20):
            enough = 1 / (weights(beta) ** 2).sum(axis=1) >= least
            low, high = np.where(enough, beta, low), np.where(enough, high, beta)
            beta = (low + high) / 2
        w = weights(low)
    mean = np.einsum("dbn,bn->bd", z, w)
    centred = z - mean.T[:, :, None]
    covariance = np.einsum("dbn,ebn->bde", centred * w, centred)
    return mean, covariance
