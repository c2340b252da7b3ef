"""Student-t distributions that propose nodes: the first of them, and those that follow what has been found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, lgamma, log, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from .density import Density, Divide
from .ends import Judgement, Weighed
from .gaussian_algebra import cholesky
from .statistics import Statistics

__all__ = [
    "Fitting",
    "Proposals",
    "Wide",
    "degrees_of_freedom",
    "derivatives",
    "find_noise_mode",
    "fit_proposals",
    "normaliser",
    "stencil",
    "to_four_digits",
    "wide_proposals",
]

# Half of the degrees of freedom and the dimensions together: tails are a little heavier than the posterior's, which are
# those of a normal distribution at most.
_POWER = 16

# Curves that wake up late are few under the prior, and lie close together: what share of the wide nodes they have, and
# their sigma. The larger it is, the less does a curve need to explain.
LATE, STEADY = 0.35, -0.5

_DIGITS = 14  # binary ones, to which fitted proposals are rounded
_STEP = 1e-2  # of finite differences
_ARRIVED = 0.5  # what another Newton step would promise, in units of log density
_LONGEST, _MOST_STEPS = 2.0, 40  # length of a Newton step along any coordinate, and how many are taken

_NEXT_TO_NOTHING = 1e-12
_KNOWN = 1e-6  # what the posterior itself counts where all ends are known for certain
_LEAST_TOTAL = 1e-6  # of what lies beyond an end: about 0.02 usually does
_WELL_KNOWN = 1e-3  # square of the error of an end over that of the worst


class Fitting(NamedTuple):
    """How proposals are fitted to nodes."""

    for_posterior: float = 0.45
    """Share of the nodes for the posterior itself; the others are for what lies beyond the ends of far forecasts.

    Those hang on nodes with a large sigma, or with much still to be won, of which the posterior itself has few.
    """
    bulk: float = 0.1
    """Weight of the posterior itself in what a tail's proposal is fitted to."""
    in_parts: float = 0.7
    """Share of each that is fitted in two parts, where both have something to say."""
    least_part: float = 0.03
    straighter: float = 0.05
    """A fitted proposal is less tilted than the nodes that it was fitted to: they are few."""
    narrowest: float = 1e-12
    least_effective: float = 40.0
    least_share: float = 0.02
    """Of the nodes, for a proposal to be worth its while."""


def degrees_of_freedom(dimensions: int) -> int:
    """Of the t distributions: 24 in eight dimensions."""
    return 2 * _POWER - dimensions


@lru_cache
def normaliser(dimensions: int) -> float:
    """Density of a standard t vector at 0."""
    degrees = degrees_of_freedom(dimensions)
    return exp(lgamma(_POWER) - lgamma(degrees / 2) - 0.5 * dimensions * log(degrees * pi))


@dataclass(frozen=True)
class Proposals:
    """P multivariate t distributions in D dimensions, and how many nodes come from each."""

    counts: NDArray[np.int64]
    """Shape (P,)."""
    location: FloatArray
    """Shape (P, D)."""
    root: FloatArray
    """Lower roots of their spreads, shape (P, D, D)."""

    @classmethod
    def of(cls, location: FloatArray, root: FloatArray) -> Proposals:
        """No nodes yet."""
        return cls(np.zeros(len(location), np.int64), location, root)

    def counting(self, counts: NDArray[np.int64]) -> Proposals:
        """With other numbers of nodes."""
        return replace(self, counts=counts)

    def and_then(self, others: Proposals) -> Proposals:
        """These and others behind them."""
        return Proposals(
            np.concatenate([self.counts, others.counts]),
            np.concatenate([self.location, others.location]),
            np.concatenate([self.root, others.root]),
        )

    def nodes(self, t: FloatArray) -> FloatArray:
        """Coordinates (D, nodes) that belong to standard t vectors (D, nodes), in the order of the distributions."""
        source = np.repeat(np.arange(len(self.counts)), self.counts)
        return np.einsum("nde,en->dn", self.root[source], t) + self.location[source].T

    def density(self, z: FloatArray) -> FloatArray:
        """Of each at coordinates z (D, nodes), shape (P, nodes)."""
        dimensions = len(z)
        inverse = np.linalg.inv(self.root)
        standard = inverse @ z - np.einsum("pde,pe->pd", inverse, self.location)[:, :, None]
        distance = np.einsum("pdn,pdn->pn", standard, standard) / degrees_of_freedom(dimensions)
        top = normaliser(dimensions) / np.einsum("pdd->pd", self.root).prod(axis=1)
        density: FloatArray = top[:, None] * (1 + distance) ** -_POWER
        return density

    def mixed_density(self, z: FloatArray) -> FloatArray:
        """Density of the mixture of the proposals at coordinates z (D, nodes): shape (nodes,)."""
        return self.counts / self.counts.sum() @ self.density(z)


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
    late[names.index("sigma")] = STEADY
    late[divide.row] = (divide.above + divide.below) / 2
    late_root[divide.row, divide.row] = (divide.below - divide.above) / 3
    proposals = Proposals.of(np.stack([location, late]), np.stack([root, late_root]))
    return Wide(proposals, np.array([1 - LATE, LATE]))


def find_noise_mode(density: Density, of: Statistics, noise: list[int]) -> tuple[FloatArray, FloatArray]:
    """Where prior and replicates put the N coordinates of the noise: mode (N,), root of the inverse curvature (N, N).

    Many splits know the noise to a hundredth of what the prior does, too little for the prior's nodes to meet it.
    """
    count = len(noise)
    steps = _STEP * stencil(count)
    z = np.zeros((len(density.names), len(steps)))

    def log_posterior(mode: FloatArray) -> FloatArray:
        z[noise] = mode[:, None] + steps.T
        log_prior: FloatArray = -0.5 * np.einsum("dn,dn->n", z[noise], z[noise])
        return density.log_rest(z, of) + log_prior

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
    return np.round(mode, 4), to_four_digits(np.asarray(np.linalg.cholesky(covariance), np.float64))


def to_four_digits(values: FloatArray) -> FloatArray:
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


def fit_proposals(
    z: FloatArray, weighed: Weighed, judgement: Judgement, divide: Divide, by: Fitting
) -> tuple[Proposals, FloatArray]:
    """Fit proposals to the weighed nodes z (D, nodes), and find the share of nodes for each.

    The best density to draw from is in proportion to what a node adds to the errors of the ends. Proposals are fitted
    to the posterior and its tails, and moved towards that density by a step of the EM algorithm (Cappé et al. 2008).
    """
    targets, aim = _targets(weighed, judgement, by)
    # The worse its ends are known, the more nodes a tail gets.
    worst = judgement.errors.max(axis=0) + 1e-12  # both may be known for certain
    shares = np.array([by.for_posterior, *((1 - by.for_posterior) * worst / worst.sum())])
    rows, share = _wholes_and_parts(targets, shares, z, divide, by)
    proposals = _fitted(rows, z, by)
    # Which part of what is aimed at each proposal answers for.
    answered = share[:, None] * proposals.density(z)
    answered *= aim / np.maximum(answered.sum(axis=0), 1e-300)
    share = answered.sum(axis=1)
    # The others stay as they are.
    enough = share**2 >= by.least_effective * (answered**2).sum(axis=1)
    enough &= share > 0
    if enough.any():
        better = _fitted(answered[enough] / share[enough, None], z, by)
        proposals.location[enough], proposals.root[enough] = better.location, better.root
    share /= share.sum()
    share[share < by.least_share] = 0.0
    return proposals, share / share.sum()


def _targets(weighed: Weighed, judgement: Judgement, by: Fitting) -> tuple[FloatArray, FloatArray]:
    """What proposals are fitted to at first, shape (3, nodes), and at last, shape (nodes,); each sums to 1.

    At first these are the posterior, and what lies beyond lower and upper ends with a part of the posterior's own:
    where nothing lies beyond an end, it is all that they are fitted to. They would widen with every round otherwise.
    At last it is the root of what a node adds to the squared errors of the ends. Ends that are known less well than
    others count for more.
    """
    own, beyond = weighed.share.sum(axis=0), weighed.beyond.sum(axis=2)
    squares = judgement.errors**2
    # Next to a bound nothing lies beyond an end, and rounding would tell where nodes go.
    whole = np.maximum(np.maximum(squares.sum(axis=0), _WELL_KNOWN * squares.max()), 1e-300)
    worth = squares / (whole * np.maximum(judgement.total, _LEAST_TOTAL))
    relative = judgement.errors / max(judgement.error, 1e-300)
    blame = relative**3 / np.maximum(judgement.squares, 1e-300)
    level = np.abs(judgement.found - np.array([0.0, 1.0]))
    among = float((blame * level**2).sum()) + _KNOWN
    targets = np.stack([own, *(np.einsum("hen,he->en", beyond, worth) + by.bulk * own)])
    aim = np.sqrt(np.einsum("hen,he->n", beyond**2, blame) + among * own**2)
    targets /= targets.sum(axis=1)[:, None]
    return np.array([_evened(row, by.least_effective) for row in targets]), aim / aim.sum()


def _evened(weights: FloatArray, least_effective: float) -> FloatArray:
    """Weights to the power beta, the largest up to 1 that leaves enough effective nodes.

    Few must not decide alone where the next ones go.
    """
    if weights @ weights <= 1 / least_effective:
        return weights
    # What is next to nothing has no digits that a power could be trusted with.
    some = np.flatnonzero(weights > _NEXT_TO_NOTHING * weights.max())
    logs = np.log(weights[some] / weights.max())
    low, high = 0.0, 1.0
    for _ in range(7):
        beta = (low + high) / 2
        powers = np.exp(beta * logs)
        if powers.sum() ** 2 >= least_effective * (powers @ powers):
            low = beta
        else:
            high = beta
    evened = np.zeros_like(weights)
    evened[some] = np.exp(low * logs)
    return evened / evened.sum()


def _wholes_and_parts(
    targets: FloatArray, shares: FloatArray, z: FloatArray, divide: Divide, by: Fitting
) -> tuple[FloatArray, FloatArray]:
    """Targets, and the parts of them in either family that can be fitted to, with their shares of the nodes."""
    if divide.row < 0:
        return targets, shares
    rows, share = list(targets), list((1 - by.in_parts) * shares)
    second = z[divide.row] > divide.above
    for target, own in zip(targets, shares, strict=True):
        for part in (np.where(second, 0.0, target), np.where(second, target, 0.0)):
            mass = part.sum()
            if by.least_part < mass < 1 - by.least_part and mass**2 >= by.least_effective * (part @ part):
                rows.append(part / mass)
                share.append(by.in_parts * own * mass)
    return np.array(rows), np.array(share) / sum(share)


def _fitted(weights: FloatArray, z: FloatArray, by: Fitting) -> Proposals:
    """With the moments of the nodes z (D, nodes) under each of several weights (P, nodes), which sum to 1."""
    means = weights @ z.T
    around = [z - mean[:, None] for mean in means]  # differences of squares would lose digits
    covariances = np.array([(apart * own) @ apart.T for apart, own in zip(around, weights, strict=True)])
    diagonal = np.arange(len(z))
    covariances[:, diagonal, diagonal] *= 1 + by.straighter
    covariances[:, diagonal, diagonal] += by.narrowest
    roots = np.moveaxis(cholesky(np.moveaxis(covariances, 0, -1)), -1, 0)
    return Proposals.of(*_rounded(means, roots))


def _rounded(location: FloatArray, root: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Locations and roots to a few digits of the spread, so that last bits do not grow from round to round."""
    _, power = np.frexp(np.einsum("pdd->pd", root))
    unit = np.ldexp(1.0, power - _DIGITS)
    return np.rint(location / unit) * unit, np.rint(root / unit[:, :, None]) * unit[:, :, None]
