"""Sufficient statistics: what the likelihood needs of a curve with any number of splits.

Splits that were measured at the same sizes form a pattern. Within a pattern the scores enter only through their count,
mean and scatter matrix, so that cost does not grow with the number of splits. Given the noise, all patterns together
say as much of the true curve as one pseudo-score a size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..curve import LearningCurve, Replicates
from ..model.beliefs import Beliefs
from .nodes import cholesky, solve_lower

__all__ = ["Batch", "Statistics", "pseudo_scores"]

_LOG_2PI = np.log(2 * np.pi)


@dataclass(frozen=True)
class Pattern:
    """Splits measured at the same sizes."""

    index: tuple[int, ...]
    """Which of the curve's distinct sizes."""
    count: int
    mean: FloatArray
    scatter: FloatArray
    """Sum over the splits of (y - mean)(y - mean)'."""


@dataclass(frozen=True)
class Statistics:
    """Of one curve on which higher is better."""

    replicates: Replicates
    patterns: tuple[Pattern, ...]
    labelled: bool
    """Whether the splits can be told apart, so that they can be continued."""

    @classmethod
    def of(cls, curve: LearningCurve, *, only_means: bool = False) -> Statistics:
        """Summarise a curve; `only_means` takes the mean at each size for a single score."""
        replicates = curve.replicates
        sizes, values, labels = curve.sizes, curve.scores, curve.split
        if only_means:
            sizes, values, labels = replicates.sizes, replicates.mean, None
        column = np.searchsorted(replicates.sizes, sizes)
        order = np.lexsort((values, column))
        groups: dict[object, list[int]] = defaultdict(list)
        for i in order.tolist():
            # Without labels every score is a split of its own.
            groups[i if labels is None else labels[i]].append(i)
        rows: dict[tuple[int, ...], list[FloatArray]] = defaultdict(list)
        for members in groups.values():
            rows[tuple(column[members].tolist())].append(values[members])
        patterns = []
        for index, own in sorted(rows.items()):
            table = np.array(sorted(own, key=lambda row: row.tolist()))
            centred = table - table.mean(axis=0)
            patterns.append(Pattern(index, len(table), table.mean(axis=0), centred.T @ centred))
        return cls(replicates, tuple(patterns), labels is not None)

    @property
    def sizes(self) -> FloatArray:
        """The distinct sizes, rising."""
        return self.replicates.sizes

    @property
    def structure(self) -> tuple[tuple[int, ...], ...]:
        """Curves of the same structure can be computed together."""
        return tuple(pattern.index for pattern in self.patterns)

    @property
    def alone(self) -> bool:
        """Whether every size has a single score, and no split is labelled."""
        return not self.labelled and bool((self.replicates.count == 1).all())

    @property
    def best(self) -> float:
        """y', the best mean score."""
        return float(self.replicates.mean.max())

    @property
    def spread(self) -> tuple[float, float]:
        """Pooled variance of the replicates at a size (0 without replicates), and its degrees of freedom."""
        freedom = float(sum((p.count - 1) * len(p.index) for p in self.patterns))
        return sum(float(np.trace(p.scatter)) for p in self.patterns) / max(freedom, 1.0), freedom

    @property
    def residual(self) -> tuple[float, float]:
        """Variance of the scores once split and size means are removed, and its degrees of freedom."""
        freedom = float(sum((p.count - 1) * (len(p.index) - 1) for p in self.patterns))
        within = sum(float(np.trace(p.scatter) - p.scatter.sum() / len(p.index)) for p in self.patterns)
        return within / max(freedom, 1.0), freedom

    @property
    def typical_count(self) -> float:
        """How many scores the mean at a size is usually taken over."""
        return float(np.median(self.replicates.count))


class Batch:
    """Statistics of several curves of the same structure, stacked: arrays run over (sizes, curves)."""

    def __init__(self, members: Sequence[Statistics]) -> None:
        self.members = tuple(members)
        self.sizes = np.stack([m.sizes for m in members], axis=1)
        self.unit = self.sizes[0]
        self.index = members[0].structure
        self.counts = [np.array([m.patterns[k].count for m in members], float) for k in range(len(self.index))]
        self.means = [np.stack([m.patterns[k].mean for m in members], axis=1) for k in range(len(self.index))]
        self.scatters = [np.stack([m.patterns[k].scatter for m in members], axis=2) for k in range(len(self.index))]
        self.best = np.array([m.best for m in members])
        self.alone = np.array([m.alone for m in members])
        self.t = Beliefs.size_of(self.sizes[-1])

    def __len__(self) -> int:
        return len(self.members)

    def take(self, which: NDArray[np.intp]) -> Batch:
        """Some of the curves."""
        return Batch([self.members[i] for i in which])


def pseudo_scores(variance: FloatArray, carried: FloatArray, batch: Batch) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Reduce all scores to one pseudo-score a size, ~ N(f, Sigma), and the likelihood of the rest.

    A split of pattern p has covariance C_p = diag(v) + c c'. Then Sigma^-1 = sum_p S_p C_p^-1, and the pseudo-scores
    are Sigma sum_p S_p C_p^-1 ybar_p.

    Parameters
    ----------
    variance, carried
        v and c at each size, shape (sizes, curves, nodes).
    batch
        The curves.

    Returns
    -------
    log_rest
        Logarithm of the likelihood of the scores given the pseudo-scores.
    pseudo, covariance
        The pseudo-scores and Sigma, of shapes (sizes, curves, nodes) and (sizes, sizes, curves, nodes).
    """
    size = len(variance)
    inverse, lever = 1 / variance, carried / variance
    log_variance, energy = np.log(variance), carried * lever
    if len(batch.index) == 1:
        # Every split was measured at every size: they are the means, Sigma is C / S.
        count, mean, scatter = batch.counts[0][:, None], batch.means[0], batch.scatters[0]
        excess = 1 + energy.sum(axis=0)
        left_over = _scatter_term(scatter, inverse, lever, excess)
        log_rest = -0.5 * (count - 1) * (log_variance.sum(axis=0) + np.log(excess) + size * _LOG_2PI)
        log_rest = log_rest - 0.5 * left_over - 0.5 * size * np.log(count)
        covariance = carried[:, None] * (carried / count)[None, :]
        covariance[np.arange(size), np.arange(size)] += variance / count
        return log_rest, np.broadcast_to(mean[:, :, None], variance.shape), covariance
    log_rest = np.zeros(variance.shape[1:])
    precision = np.zeros((size, size, *variance.shape[1:]))
    total = np.zeros_like(variance)
    for index, counts, mean, scatter in zip(batch.index, batch.counts, batch.means, batch.scatters, strict=True):
        rows, count = list(index), counts[:, None]
        v, e = inverse[rows], lever[rows]
        excess = 1 + energy[rows].sum(axis=0)
        weighted = mean[:, :, None] * v - e * (mean[:, :, None] * e).sum(axis=0) / excess  # C^-1 ybar
        fit = _scatter_term(scatter, v, e, excess) + count * (mean[:, :, None] * weighted).sum(axis=0)
        log_rest -= 0.5 * count * (log_variance[rows].sum(axis=0) + np.log(excess) + len(rows) * _LOG_2PI) + 0.5 * fit
        precision[np.ix_(rows, rows)] -= count * e[:, None] * e[None, :] / excess
        precision[rows, rows] += count * v
        total[rows] += count * weighted
    root = cholesky(precision)
    identity = np.broadcast_to(np.eye(size)[:, :, None, None], precision.shape)
    whitener = solve_lower(root, identity)
    white = np.einsum("ik...,k...->i...", whitener, total)
    diagonal = np.arange(size)
    log_rest += 0.5 * (white**2).sum(axis=0) + 0.5 * size * _LOG_2PI - np.log(root[diagonal, diagonal]).sum(axis=0)
    covariance = np.einsum("ki...,kj...->ij...", whitener, whitener)
    return log_rest, np.einsum("ki...,k...->i...", whitener, white), covariance


def _scatter_term(scatter: FloatArray, inverse: FloatArray, lever: FloatArray, excess: FloatArray) -> FloatArray:
    """tr(C^-1 M) for C^-1 = diag(inverse) - lever lever' / excess."""
    diagonal = np.einsum("iib->ib", scatter)
    crossed = np.einsum("ib...,ijb,jb...->b...", lever, scatter, lever, optimize=True)
    return (diagonal[:, :, None] * inverse).sum(axis=0) - crossed / excess
