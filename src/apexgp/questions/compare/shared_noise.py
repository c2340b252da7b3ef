"""Two curves at once: which of them is higher, when the noise of their scores may be shared.

Scores of two models on the same splits share training sets and test sets, so their noise is correlated, and the
difference of the curves is known better than two separate fits make it seem. Noise has two parts, the luck that a split
carries along its curve and what is left at each size; each may be shared to an extent of its own. Nodes are drawn from
the separate posteriors in pairs; importance weights and the Gaussian algebra then take the correlations into account.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from ..._check import FloatArray
from ...inference.bayes import AveragedPosterior
from ...inference.gaussian_algebra import cholesky, solve_lower
from ...inference.posterior import Posterior

__all__ = ["Difference", "SharedNoise", "average_noise", "estimate_correlations", "find_difference"]

# Pairs are drawn by the block until enough of them count, and the predictions made for a block's worth of the best.
# Noise that is shared almost fully leaves too few that count. To use less of it is to be less sure, not wrong.
_BLOCK, _MOST_PAIRS = 4096, 16 * 4096
_ENOUGH = 400.0
_LESS = 0.9


class SharedNoise(NamedTuple):
    """How the noise of two models' mean scores is correlated.

    Mean scores over splits have the noise sqrt(v / S) e + (c / sqrt(S)) b at each size, where v and c belong to a
    node. Between the models b is correlated by `carried` times `share`, and e, at common sizes, by `single` times
    `share`.
    """

    common: tuple[NDArray[np.intp], NDArray[np.intp]]
    """Indices of the common sizes among those of each model."""
    share: float
    """Shared splits over the geometric mean of both models' splits."""
    single: float
    carried: float


class Difference(NamedTuple):
    """f_A - f_B at some sizes: its mean, and the probability that it is above 0."""

    mean: FloatArray
    prob_positive: FloatArray


class _Nodes(NamedTuple):
    """Nodes of one posterior; arrays end on them."""

    white: FloatArray
    """Whitened residuals of the pseudo-scores."""
    single: FloatArray
    """sqrt(v / S) at the common sizes, whitened: one column each."""
    carried: FloatArray
    """c / sqrt(S), whitened."""
    variance: FloatArray
    """sigma^2."""


def average_noise(average: AveragedPosterior) -> tuple[FloatArray, FloatArray]:
    """Average v and c over the posterior: variance of a score around its split's curve, and what a split carries."""
    parts = [
        average.weights[p.density.mean.name] * np.stack([p.known.variance, p.known.carried]) @ p.weights
        for p in average.posteriors
    ]
    single, carried = np.sum(parts, axis=0)
    return single, carried


def estimate_correlations(
    first: FloatArray, second: FloatArray, noise: Sequence[tuple[FloatArray, FloatArray]]
) -> tuple[float, float]:
    """Estimate correlations of the noise of two models over the splits that they share: of single scores, and carried.

    Parameters
    ----------
    first, second
        Scores at the common sizes, shape (splits, sizes).
    noise
        For each model v and c at these sizes, up to a factor.

    Returns
    -------
    tuple of float
        Posterior means under flat priors on (-1, 1): near 0 where few splits say little.
    """
    freedom, size = len(first) - 1, first.shape[1]
    residuals = []
    for scores, (v, c) in zip((first, second), noise, strict=True):
        centred = scores - scores.mean(axis=0)
        weighted = np.linalg.solve(np.diag(v) + np.outer(c, c), centred.T)
        scale = np.sqrt((centred.T * weighted).sum() / max(freedom * size, 1))
        if freedom == 0 or scale == 0:
            return 0.0, 0.0
        residuals.append(centred / scale)
    together = np.hstack(residuals)
    scatter = together.T @ together
    (va, ca), (vb, cb) = noise
    grid = np.tanh(np.linspace(-3, 3, 41))  # denser towards 1, where small steps matter
    joint = np.empty((len(grid), 2 * size, 2 * size))
    joint[:, :size, :size], joint[:, size:, size:] = np.diag(va) + np.outer(ca, ca), np.diag(vb) + np.outer(cb, cb)
    log_likelihood = np.empty((len(grid), len(grid)))
    for row, single in enumerate(grid):
        cross = single * np.diag(np.sqrt(va * vb)) + grid[:, None, None] * np.outer(ca, cb)
        joint[:, :size, size:], joint[:, size:, :size] = cross, cross.swapaxes(1, 2)
        fit = np.trace(np.linalg.solve(joint, scatter[None]), axis1=1, axis2=2)
        log_likelihood[row] = -0.5 * (freedom * np.linalg.slogdet(joint)[1] + fit)
    flat = 1 - grid**2  # of the grid's points, so that the prior is
    weight = np.exp(log_likelihood - log_likelihood.max()) * np.outer(flat, flat)
    weight /= weight.sum()
    return float(grid @ weight.sum(axis=1)), float(grid @ weight.sum(axis=0))


def find_difference(
    first: AveragedPosterior, second: AveragedPosterior, sizes: FloatArray, shared: SharedNoise, seed: int
) -> Difference:
    """Find the distribution of f_A - f_B at the sizes, given the posteriors of A and B.

    Shared noise is used as far as enough pairs of nodes are compatible with it.
    """
    rng = np.random.default_rng(seed)
    # The residuals of both are correlated, so that levels must be numbers.
    pools = [_Pool(average.drawn(rng), own) for average, own in zip((first, second), shared.common, strict=True)]
    pairs, log_weights = np.empty((2, 0), np.intp), np.empty(0)
    while True:
        new = np.stack([pool.draw(rng) for pool in pools])
        pairs = np.concatenate([pairs, new], axis=1)
        log_weights = np.append(log_weights, _log_weights(pools, new, shared))
        weights = np.exp(log_weights - log_weights.max())
        effective = weights.sum() ** 2 / (weights**2).sum()
        if effective >= _ENOUGH:
            break
        if pairs.shape[1] >= _MOST_PAIRS:
            shared = shared._replace(share=_LESS * shared.share)
            pairs, log_weights = np.empty((2, 0), np.intp), np.empty(0)
    chosen = _evenly(weights, rng)
    i, j = pairs[:, chosen]
    a, b = pools[0].at(i), pools[1].at(j)
    root, _ = _jointly(a, b, shared)
    (curve_a, reach_a), (curve_b, reach_b) = (p.predict(k, sizes) for p, k in ((pools[0], i), (pools[1], j)))
    residual = np.concatenate([a.white, b.white])
    reach = np.concatenate([reach_a, -reach_b])
    solved = solve_lower(root, np.concatenate([residual[:, None], reach], axis=1))
    mean = curve_a - curve_b + np.einsum("rqn,rn->qn", solved[:, 1:], solved[:, 0])
    variance = np.maximum(a.variance + b.variance - (solved[:, 1:] ** 2).sum(axis=0), 1e-14)
    return Difference(mean.mean(axis=1), ndtr(mean / np.sqrt(variance)).mean(axis=1))


def _jointly(a: _Nodes, b: _Nodes, shared: SharedNoise) -> tuple[FloatArray, FloatArray]:
    """Factor of the whitened residuals' joint covariance, and the logarithm of each pair's weight.

    Given the parameters of both curves the residuals r are N(0, G), G = [[I, X], [X', I]]; separate fits took G for I.
    """
    size_a, size_b = len(a.white), len(b.white)
    everything = np.arange(size_a + size_b)
    gram = np.zeros((size_a + size_b, size_a + size_b, a.white.shape[1]))
    gram[everything, everything] = 1.0
    cross = shared.single * np.einsum("ikn,jkn->ijn", a.single, b.single)
    cross += shared.carried * a.carried[:, None] * b.carried[None, :]
    cross *= shared.share
    gram[:size_a, size_a:], gram[size_a:, :size_a] = cross, cross.swapaxes(0, 1)
    root = cholesky(gram)
    residual = np.concatenate([a.white, b.white])
    whiter = solve_lower(root, residual[:, None])[:, 0]
    log_weight = 0.5 * ((residual**2).sum(axis=0) - (whiter**2).sum(axis=0))
    return root, log_weight - np.log(root[everything, everything]).sum(axis=0)


def _log_weights(pools: Sequence[_Pool], pairs: NDArray[np.intp], shared: SharedNoise) -> FloatArray:
    return _jointly(pools[0].at(pairs[0]), pools[1].at(pairs[1]), shared)[1]


def _evenly(weights: FloatArray, rng: np.random.Generator) -> NDArray[np.intp]:
    """Indices drawn by their weights, at evenly spread quantiles and in random order."""
    levels = (np.arange(_BLOCK) + rng.random()) / _BLOCK
    chosen = np.searchsorted(np.cumsum(weights) / weights.sum(), levels)
    return rng.permutation(np.minimum(chosen, len(weights) - 1))


class _Pool:
    """All nodes of one curve, whatever their mean, and what a comparison needs of them."""

    def __init__(self, average: AveragedPosterior, common: NDArray[np.intp]) -> None:
        self._posteriors = average.posteriors
        self._weights = average.node_weights
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
    n = posterior.known
    # Where only means counted, the noise is that of a mean already.
    splits = sum(p.count for p in posterior.statistics.patterns) if posterior.density.beliefs.uses_replicates else 1
    single = np.zeros((len(n.variance), len(common), n.variance.shape[1]))
    single[common, np.arange(len(common))] = np.sqrt(n.variance[common] / splits)
    both = np.concatenate([single, n.carried[:, None] / np.sqrt(splits)], axis=1)
    white = solve_lower(n.factor, both)
    return _Nodes(n.white, white[:, :-1], white[:, -1], posterior.nodes.parameters["sigma"] ** 2)
