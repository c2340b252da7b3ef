"""Two curves at once: which of them is higher, when the noise of their scores may be shared.

Scores of two models on the same splits share training sets and test sets, so their noise is correlated, and the
difference of the curves is known better than two separate fits make it seem. Nodes are drawn from the separate
posteriors in pairs; importance weights and the Gaussian algebra then take the correlation into account.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from .._check import FloatArray
from .averaging import Average
from .nodes import cholesky, solve_lower

__all__ = ["Difference", "difference", "noise_of", "shared_correlation"]

_PAIRS = 4096


class Difference(NamedTuple):
    """f_A - f_B at some sizes: its mean, and the probability that it is above 0."""

    mean: FloatArray
    prob_positive: FloatArray


class _Drawn(NamedTuple):
    """Nodes drawn from one posterior by their weights; arrays end on the draws."""

    curve: FloatArray
    """Mean curve at the sizes."""
    half: FloatArray
    """Whitened covariances of f there with the pseudo-scores, (R, Q, draws)."""
    white: FloatArray
    """Whitened residuals of the pseudo-scores, (R, draws)."""
    factor: FloatArray
    root: FloatArray
    """Lower factor of the covariance of the pseudo-scores' noise."""
    variance: FloatArray
    """sigma^2."""


def noise_of(average: Average) -> FloatArray:
    """Posterior mean of the covariance of the pseudo-scores' noise, (R, R)."""
    total = 0.0
    for posterior in average.posteriors:
        known = posterior.pilot.sizes[:, None]
        n = posterior.nodes
        noise = np.einsum("ikn,jkn->ijn", n.factor, n.factor) - posterior.model.kernel(known, known, n.parameters)
        total = total + average.weights[posterior.model.mean.name] * (noise @ posterior.weights)
    return np.asarray(total)


def shared_correlation(first: FloatArray, second: FloatArray, noise: tuple[FloatArray, FloatArray]) -> float:
    """Correlation of the noise of two models over the splits that they share.

    Parameters
    ----------
    first, second
        Scores at the common sizes, shape (splits, sizes).
    noise
        For each model the covariance of a single split's scores at these sizes, up to a factor.

    Returns
    -------
    float
        Posterior mean under a flat prior on (-1, 1): near 0 where few splits say little.
    """
    a, b = (
        np.linalg.solve(np.linalg.cholesky(covariance), (scores - scores.mean(axis=0)).T)
        for scores, covariance in zip((first, second), noise, strict=True)
    )
    count = a.shape[0] * (a.shape[1] - 1)
    spread = np.sqrt((a * a).sum() * (b * b).sum())
    if count == 0 or spread == 0:
        return 0.0
    seen = (a * b).sum() / spread
    rho = np.linspace(-0.995, 0.995, 399)
    log_likelihood = -count * (0.5 * np.log1p(-(rho**2)) + (1 - rho * seen) / (1 - rho**2))
    weight = np.exp(log_likelihood - log_likelihood.max())
    return float((rho * weight).sum() / weight.sum())


def difference(
    first: Average,
    second: Average,
    sizes: FloatArray,
    correlation: float,
    common: tuple[NDArray[np.intp], NDArray[np.intp]],
    seed: int,
) -> Difference:
    """Distribution of f_A - f_B at the sizes.

    Parameters
    ----------
    first, second
        Posteriors of A and B.
    sizes
        Training-set sizes.
    correlation
        Of the noise of their pseudo-scores at common sizes: rho times the share of common splits.
    common
        Indices of the common sizes among those of A and of B.
    seed
        Seed of the pairs.
    """
    rng = np.random.default_rng(seed)
    a, b = (_draw(average, sizes, own, rng) for average, own in zip((first, second), common, strict=True))
    mean, variance = a.curve - b.curve, a.variance + b.variance
    # Given both curves' parameters the whitened residuals r are N(0, G), G = [[I, X], [X', I]].
    shared = len(common[0])
    left = solve_lower(a.factor, a.root[:, :shared])
    right = solve_lower(b.factor, b.root[:, :shared])
    cross = correlation * np.einsum("ikn,jkn->ijn", left, right)
    size_a, size_b = len(a.white), len(b.white)
    gram = np.zeros((size_a + size_b, size_a + size_b, _PAIRS))
    gram[np.arange(size_a + size_b), np.arange(size_a + size_b)] = 1.0
    gram[:size_a, size_a:], gram[size_a:, :size_a] = cross, cross.swapaxes(0, 1)
    root = cholesky(gram)
    residual = np.concatenate([a.white, b.white])
    reach = np.concatenate([a.half, -b.half])
    solved = solve_lower(root, np.concatenate([residual[:, None], reach], axis=1))
    whiter, reach = solved[:, 0], solved[:, 1:]
    mean = mean + np.einsum("rqn,rn->qn", reach, whiter)
    variance = np.maximum(variance - (reach**2).sum(axis=0), 1e-14)
    log_weight = 0.5 * ((residual**2).sum(axis=0) - (whiter**2).sum(axis=0))
    log_weight -= np.log(root[np.arange(len(root)), np.arange(len(root))]).sum(axis=0)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    return Difference(mean @ weight, ndtr(mean / np.sqrt(variance)) @ weight)


def _draw(average: Average, sizes: FloatArray, common: NDArray[np.intp], rng: np.random.Generator) -> _Drawn:
    """Draw nodes with evenly spread quantiles of their weights, in random order."""
    weights = np.concatenate([average.weights[p.model.mean.name] * p.weights for p in average.posteriors])
    levels = (np.arange(_PAIRS) + rng.random()) / _PAIRS
    chosen = np.minimum(np.searchsorted(np.cumsum(weights) / weights.sum(), levels), len(weights) - 1)
    parts, start = [], 0
    for posterior in average.posteriors:
        own = chosen[(chosen >= start) & (chosen < start + len(posterior.weights))] - start
        start += len(posterior.weights)
        if not own.size:
            continue
        some, known = posterior.some(own), posterior.pilot.sizes[:, None]
        n = some.nodes
        _, half = some.given_the_pilot(sizes[:, None])
        noise = np.einsum("ikn,jkn->ijn", n.factor, n.factor) - posterior.model.kernel(known, known, n.parameters)
        # Common sizes first: the noise at the others adds to what is shared, not the other way round.
        order = np.append(common, np.setdiff1d(np.arange(len(known)), common))
        root = cholesky(noise[np.ix_(order, order)])[np.argsort(order)]
        parts.append(_Drawn(some.curve(sizes[:, None]), half, n.white, n.factor, root, n.parameters["sigma"] ** 2))
    shuffle = rng.permutation(_PAIRS)
    return _Drawn(*(np.concatenate(arrays, axis=-1)[..., shuffle] for arrays in zip(*parts, strict=True)))
