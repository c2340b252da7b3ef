"""Proposals that follow what has been found: one round's nodes say where the next one's should lie."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from .density import Divide
from .nodes import cholesky
from .pool import Weights
from .proposals import Proposals, degrees_of_freedom, normaliser

__all__ = ["adapted"]

# What proposals are fitted to at first, with these shares of the nodes: the posterior, and what lies beyond the lower
# and the upper ends of far forecasts. Those hang on nodes with a large sigma, or with much still to be won, of which
# the posterior itself has few.
_FOR_POSTERIOR, _FOR_TAILS = 0.45, 0.55
_BULK = 0.1  # weight of the posterior itself in what a tail's proposal is fitted to
# Each is fitted as a whole and, by this share, in two parts, where both have something to say.
_IN_PARTS, _LEAST_PART = 0.7, 0.03
_MOST_FITTED = 9
# A fitted proposal is less tilted than the nodes that it was fitted to: they are few.
_STRAIGHTER, _NARROWEST = 0.05, 1e-12
_LEAST_EFFECTIVE = 40.0
_NEXT_TO_NOTHING = 1e-12
_KNOWN = 1e-6  # what the posterior itself counts where all ends are known for certain


def adapted(weights: Weights, z: FloatArray, divide: Divide) -> tuple[Proposals, FloatArray]:
    """Proposals that suit what has been found at the first columns of z (D, room), and the share of nodes for each.

    The best density to draw from is in proportion to what a node adds to the errors of the ends. Proposals are fitted
    to the posterior and its tails, and moved towards that density by a step of the EM algorithm (Cappé et al. 2008).
    """
    targets = _targets(weights)
    _temper(targets[:3])
    # The worse its ends are known, the more nodes a tail gets.
    worst = weights.far.errors.max(axis=0) + 1e-12  # both may be known for certain
    shares = np.array([_FOR_POSTERIOR, *(_FOR_TAILS * worst / worst.sum())])
    nodes = targets.shape[1]
    loops = compiled_loops(nodes)
    if loops is None:
        return _adapted(targets, shares, z[:, :nodes], divide)
    return _adapted_by(loops, targets, shares, z, divide)


def _adapted_by(
    loops: Any, targets: FloatArray, shares: FloatArray, z: FloatArray, divide: Divide
) -> tuple[Proposals, FloatArray]:
    """The same by compiled loops."""
    dimensions, nodes = len(z), targets.shape[1]
    standard = (1 / sqrt(degrees_of_freedom(dimensions)), normaliser(dimensions))
    settings = np.array([_IN_PARTS, _LEAST_PART, _STRAIGHTER, _NARROWEST, _LEAST_EFFECTIVE, divide.above, *standard])
    answered, share = np.empty(_MOST_FITTED * nodes), np.empty(_MOST_FITTED)
    table = np.empty((_MOST_FITTED, Proposals.width(dimensions)))
    several = loops.adapt(z, targets, shares, settings, divide.row, answered, table, share)
    return Proposals(np.zeros(several, np.int64), table[:several]), share[:several]


def _adapted(targets: FloatArray, shares: FloatArray, z: FloatArray, divide: Divide) -> tuple[Proposals, FloatArray]:
    *first, aim = targets
    rows, share = _wholes_and_parts(np.array(first), shares, z, divide)
    proposals = _fitted(rows, z)
    # Which part of what is aimed at each proposal answers for.
    answered = share[:, None] * proposals.density(z)
    answered *= aim / np.maximum(answered.sum(axis=0), 1e-300)
    share = answered.sum(axis=1)
    # The others stay as they are.
    enough = share**2 >= _LEAST_EFFECTIVE * (answered**2).sum(axis=1)
    enough &= share > 0
    if enough.any():
        proposals.table[enough] = _fitted(answered[enough] / share[enough, None], z).table
    return proposals, share / share.sum()


def _wholes_and_parts(
    targets: FloatArray, shares: FloatArray, z: FloatArray, divide: Divide
) -> tuple[FloatArray, FloatArray]:
    """Targets, and the parts of them in either family that can be fitted to, with their shares of the nodes."""
    if divide.row < 0:
        return targets, shares
    rows, share = list(targets), list((1 - _IN_PARTS) * shares)
    second = z[divide.row] > divide.above
    for target, own in zip(targets, shares, strict=True):
        for part in (np.where(second, 0.0, target), np.where(second, target, 0.0)):
            mass = part.sum()
            if _LEAST_PART < mass < 1 - _LEAST_PART and mass**2 >= _LEAST_EFFECTIVE * (part @ part):
                rows.append(part / mass)
                share.append(_IN_PARTS * own * mass)
    return np.array(rows), np.array(share) / sum(share)


def _fitted(weights: FloatArray, z: FloatArray) -> Proposals:
    """With the moments of the nodes z (D, nodes) under each of several weights (P, nodes), which sum to 1."""
    means = weights @ z.T
    covariances = np.array([(z * own) @ z.T for own in weights]) - means[:, :, None] * means[:, None, :]
    diagonal = np.arange(len(z))
    covariances[:, diagonal, diagonal] *= 1 + _STRAIGHTER
    covariances[:, diagonal, diagonal] += _NARROWEST
    roots = np.moveaxis(cholesky(np.moveaxis(covariances, 0, -1)), -1, 0)
    return Proposals.of(means, roots)


def _targets(weights: Weights) -> FloatArray:
    """What proposals are fitted to, shape (4, nodes): three rows at first, the last one at last; each sums to 1.

    At first these are the posterior, and what lies beyond lower and upper ends with a part of the posterior's own:
    where nothing lies beyond an end, it is all that they are fitted to. They would widen with every round otherwise.
    At last it is the root of what a node adds to the squared errors of the ends.
    """
    share, ends, worth, blame = weights.share, weights.far, weights.far.worth(), weights.far.blame()
    nodes = share.shape[1]
    loops = compiled_loops(nodes)
    targets, among = np.empty((4, nodes)), float((blame * ends.level**2).sum()) + _KNOWN
    if loops is None:
        own, beyond = share.sum(axis=0), ends.beyond.sum(axis=2)
        targets[0] = own
        targets[1:3] = np.einsum("hen,he->en", beyond, worth) + _BULK * own
        targets[3] = np.sqrt(np.einsum("hen,he->n", beyond**2, blame) + among * own**2)
    else:
        loops.targets(share, ends.beyond, worth, blame, _BULK, among, targets)
    targets /= targets.sum(axis=1)[:, None]
    return targets


def _temper(shares: FloatArray) -> None:
    """Put shares (P, nodes) to the power beta, the largest up to 1 that leaves enough effective nodes.

    Few must not decide alone where the next ones go.
    """
    for row in np.flatnonzero(np.einsum("pn,pn->p", shares, shares) > 1 / _LEAST_EFFECTIVE).tolist():
        shares[row] = _evened(shares[row])


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
