"""Student-t distributions that propose nodes, for each of several curves, and how they are found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import lgamma, log, pi

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtri
from scipy.stats import qmc

from .._check import FloatArray
from .density import Density
from .statistics import Batch, pseudo_scores

__all__ = ["Proposal", "degrees_of_freedom", "fitted_proposal", "sobol", "standard_t", "wide_proposal"]

# Half of the degrees of freedom and the dimensions together: tails are heavier than the posterior's, and a density
# costs three squarings.
_POWER = 8

# A fitted proposal is wider than the nodes that it was fitted to, and less tilted: they are few.
_WIDER, _STRAIGHTER = 1.2, 0.05
_LEAST_EFFECTIVE = 40.0
_STEP = 1e-3  # of finite differences


def degrees_of_freedom(dimensions: int) -> int:
    """Of the t distributions: 9 in seven dimensions."""
    return 2 * _POWER - dimensions


@dataclass(frozen=True)
class Proposal:
    """A multivariate t distribution for each curve.

    `location` has the shape (curves, D), `root` is a lower root (curves, D, D) of its spread.
    """

    location: FloatArray
    root: FloatArray

    def nodes(self, t: FloatArray) -> FloatArray:
        """Deviates (curves, D, nodes) that belong to standard t vectors (D, nodes)."""
        nodes: FloatArray = self.root @ t
        nodes += self.location[:, :, None]
        return nodes

    @cached_property
    def _whitening(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Inverse root, the location that it whitens, and the density at the top."""
        dimensions = self.location.shape[1]
        degrees = degrees_of_freedom(dimensions)
        # Scaled, so that a squared distance of 1 halves the base of the power.
        inverse: FloatArray = np.linalg.inv(np.sqrt(degrees) * self.root)
        constant = lgamma(_POWER) - lgamma(degrees / 2) - 0.5 * dimensions * log(degrees * pi)
        top = np.exp(constant) / np.prod(np.diagonal(self.root, axis1=1, axis2=2), axis=1)
        return inverse, inverse @ self.location[:, :, None], top[:, None]

    def density(self, z: FloatArray) -> FloatArray:
        """Density at deviates z (curves, D, nodes), shape (curves, nodes)."""
        inverse, centre, top = self._whitening
        standard = inverse @ z
        standard -= centre
        density: FloatArray = np.einsum("bdn,bdn->bn", standard, standard)
        density += 1
        np.divide(1, density, out=density)
        for _ in range(3):
            density *= density
        density *= top
        return density

    def take(self, which: NDArray[np.intp]) -> Proposal:
        """For some of the curves."""
        return Proposal(self.location[which], self.root[which])


def fitted_proposal(log_weight: FloatArray, z: FloatArray) -> Proposal:
    """A proposal with the moments of weighted nodes z (curves, D, nodes), a little wider."""
    mean, covariance = _tempered_moments(log_weight, z)
    diagonal = np.arange(z.shape[1])
    widened = _WIDER * covariance
    widened[:, diagonal, diagonal] += _STRAIGHTER * covariance[:, diagonal, diagonal] + 1e-12
    root: FloatArray = np.linalg.cholesky(widened)  # type: ignore[assignment]
    return Proposal(mean, root)


def wide_proposal(density: Density, batch: Batch) -> Proposal:
    """The first proposal: the prior, but the noise where the replicates put it."""
    names = density.names
    noise = [i for i, name in enumerate(names) if not name.startswith(("sigma", "lam", "shape", "drop"))]
    location, covariance = _noise_mode(density, batch, noise)
    every = np.zeros((len(batch), len(names)))
    every[:, noise] = location.T
    root = np.broadcast_to(np.eye(len(names)), (len(batch), len(names), len(names))).copy()
    root[np.ix_(range(len(batch)), noise, noise)] = np.linalg.cholesky(2.0 * covariance)
    return Proposal(every, root)


def _noise_mode(density: Density, batch: Batch, noise: list[int]) -> tuple[FloatArray, FloatArray]:
    """Where prior and replicates put the coordinates of the noise: mode (N, curves) and inverse curvature there.

    Many splits know the noise to a hundredth of what the prior does, too little for the prior's nodes to meet it.
    """
    count = len(noise)
    steps = _STEP * np.concatenate([np.zeros((1, count)), *_stencil(count)])
    sizes = batch.sizes[:, :, None]

    def log_posterior(at: FloatArray) -> FloatArray:
        z = np.zeros((len(density.names), *at.shape[1:]))
        z[noise] = at
        parameters = density.parameters(z, batch)
        variance, carried = density.noise(parameters, sizes, sizes)
        return pseudo_scores(variance, carried, batch).log_rest - 0.5 * (at**2).sum(axis=0)

    mode, step = np.zeros((2, count, len(batch)))
    covariance = np.zeros((len(batch), count, count))
    reached = np.full(len(batch), -np.inf)
    for _ in range(20):
        values = log_posterior((mode + step)[:, :, None] + steps.T[:, None, :])
        gradient, curvature = _derivatives(values, count, _STEP)
        own, vectors = np.linalg.eigh(-curvature)
        # What the replicates say nothing about stays as wide as the prior.
        inverse = np.einsum("bij,bj,bkj->bik", vectors, 1 / np.maximum(own, 1.0), vectors)
        newton = np.clip(np.einsum("bij,bj->ib", inverse, gradient), -2.0, 2.0)
        # A curve that has arrived stays where it is, whatever those beside it do.
        newton *= np.einsum("ib,bi->b", newton, gradient) > 0.5
        higher = values[:, 0] > reached
        covariance = np.where(higher[:, None, None], inverse, covariance)
        mode, step = np.where(higher, mode + step, mode), np.where(higher, newton, 0.25 * step)
        reached = np.maximum(reached, values[:, 0])
        if (np.abs(step) < 1e-3).all():
            break
    return mode, covariance


def _stencil(count: int) -> list[FloatArray]:
    """Steps along each axis, there and back, and along each pair of axes, there and back."""
    axes = np.eye(count)
    rows, columns = np.tril_indices(count, -1)
    pairs = axes[rows] + axes[columns]
    return [axes, -axes, pairs, -pairs]


def _derivatives(values: FloatArray, count: int, step: float) -> tuple[FloatArray, FloatArray]:
    """Gradient (curves, N) and Hessian (curves, N, N) from values (curves, points) on the stencil."""
    centre, there, back = values[:, :1], values[:, 1 : 1 + count], values[:, 1 + count : 1 + 2 * count]
    gradient, own = (there - back) / (2 * step), (there + back - 2 * centre) / step**2
    hessian = own[:, :, None] * np.eye(count)
    mixed = values[:, 1 + 2 * count :]
    half = mixed.shape[1] // 2
    both = (mixed[:, :half] + mixed[:, half:] - 2 * centre) / step**2
    rows, columns = np.tril_indices(count, -1)
    hessian[:, rows, columns] = 0.5 * (both - own[:, rows] - own[:, columns])
    hessian[:, columns, rows] = hessian[:, rows, columns]
    return gradient, hessian


@lru_cache(maxsize=64)
def sobol(count: int, dimensions: int, seed: int, turn: int) -> FloatArray:
    """Scrambled Sobol points in the unit cube, shape (dimensions, count): other ones for each seed and turn."""
    points = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng([seed, turn])).random(count)
    points = np.ascontiguousarray(np.clip(points, 1e-6, 1 - 1e-6).T)
    points.flags.writeable = False
    return points


@lru_cache(maxsize=64)
def standard_t(count: int, dimensions: int, seed: int, turn: int) -> FloatArray:
    """The first of these points as standard t vectors, shape (dimensions - 3, count).

    One more coordinate is spent on their common scale; the last two are left for level and drop.
    """
    points = sobol(count, dimensions, seed, turn)
    # The last thousandth would lie where numbers overflow, and no weight is.
    half = 0.5 * degrees_of_freedom(dimensions - 3)
    scale = np.sqrt(half / gammaincinv(half, np.maximum(points[-3], 1e-3)))
    vectors: FloatArray = ndtri(points[:-3]) * scale
    vectors.flags.writeable = False
    return vectors


def _tempered_moments(log_weights: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean (curves, D) and covariance (curves, D, D) of nodes z (curves, D, nodes) under weights^beta.

    beta is the largest power up to 1 that leaves enough effective nodes: few must not decide alone where the next ones
    go.
    """
    relative = np.maximum(log_weights - log_weights.max(axis=1, keepdims=True), -1e5)

    def weights(beta: FloatArray) -> FloatArray:
        w = np.exp(beta[:, None] * relative)
        return w / w.sum(axis=1, keepdims=True)

    low, high = np.zeros(len(relative)), np.ones(len(relative))
    w = weights(high)
    if (1 / (w**2).sum(axis=1) < _LEAST_EFFECTIVE).any():
        beta = high  # first of all: who has enough already?
        for _ in range(8):
            enough = 1 / (weights(beta) ** 2).sum(axis=1) >= _LEAST_EFFECTIVE
            low, high = np.where(enough, beta, low), np.where(enough, high, beta)
            beta = (low + high) / 2
        w = weights(low)
    mean = (z @ w[:, :, None])[:, :, 0]
    centred = z - mean[:, :, None]
    covariance = (centred * w[:, None]) @ centred.swapaxes(1, 2)
    return mean, covariance
