"""Student-t distributions that propose nodes, and how they are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from .density import Density
from .statistics import Statistics

__all__ = ["Proposal", "add_mixture_density", "degrees_of_freedom", "fitted_proposals", "wide_proposal"]

# Half of the degrees of freedom and the dimensions together: tails are heavier than the posterior's, and a density
# costs three squarings.
_POWER = 8

# A fitted proposal is wider than the nodes that it was fitted to, and less tilted: they are few.
_WIDER, _STRAIGHTER = 1.0, 0.05
_LEAST_EFFECTIVE = 40.0
_NEXT_TO_NOTHING = 1e-12
_STEP = 1e-2  # of finite differences
_ARRIVED = 0.5  # what another Newton step would promise, in units of log density


def degrees_of_freedom(dimensions: int) -> int:
    """Of the t distributions: 8 in eight dimensions."""
    return 2 * _POWER - dimensions


class Whitening(NamedTuple):
    """What turns deviates into standard ones, and the density there."""

    inverse: FloatArray
    """Of the root."""
    centre: FloatArray
    """The location that it whitens."""
    top: float
    """Of the density."""


@dataclass(frozen=True)
class Proposal:
    """A multivariate t distribution: `root` is a lower root (D, D) of its spread."""

    location: FloatArray
    root: FloatArray

    def nodes(self, t: FloatArray) -> FloatArray:
        """Deviates (D, nodes) that belong to standard t vectors (D, nodes)."""
        nodes: FloatArray = self.root @ t
        nodes += self.location[:, None]
        return nodes

    @cached_property
    def whitening(self) -> Whitening:
        """What the density is computed with."""
        return _whitenings(self.location[None], self.root[None])[0]

    def density(self, z: FloatArray) -> FloatArray:
        """Density at deviates z (D, nodes)."""
        inverse, centre, top = self.whitening
        standard = inverse @ z
        standard -= centre[:, None]
        density: FloatArray = np.einsum("dn,dn->n", standard, standard)
        density += 1
        np.divide(1, density, out=density)
        for _ in range(3):
            density *= density
        density *= top
        return density


def add_mixture_density(
    sums: FloatArray, members: Sequence[Proposal], weights: Sequence[float], z: FloatArray, start: int, stop: int
) -> None:
    """Add the weighted sum of the members' densities at deviates z (D, room), of the columns from start to stop."""
    loops = compiled_loops(stop - start)
    if loops is None:
        some = z[:, start:stop]
        sums[start:stop] += np.array(weights) @ np.array([member.density(some) for member in members])
        return
    inverse, centre, tops = (np.array(values, float) for values in zip(*(m.whitening for m in members), strict=True))
    loops.mixture_density(z, start, stop, inverse, centre, tops, np.array(weights, float), sums)


def fitted_proposals(weights: FloatArray, z: FloatArray) -> list[Proposal]:
    """For each of several weights (P, nodes), a proposal with the moments of the nodes, a little wider.

    Nodes are the first columns of z (D, room).
    """
    means, covariances = _moments(_tempered(weights), z)
    diagonal = np.arange(len(z))
    widened = _WIDER * covariances
    widened[:, diagonal, diagonal] += _STRAIGHTER * covariances[:, diagonal, diagonal] + 1e-12
    roots = np.asarray(np.linalg.cholesky(widened), float)
    fitted = [Proposal(mean, root) for mean, root in zip(means, roots, strict=True)]
    for proposal, whitening in zip(fitted, _whitenings(means, roots), strict=True):
        vars(proposal)["whitening"] = whitening
    return fitted


def _whitenings(locations: FloatArray, roots: FloatArray) -> list[Whitening]:
    """Of several proposals at once."""
    dimensions = locations.shape[1]
    degrees = degrees_of_freedom(dimensions)
    # Scaled, so that a squared distance of 1 halves the base of the power.
    inverses = np.linalg.inv(sqrt(degrees) * roots)
    centres = np.einsum("pde,pe->pd", inverses, locations)
    constant = exp(lgamma(_POWER) - lgamma(degrees / 2) - 0.5 * dimensions * log(degrees * pi))
    tops = constant / np.einsum("pdd->pd", roots).prod(axis=1)
    return [Whitening(*values) for values in zip(inverses, centres, tops.tolist(), strict=True)]


def wide_proposal(density: Density, of: Statistics) -> Proposal:
    """The first proposal: the prior, but the noise where the replicates put it."""
    names = density.names
    noise = [i for i, name in enumerate(names) if not name.startswith(("sigma", "lam", "shape", "drop"))]
    mode, spread = _noise_mode(density, of, noise)
    location, root = np.zeros(len(names)), np.eye(len(names))
    location[noise] = mode
    root[np.ix_(noise, noise)] = sqrt(2.0) * spread
    return Proposal(location, root)


def _noise_mode(density: Density, of: Statistics, noise: list[int]) -> tuple[FloatArray, FloatArray]:
    """Where prior and replicates put the N coordinates of the noise: mode (N,), root of the inverse curvature (N, N).

    Many splits know the noise to a hundredth of what the prior does, too little for the prior's nodes to meet it.
    """
    count = len(noise)
    steps = _STEP * np.concatenate([np.zeros((1, count)), *_stencil(count)])
    z = np.zeros((len(density.names), 8 * -(-len(steps) // 8)))  # loops take several nodes at a time

    def log_posterior(mode: FloatArray) -> FloatArray:
        at = mode[:, None] + steps.T
        z[noise, : len(steps)] = at
        return density.log_rest(z, of)[: len(steps)] - 0.5 * np.einsum("dn,dn->n", at, at)

    mode, step = np.zeros((2, count))
    covariance, reached = np.eye(count), -np.inf
    for _ in range(20):
        values = log_posterior(mode + step)
        if values[0] > reached:
            gradient, curvature = _derivatives(values, count, _STEP)
            own, vectors = np.linalg.eigh(-curvature)
            # What the replicates say nothing about stays as wide as the prior.
            covariance = (vectors / np.maximum(own, 1.0)) @ vectors.T
            mode, reached = mode + step, values[0]
            step = np.clip(covariance @ gradient, -2.0, 2.0)
            if step @ gradient <= _ARRIVED:
                break
        else:
            step = 0.25 * step
            if (np.abs(step) < _STEP).all():
                break
    # Differences leave few digits: what is rounded does not hang on how they were computed.
    # (Not the covariance: rounding could leave it without a root.)
    return np.round(mode, 4), _rounded(np.asarray(np.linalg.cholesky(covariance), np.float64))


def _rounded(values: FloatArray) -> FloatArray:
    """To four significant digits."""
    unit = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(values), 1e-9))) - 3)
    rounded: FloatArray = np.round(values / unit) * unit
    return rounded


def _stencil(count: int) -> list[FloatArray]:
    """Steps along each axis, there and back, and along each pair of axes, there and back."""
    axes = np.eye(count)
    rows, columns = np.tril_indices(count, -1)
    pairs = axes[rows] + axes[columns]
    return [axes, -axes, pairs, -pairs]


def _derivatives(values: FloatArray, count: int, step: float) -> tuple[FloatArray, FloatArray]:
    """Gradient (N,) and Hessian (N, N) from values (points,) on the stencil."""
    centre, there, back = values[0], values[1 : 1 + count], values[1 + count : 1 + 2 * count]
    gradient, own = (there - back) / (2 * step), (there + back - 2 * centre) / step**2
    hessian = np.diag(own)
    one_way, other_way = np.split(values[1 + 2 * count :], 2)
    both = (one_way + other_way - 2 * centre) / step**2
    rows, columns = np.tril_indices(count, -1)
    hessian[rows, columns] = 0.5 * (both - own[rows] - own[columns])
    hessian[columns, rows] = hessian[rows, columns]
    return gradient, hessian


def _moments(weights: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means (P, D) and covariances (P, D, D) of the first columns of z (D, room) for weights (P, nodes)."""
    several, nodes = weights.shape
    loops = compiled_loops(nodes)
    if loops is None:
        some = z[:, :nodes]
        mean = weights @ some.T
        products = np.array([(some * own) @ some.T for own in weights])
    else:
        mean, products = np.empty((several, len(z))), np.empty((several, len(z), len(z)))
        loops.moments(z, weights, mean, products)
    return mean, products - mean[:, :, None] * mean[:, None, :]


def _tempered(weights: FloatArray) -> FloatArray:
    """Shares of weights^beta (P, nodes), where beta is the largest power up to 1 that leaves enough effective nodes.

    Few must not decide alone where the next ones go.
    """
    shares: FloatArray = weights / weights.sum(axis=1)[:, None]
    for row in np.flatnonzero(np.einsum("pn,pn->p", shares, shares) > 1 / _LEAST_EFFECTIVE).tolist():
        shares[row] = _evened(shares[row])
    return shares


def _evened(weights: FloatArray) -> FloatArray:
    # What is next to nothing has no digits that a power could be trusted with.
    some = np.flatnonzero(weights > _NEXT_TO_NOTHING * weights.max())
    logs = np.log(weights[some])
    logs -= logs.max()
    tempered = np.full(len(some), 1 / len(some))
    low, high = 0.0, 1.0
    for _ in range(7):
        beta = (low + high) / 2
        powers = np.exp(beta * logs)
        powers /= powers.sum()
        if 1 / (powers @ powers) >= _LEAST_EFFECTIVE:
            low, tempered = beta, powers
        else:
            high = beta
    evened = np.zeros_like(weights)
    evened[some] = tempered
    return evened
