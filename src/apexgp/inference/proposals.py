"""Student-t distributions that propose nodes, and the first of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, isqrt, lgamma, log, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from .density import Density
from .statistics import Statistics

__all__ = [
    "Proposals",
    "Wide",
    "degrees_of_freedom",
    "derivatives",
    "find_noise_mode",
    "normaliser",
    "stencil",
    "wide_proposals",
]

# Half of the degrees of freedom and the dimensions together: tails are a little heavier than the posterior's, which are
# those of a normal distribution at most, and a density costs four squarings.
_POWER = 16

# Curves that wake up late are few under the prior, and lie close together: what share of the wide nodes they have, and
# their sigma. The larger it is, the less does a curve need to explain.
_LATE, _STEADY = 0.35, -0.5

_STEP = 1e-2  # of finite differences
_ARRIVED = 0.5  # what another Newton step would promise, in units of log density
_LONGEST, _MOST_STEPS = 2.0, 40  # length of a Newton step along any coordinate, and how many are taken


def degrees_of_freedom(dimensions: int) -> int:
    """Of the t distributions: 24 in eight dimensions."""
    return 2 * _POWER - dimensions


@lru_cache
def normaliser(dimensions: int) -> float:
    """Density of a standard t vector at 0."""
    degrees = degrees_of_freedom(dimensions)
    return exp(lgamma(_POWER) - lgamma(degrees / 2) - 0.5 * dimensions * log(degrees * pi))


@dataclass(frozen=True, slots=True)
class Proposals:
    """P multivariate t distributions in D dimensions, and how many nodes come from each."""

    counts: NDArray[np.int64]
    """Shape (P,)."""
    table: FloatArray
    """A row for each, of `width(D)` numbers: location, root, inverse, centre and top."""

    @classmethod
    def of(cls, location: FloatArray, root: FloatArray) -> Proposals:
        """With locations (P, D) and lower roots of spreads (P, D, D), and no nodes yet."""
        several, dimensions = location.shape
        # Scaled so that a squared distance of 1 halves the base of the density's power.
        inverse = np.linalg.inv(root) / sqrt(degrees_of_freedom(dimensions))
        centre = np.einsum("pde,pe->pd", inverse, location)
        top = normaliser(dimensions) / np.einsum("pdd->pd", root).prod(axis=1)
        rows = [location, root.reshape(several, -1), inverse.reshape(several, -1), centre, top[:, None]]
        return cls(np.zeros(several, np.int64), np.concatenate(rows, axis=1))

    @staticmethod
    def width(dimensions: int) -> int:
        """Of the table."""
        return 2 * dimensions * (1 + dimensions) + 1

    def counting(self, counts: NDArray[np.int64]) -> Proposals:
        """With other numbers of nodes; those without any are left out."""
        used = counts > 0
        return Proposals(counts[used], self.table[used])

    def and_then(self, others: Proposals) -> Proposals:
        """These and others behind them."""
        return Proposals(np.concatenate([self.counts, others.counts]), np.concatenate([self.table, others.table]))

    @property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """Locations (P, D), roots and their scaled inverses (P, D, D), scaled locations (P, D) and densities there."""
        several, width = self.table.shape
        dimensions = isqrt(width // 2)
        square = dimensions**2
        ends = np.cumsum([dimensions, square, square, dimensions])
        location, root, inverse, centre, top = np.split(self.table, ends, axis=1)
        shape = (several, dimensions, dimensions)
        return location, root.reshape(shape), inverse.reshape(shape), centre, top[:, 0]

    def nodes(self, t: FloatArray) -> FloatArray:
        """Deviates (D, nodes) that belong to standard t vectors (D, nodes), in the order of the distributions."""
        location, root, *_ = self.parts
        source = np.repeat(np.arange(len(self.counts)), self.counts)
        return np.einsum("nde,en->dn", root[source], t) + location[source].T

    def place(self, t: FloatArray, z: FloatArray, start: int) -> None:
        """Put these deviates into the columns of z (D, room), from `start` on; there may be more vectors than nodes."""
        loops = compiled_loops()
        if loops is None:
            count = int(self.counts.sum())
            z[:, start : start + count] = self.nodes(t[:, :count])
        else:
            loops.place(t, self.table, self.counts, z, start)

    def density(self, z: FloatArray) -> FloatArray:
        """Of each at deviates z (D, nodes), shape (P, nodes)."""
        _, _, inverse, centre, top = self.parts
        standard = inverse @ z
        standard -= centre[:, :, None]
        density: FloatArray = np.einsum("pdn,pdn->pn", standard, standard)
        density += 1
        np.divide(1, density, out=density)
        for _ in range(4):
            density *= density
        density *= top[:, None]
        return density

    def add_density(self, sums: FloatArray, z: FloatArray, start: int, stop: int) -> None:
        """Add their densities, each times its number of nodes, at the columns from start to stop of z (D, room)."""
        loops = compiled_loops(stop - start)
        weights = self.counts.astype(float)
        if loops is None:
            sums[start:stop] += weights @ self.density(z[:, start:stop])
        else:
            loops.mixture_density(z, start, stop, self.table, weights, sums)


class Wide(NamedTuple):
    """Proposals that every round keeps to in part, in case the fitted ones missed something."""

    proposals: Proposals
    shares: FloatArray
    """Of such nodes, for each; they sum to 1."""

    def counting(self, nodes: int) -> Proposals:
        """The proposals with so many nodes in all."""
        counts = np.round(self.shares * nodes).astype(np.int64)
        counts[0] += nodes - counts.sum()
        return self.proposals.counting(counts)


def wide_proposals(density: Density, of: Statistics) -> Wide:
    """The first proposals: the prior, but the noise where the replicates put it, and its part that wakes up late."""
    names, divide = density.names, density.divide(of)
    noise = [i for i, name in enumerate(names) if not name.startswith(("sigma", "lam", "shape", "drop"))]
    mode, spread = find_noise_mode(density, of, noise)
    location, root = np.zeros(len(names)), np.eye(len(names))
    location[noise] = mode
    root[np.ix_(noise, noise)] = sqrt(2.0) * spread
    if divide.row < 0:
        return Wide(Proposals.of(location[None], root[None]), np.ones(1))
    late, late_root = location.copy(), root.copy()
    late[[names.index(f"shape{i}") for i in range(len(density.mean.steep))]] = density.mean.steep
    late[names.index("sigma")] = _STEADY
    late[divide.row] = (divide.above + divide.below) / 2
    late_root[divide.row, divide.row] = (divide.below - divide.above) / 3
    proposals = Proposals.of(np.stack([location, late]), np.stack([root, late_root]))
    return Wide(proposals, np.array([1 - _LATE, _LATE]))


def find_noise_mode(density: Density, of: Statistics, noise: list[int]) -> tuple[FloatArray, FloatArray]:
    """Where prior and replicates put the N coordinates of the noise: mode (N,), root of the inverse curvature (N, N).

    Many splits know the noise to a hundredth of what the prior does, too little for the prior's nodes to meet it.
    """
    count = len(noise)
    steps = _STEP * stencil(count)
    z = np.zeros((len(density.names), 8 * -(-len(steps) // 8)))  # loops take several nodes at a time

    def log_posterior(mode: FloatArray) -> FloatArray:
        at = mode[:, None] + steps.T
        z[noise, : len(steps)] = at
        return density.log_rest(z, of)[: len(steps)] - 0.5 * np.einsum("dn,dn->n", at, at)

    mode, step = np.zeros((2, count))
    covariance, reached = np.eye(count), -np.inf
    for _ in range(_MOST_STEPS):
        values = log_posterior(mode + step)
        if values[0] > reached:
            gradient, curvature = derivatives(values, count, _STEP)
            own, vectors = np.linalg.eigh(-curvature)
            # What the replicates say nothing about stays as wide as the prior. Where the density is not concave, the
            # size of its curvature still says how far to go, and the step still leads upwards.
            covariance = (vectors / np.maximum(np.abs(own), 1.0)) @ vectors.T
            mode, reached = mode + step, values[0]
            newton = covariance @ gradient
            if newton @ gradient <= _ARRIVED:
                break
            step = np.clip(newton, -_LONGEST, _LONGEST)
            if step @ gradient <= 0:  # cut so much that it leads downwards
                step = newton * _LONGEST / np.abs(newton).max()
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


@lru_cache
def stencil(count: int) -> FloatArray:
    """No step, unit steps along each axis, there and back, and along each pair of axes, there and back."""
    axes = np.eye(count)
    rows, columns = _pairs(count)
    pairs = axes[rows] + axes[columns]
    return np.concatenate([np.zeros((1, count)), axes, -axes, pairs, -pairs])


@lru_cache
def _pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of axes."""
    return np.tril_indices(count, -1)


def derivatives(values: FloatArray, count: int, step: float) -> tuple[FloatArray, FloatArray]:
    """Gradient (N,) and Hessian (N, N) from values (points,) on `step` times the stencil."""
    centre, there, back = values[0], values[1 : 1 + count], values[1 + count : 1 + 2 * count]
    gradient, own = (there - back) / (2 * step), (there + back - 2 * centre) / step**2
    hessian = np.diag(own)
    one_way, other_way = np.split(values[1 + 2 * count :], 2)
    both = (one_way + other_way - 2 * centre) / step**2
    rows, columns = _pairs(count)
    hessian[rows, columns] = 0.5 * (both - own[rows] - own[columns])
    hessian[columns, rows] = hessian[rows, columns]
    return gradient, hessian
