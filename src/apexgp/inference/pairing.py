"""Two curves at once: which of them is higher, when the noise of their scores may be shared.

Scores of two models on the same splits share training sets and test sets, so their noise is correlated, and the
difference of the curves is known better than two separate fits make it seem. Nodes are drawn from the separate
posteriors in pairs; importance weights and the Gaussian algebra then take the correlation into account.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from .._check import FloatArray
from .averaging import Average
from .bayes import Posterior
from .nodes import cholesky, solve_lower

__all__ = ["Difference", "difference", "noise_of", "shared_correlation"]

# Pairs are drawn by the block until enough of them count, and the predictions made for a block's worth of the best.
# Noise that is shared almost fully leaves too few that count. To use less of it is to be less sure, not wrong.
_BLOCK, _MOST_PAIRS = 4096, 16 * 4096
_ENOUGH = 500.0
_MOST_SHARED = 0.9


class Difference(NamedTuple):
    """f_A - f_B at some sizes: its mean, and the probability that it is above 0."""

    mean: FloatArray
    prob_positive: FloatArray


class _Nodes(NamedTuple):
    """Nodes of one posterior; arrays end on them."""

    white: FloatArray
    """Whitened residuals of the pseudo-scores."""
    shared: FloatArray
    """Whitened factor of the pseudo-scores' noise, as far as it may be shared."""
    variance: FloatArray
    """sigma^2."""


def noise_of(average: Average) -> FloatArray:
    """Posterior mean of the covariance of the pseudo-scores' noise, (R, R)."""
    parts = [average.weights[p.model.mean.name] * (_noise(p) @ p.weights) for p in average.posteriors]
    return np.asarray(sum(parts))


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
        Of the noise of their pseudo-scores at common sizes: rho times the share of common splits. It is used up to 0.9,
        and as far as enough pairs of nodes are compatible with it.
    common
        Indices of the common sizes among those of A and of B.
    seed
        Seed of the pairs.
    """
    rng = np.random.default_rng(seed)
    pools = [_Pool(average, own) for average, own in zip((first, second), common, strict=True)]
    pairs = np.empty((2, 0), np.intp)
    correlation = float(np.clip(correlation, -_MOST_SHARED, _MOST_SHARED))
    log_weights = np.empty(0)
    while True:
        new = np.stack([pool.draw(rng) for pool in pools])
        pairs = np.concatenate([pairs, new], axis=1)
        log_weights = np.append(log_weights, _log_weights(pools, new, correlation))
        weights = np.exp(log_weights - log_weights.max())
        effective = weights.sum() ** 2 / (weights**2).sum()
        if effective >= _ENOUGH:
            break
        if pairs.shape[1] >= _MOST_PAIRS:
            correlation *= 0.8
            pairs, log_weights = np.empty((2, 0), np.intp), np.empty(0)
    chosen = _evenly(weights, rng)
    i, j = pairs[:, chosen]
    a, b = pools[0].at(i), pools[1].at(j)
    root, _ = _jointly(a, b, correlation)
    (curve_a, reach_a), (curve_b, reach_b) = (p.predict(k, sizes) for p, k in ((pools[0], i), (pools[1], j)))
    residual = np.concatenate([a.white, b.white])
    reach = np.concatenate([reach_a, -reach_b])
    solved = solve_lower(root, np.concatenate([residual[:, None], reach], axis=1))
    mean = curve_a - curve_b + np.einsum("rqn,rn->qn", solved[:, 1:], solved[:, 0])
    variance = np.maximum(a.variance + b.variance - (solved[:, 1:] ** 2).sum(axis=0), 1e-14)
    return Difference(mean.mean(axis=1), ndtr(mean / np.sqrt(variance)).mean(axis=1))


def _jointly(a: _Nodes, b: _Nodes, correlation: float) -> tuple[FloatArray, FloatArray]:
    """Factor of the whitened residuals' joint covariance, and the logarithm of each pair's weight.

    Given the parameters of both curves the residuals r are N(0, G), G = [[I, X], [X', I]]; separate fits took G for I.
    """
    size_a, size_b = len(a.white), len(b.white)
    everything = np.arange(size_a + size_b)
    gram = np.zeros((size_a + size_b, size_a + size_b, a.white.shape[1]))
    gram[everything, everything] = 1.0
    cross = correlation * np.einsum("ikn,jkn->ijn", a.shared, b.shared)
    gram[:size_a, size_a:], gram[size_a:, :size_a] = cross, cross.swapaxes(0, 1)
    root = cholesky(gram)
    residual = np.concatenate([a.white, b.white])
    whiter = solve_lower(root, residual[:, None])[:, 0]
    log_weight = 0.5 * ((residual**2).sum(axis=0) - (whiter**2).sum(axis=0))
    return root, log_weight - np.log(root[everything, everything]).sum(axis=0)


def _log_weights(pools: Sequence[_Pool], pairs: NDArray[np.intp], correlation: float) -> FloatArray:
    return _jointly(pools[0].at(pairs[0]), pools[1].at(pairs[1]), correlation)[1]


def _evenly(weights: FloatArray, rng: np.random.Generator) -> NDArray[np.intp]:
    """Indices drawn by their weights, at evenly spread quantiles and in random order."""
    levels = (np.arange(_BLOCK) + rng.random()) / _BLOCK
    chosen = np.searchsorted(np.cumsum(weights) / weights.sum(), levels)
    return rng.permutation(np.minimum(chosen, len(weights) - 1))


class _Pool:
    """All nodes of one curve, whatever their mean, and what a comparison needs of them."""

    def __init__(self, average: Average, common: NDArray[np.intp]) -> None:
        self._posteriors = average.posteriors
        self._weights = np.concatenate([average.weights[p.model.mean.name] * p.weights for p in average.posteriors])
        parts = [_nodes_of(posterior, common) for posterior in average.posteriors]
        self._nodes = _Nodes(*(np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True)))

    def draw(self, rng: np.random.Generator) -> NDArray[np.intp]:
        return _evenly(self._weights, rng)

    def at(self, which: NDArray[np.intp]) -> _Nodes:
        return _Nodes(*(array[..., which] for array in self._nodes))

    def predict(self, which: NDArray[np.intp], sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean curve at the sizes, and whitened covariances of f there with the pseudo-scores."""
        curve = np.empty((len(sizes), len(which)))
        half = np.empty((len(self._nodes.white), len(sizes), len(which)))
        start = 0
        for posterior in self._posteriors:
            own = np.flatnonzero((which >= start) & (which < start + len(posterior.weights)))
            some = posterior.some(which[own] - start)
            curve[:, own] = some.curve(sizes[:, None])
            half[..., own] = some.given_the_pilot(sizes[:, None])[1]
            start += len(posterior.weights)
        return curve, half


def _nodes_of(posterior: Posterior, common: NDArray[np.intp]) -> _Nodes:
    n, known = posterior.nodes, posterior.pilot.sizes[:, None]
    noise = _noise(posterior)
    # Common sizes first: the noise at the others adds to what is shared, not the other way round.
    order = np.append(common, np.setdiff1d(np.arange(len(known)), common))
    root = cholesky(noise[np.ix_(order, order)])[np.argsort(order)]
    return _Nodes(n.white, solve_lower(n.factor, root[:, : len(common)]), n.parameters["sigma"] ** 2)


def _noise(posterior: Posterior) -> FloatArray:
    """Covariance of the pseudo-scores' noise at each node: what their covariance has beyond the kernel."""
    n, known = posterior.nodes, posterior.pilot.sizes[:, None]
    total: FloatArray = np.einsum("ikn,jkn->ijn", n.factor, n.factor)
    return total - posterior.model.kernel(known, known, n.parameters)
