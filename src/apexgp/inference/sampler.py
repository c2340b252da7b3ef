"""Integration over weighted nodes: adaptive importance sampling from a density that is known up to a constant.

Nodes come from scrambled Sobol points, pushed first through a wide proposal, then through one that was fitted to the
weights so far; importance weights correct for the difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, stdtrit
from scipy.stats import qmc

from .._check import FloatArray
from .density import Density, Nodes
from .posterior import Posterior
from .statistics import Batch, Statistics

__all__ = ["ENOUGH", "integrate"]

_LOG_2PI = np.log(2 * np.pi)
_DEGREES = 5.0  # of freedom of the t distributions that propose nodes: tails heavier than the posterior's
_T_CONSTANT = gammaln((_DEGREES + 1) / 2) - gammaln(_DEGREES / 2) - 0.5 * np.log(_DEGREES * np.pi)

# Nodes of the rounds that fit the proposal, of the round that counts, and of those that are added where its effective
# size is too small.
_ADAPTING, _COUNTING, _ADDED = (512, 512), 1024, (2048, 2048, 4096, 4096)
ENOUGH = 200.0
"""Effective number of nodes that is aimed at: quantiles then move by a few hundredths of the spread with the seed."""
_ADAPTED_SHARE = 0.8  # of the nodes; the others keep to the wide proposal, in case the fitted one missed something


@dataclass(frozen=True)
class Proposal:
    """A Student-t distribution for each curve: location (D, curves), and a lower root (curves, D, D) of its spread."""

    location: FloatArray
    root: FloatArray

    def nodes(self, t: FloatArray) -> FloatArray:
        """Deviates (D, curves, nodes) that belong to independent t variables (D, nodes)."""
        return self.location[:, :, None] + np.einsum("bde,en->dbn", self.root, t)

    def log_density(self, z: FloatArray) -> FloatArray:
        """Logarithm of the density at deviates z, shape (curves, nodes)."""
        standard = np.einsum("bde,ebn->dbn", np.linalg.inv(self.root), z - self.location[:, :, None])
        log_t = (_T_CONSTANT - (_DEGREES + 1) / 2 * np.log1p(standard**2 / _DEGREES)).sum(axis=0)
        return log_t - np.log(np.diagonal(self.root, axis1=1, axis2=2)).sum(axis=1)[:, None]

    def take(self, which: NDArray[np.intp]) -> Proposal:
        """For some of the curves."""
        return Proposal(self.location[:, which], self.root[which])


def integrate(density: Density, batch: Batch, seed: int) -> list[Posterior]:
    """Posterior of each curve."""
    dimensions = len(density.names)
    wide = _wide_proposal(density, batch)
    found: dict[int, Posterior] = {}
    where = np.arange(len(batch))
    z, log_weight = np.empty(0), np.empty(0)
    for turn, count in enumerate((*_ADAPTING, _COUNTING, *_ADDED)):
        u, t = _sobol(count, dimensions + 3, seed + turn), _sobol_t(count, dimensions + 3, seed + turn)
        if turn == 0:
            z = wide.nodes(t[:dimensions])
            log_proposal = wide.log_density(z)
        else:
            fitted = _fitted_proposal(log_weight, z)
            adapted = u[dimensions + 2] < _ADAPTED_SHARE
            z = np.where(adapted, fitted.nodes(t[:dimensions]), wide.nodes(t[:dimensions]))
            log_proposal = np.logaddexp(
                np.log(_ADAPTED_SHARE) + fitted.log_density(z), np.log(1 - _ADAPTED_SHARE) + wide.log_density(z)
            )
        log_weight, nodes = density.evaluate(z, u[dimensions : dimensions + 2], batch)
        log_weight = log_weight - 0.5 * (z**2).sum(axis=0) - 0.5 * dimensions * _LOG_2PI - log_proposal
        if turn < len(_ADAPTING):
            continue
        again = []
        for i, curve in enumerate(where.tolist()):
            candidate = _posterior(density, batch.members[i], nodes, i, log_weight[i])
            if curve not in found or candidate.effective_size > found[curve].effective_size:
                found[curve] = candidate
            if found[curve].effective_size < ENOUGH:
                again.append(i)
        if not again:
            break
        if len(again) < len(where):
            keep = np.array(again)
            where, batch, z, log_weight = where[keep], batch.take(keep), z[:, keep], log_weight[keep]
            wide = wide.take(keep)
    return [found[curve] for curve in sorted(found)]


def _wide_proposal(density: Density, batch: Batch) -> Proposal:
    """The first proposal: the prior, but the noise where the replicates put it."""
    location = np.zeros((len(density.names), len(batch)))
    scale = np.ones_like(location)
    deviates = np.linspace(-6, 6, 241)
    logs = np.log(np.maximum(density.beliefs.tau_e.from_normal(deviates), 1e-12))
    for i, statistics in enumerate(batch.members):
        variance, freedom = statistics.residual
        if freedom > 0:
            # The prior counts as much as 1 / (2 slope^2) further degrees of freedom.
            slope = (logs[160] - logs[80]) / (deviates[160] - deviates[80])
            own = 0.5 / slope**2
            estimate = 0.5 * np.log(variance + 0.1 * density.beliefs.resolution**2 / freedom + 1e-12)
            target = (freedom * estimate + own * logs[120]) / (freedom + own)
            location[0, i] = np.interp(target, logs, deviates)
            scale[0, i] = 1.5 / np.sqrt(2 * (freedom + own)) / slope
    root: FloatArray = scale.T[:, :, None] * np.eye(len(location))
    return Proposal(location, root)


def _fitted_proposal(log_weight: FloatArray, z: FloatArray) -> Proposal:
    """A proposal with the moments of the weighted nodes, a little wider."""
    mean, covariance = _tempered_moments(log_weight, z)
    root: FloatArray = np.linalg.cholesky(1.25 * covariance + 0.01 * np.eye(len(z)))  # type: ignore[assignment]
    return Proposal(mean.T, root)


def _posterior(density: Density, statistics: Statistics, nodes: Nodes, curve: int, log_weight: FloatArray) -> Posterior:
    top = log_weight.max()
    weight = np.exp(log_weight - top)
    log_evidence = float(top + np.log(weight.mean()))
    weight /= weight.sum()
    effective = float(1 / (weight**2).sum())
    # Nodes that together carry a ten-thousandth of the weight would only cost time.
    order = np.argsort(weight)
    kept = np.sort(order[np.cumsum(weight[order]) > 1e-4])
    return Posterior(
        density, statistics, nodes[curve, kept], weight[kept] / weight[kept].sum(), log_evidence, effective
    )


@lru_cache(maxsize=64)
def _sobol(count: int, dimensions: int, seed: int) -> FloatArray:
    """Scrambled Sobol points in the unit cube, shape (dimensions, count)."""
    points = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(seed)).random(count)
    points = np.ascontiguousarray(np.clip(points, 1e-6, 1 - 1e-6).T)
    points.flags.writeable = False
    return points


@lru_cache(maxsize=64)
def _sobol_t(count: int, dimensions: int, seed: int) -> FloatArray:
    """The same points as quantiles of Student's t."""
    quantiles: FloatArray = stdtrit(_DEGREES, np.clip(_sobol(count, dimensions, seed), 2e-4, 1 - 2e-4))
    quantiles.flags.writeable = False
    return quantiles


def _tempered_moments(log_weights: FloatArray, z: FloatArray, least: float = 50.0) -> tuple[FloatArray, FloatArray]:
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
