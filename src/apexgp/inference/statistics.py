"""Sufficient statistics: what the likelihood needs of a curve with any number of splits.

Splits that were measured at the same sizes form a pattern. Within a pattern the scores enter only through their count,
mean and scatter matrix, so that cost does not grow with the number of splits. Given the noise, all patterns together
say as much of the true curve as one pseudo-score a size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..curve import LearningCurve, Replicates
from .nodes import cholesky, log_product, solve_lower
from .signs import signs_of

__all__ = ["MOST_SIZES", "Batch", "PseudoScores", "Statistics", "neighbours", "pseudo_scores"]

_LOG_2PI = np.log(2 * np.pi)

MOST_SIZES = 24
"""Distinct sizes above which neighbours are merged: cost grows with the cube of their number, knowledge hardly."""


@dataclass(frozen=True)
class Pattern:
    """Splits measured at the same sizes."""

    index: tuple[int, ...]
    """Which of the curve's sizes."""
    repeats: tuple[int, ...]
    """Of how many scores of a split the one at each of these sizes is the mean: more than 1 where sizes were merged."""
    count: int
    mean: FloatArray
    scatter: FloatArray
    """Sum over the splits of (y - mean)(y - mean)'."""


@dataclass(frozen=True)
class Statistics:
    """Of one curve on which higher is better."""

    curve: LearningCurve
    replicates: Replicates
    sizes: FloatArray
    """Distinct sizes in rising order; of very many, neighbours are merged."""
    patterns: tuple[Pattern, ...]
    within: FloatArray
    """For each size, degrees of freedom and sum of squares of scores that were merged around their split's mean."""
    labelled: bool
    """Whether the splits can be told apart, so that they can be continued."""
    averaged: float
    """How many runs each score is a mean over."""
    spreads: FloatArray
    """For each size, degrees of freedom and sum of squares of the runs behind mean scores, where their sd is known."""

    @classmethod
    def of(cls, curve: LearningCurve, *, only_means: bool = False) -> Statistics:
        """Summarise a curve; `only_means` takes the mean at each size for a single score."""
        replicates = curve.replicates
        sizes, values, labels = curve.sizes, curve.scores, curve.split
        if only_means:
            sizes, values, labels = replicates.sizes, replicates.mean, None
        groups = neighbours(replicates.sizes, MOST_SIZES)
        kept = np.exp(_means(np.log(replicates.sizes), groups)) if len(groups) > MOST_SIZES else replicates.sizes
        column = groups[np.searchsorted(replicates.sizes, sizes)]
        if len(kept) < len(groups):
            # Move each score along the curve to its group's size.
            broken = np.interp(np.log(sizes), np.log(kept), _means(values, column))
            values = values - broken + _means(values, column)[column]
        order = np.lexsort((values, column))
        # One score a size is taken for one run: what luck it has, it carries along the curve.
        one_run = not only_means and labels is None and bool((replicates.count == 1).all())
        rows: dict[object, list[int]] = defaultdict(list)
        for i in order.tolist():
            # Other scores without labels are splits of their own.
            rows[None if one_run else i if labels is None else labels[i]].append(i)
        alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[FloatArray]] = defaultdict(list)
        within = np.zeros((2, len(kept)))
        for members in rows.values():
            index, first, repeats = np.unique(column[members], return_index=True, return_counts=True)
            means = np.add.reduceat(values[members], first) / repeats
            within[0, index] += repeats - 1
            np.add.at(within[1], column[members], (values[members] - np.repeat(means, repeats)) ** 2)
            alike[tuple(index.tolist()), tuple(repeats.tolist())].append(means)
        patterns = []
        for (index_of, repeats_of), own in sorted(alike.items()):
            table = np.array(sorted(own, key=lambda row: row.tolist()))
            centred = table - table.mean(axis=0)
            patterns.append(Pattern(index_of, repeats_of, len(table), table.mean(axis=0), centred.T @ centred))
        averaged = 1.0 if only_means or curve.averaged_over is None else float(curve.averaged_over)
        spreads = np.zeros((2, len(kept)))
        if curve.score_sd is not None and averaged > 1:
            known = np.isfinite(curve.score_sd)
            at = groups[np.searchsorted(replicates.sizes, curve.sizes[known])]
            np.add.at(spreads[0], at, averaged - 1)
            np.add.at(spreads[1], at, (averaged - 1) * curve.score_sd[known] ** 2)
        return cls(curve, replicates, kept, tuple(patterns), within, labels is not None, averaged, spreads)

    @property
    def structure(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """Curves of the same structure can be computed together."""
        return tuple((pattern.index, pattern.repeats) for pattern in self.patterns)

    @property
    def unmerged_sizes(self) -> FloatArray:
        """The sizes, but NaN where several were merged."""
        known = np.isin(self.sizes, self.replicates.sizes) & (self.within[0] == 0)
        return np.where(known, self.sizes, np.nan)

    @cached_property
    def best(self) -> float:
        """y', the best mean score."""
        return float(self.replicates.mean.max())

    @cached_property
    def spread(self) -> tuple[float, float]:
        """Pooled variance of single scores at a size (0 without replicates), and its degrees of freedom."""
        freedom = float(sum((p.count - 1) * len(p.index) for p in self.patterns))
        squares = self.averaged * sum(float(np.trace(p.scatter)) for p in self.patterns)
        freedom, squares = freedom + float(self.spreads[0].sum()), squares + float(self.spreads[1].sum())
        return squares / max(freedom, 1.0), freedom

    @cached_property
    def typical_count(self) -> float:
        """How many runs the mean at a size is usually taken over."""
        return self.averaged * float(np.median(self.replicates.count))


class Batch:
    """Statistics of several curves of the same structure, stacked: arrays run over (sizes, curves)."""

    def __init__(self, members: Sequence[Statistics]) -> None:
        self.members = tuple(members)
        self.sizes = np.stack([m.sizes for m in members], axis=1)
        self.unit = self.sizes[0]
        self.index = [pattern.index for pattern in members[0].patterns]
        self.repeats = [np.array(pattern.repeats, float) for pattern in members[0].patterns]
        self.within = np.stack([m.within for m in members], axis=2)
        self.counts = [np.array([m.patterns[k].count for m in members], float) for k in range(len(self.index))]
        self.means = [np.stack([m.patterns[k].mean for m in members], axis=1) for k in range(len(self.index))]
        self.scatters = [np.stack([m.patterns[k].scatter for m in members], axis=2) for k in range(len(self.index))]
        self.best = np.array([m.best for m in members])
        self.averaged = np.array([m.averaged for m in members])
        self._signs: dict[float, dict[str, FloatArray]] = {}
        self.spreads = np.stack([m.spreads for m in members], axis=2)

    def __len__(self) -> int:
        return len(self.members)

    def take(self, which: NDArray[np.intp]) -> Batch:
        """Some of the curves."""
        return Batch([self.members[i] for i in which])

    def signs(self, ceiling: float) -> dict[str, FloatArray]:
        """What priors go by, of each curve."""
        if ceiling not in self._signs:
            found = [signs_of(member.curve, ceiling) for member in self.members]
            self._signs[ceiling] = {name: np.array([own[name] for own in found]) for name in found[0]}
        return self._signs[ceiling]


class PseudoScores(NamedTuple):
    """One a size, ~ N(f, Sigma), that say as much of the true curve f as all scores do."""

    log_rest: FloatArray
    """Logarithm of the likelihood of the scores given the pseudo-scores, shape (curves, nodes)."""
    scores: FloatArray
    """Shape (sizes, curves, nodes)."""
    own: FloatArray
    common: FloatArray | None
    """Sigma = diag(own) + common common' where that is its form: else `own` is Sigma."""

    @property
    def covariance(self) -> FloatArray:
        """Sigma, shape (sizes, sizes, curves, nodes)."""
        if self.own.ndim > self.scores.ndim:
            return self.own
        size = len(self.own)
        full = np.zeros((size, *self.own.shape))
        if self.common is not None:
            np.multiply(self.common[:, None], self.common[None, :], out=full)
        full[np.arange(size), np.arange(size)] += self.own
        return full


def pseudo_scores(variance: FloatArray, carried: FloatArray, batch: Batch) -> PseudoScores:
    """Reduce all scores to one pseudo-score a size, and the likelihood of the rest.

    A split of pattern p has covariance C_p = diag(v / repeats) + c c'. Then Sigma^-1 = sum_p S_p C_p^-1, and the
    pseudo-scores are Sigma sum_p S_p C_p^-1 ybar_p.

    Parameters
    ----------
    variance, carried
        v and c of a single run at each size, shape (sizes, curves, nodes).
    batch
        The curves.
    """
    log_rest = np.zeros(variance.shape[1:])
    if batch.spreads.any():
        freedom, squares = batch.spreads[:, :, :, None]
        single = variance + carried**2
        log_rest -= 0.5 * (freedom * (np.log(single) + _LOG_2PI) + squares / single).sum(axis=0)
    averaged = batch.averaged[:, None]
    variance, carried = variance / averaged, carried / np.sqrt(averaged)
    if batch.within.any():
        freedom, squares = batch.within[:, :, :, None]
        log_rest -= 0.5 * (freedom * (np.log(variance) + _LOG_2PI) + squares / variance).sum(axis=0)
    if len(batch.index) == 1:
        return _of_one_pattern(log_rest, variance, carried, batch)
    if all(len(index) == 1 for index in batch.index):
        return _of_single_scores(log_rest, variance, carried, batch)
    return _of_many_patterns(log_rest, variance, carried, batch)


def _of_one_pattern(log_rest: FloatArray, variance: FloatArray, carried: FloatArray, batch: Batch) -> PseudoScores:
    """Every split was measured at every size: the pseudo-scores are the means, Sigma is C / S."""
    size, count, mean = len(variance), batch.counts[0][:, None], batch.means[0][:, :, None]
    own, common = variance / batch.repeats[0][:, None, None], carried
    lever = carried / own
    excess = 1 + np.einsum("r...,r...->...", carried, lever)
    left_over = _scatter_term(batch.scatters[0], 1 / own, lever, excess)
    log_noise = log_product(own) + np.log(excess)
    log_rest -= 0.5 * ((count - 1) * (log_noise + size * _LOG_2PI) + left_over + size * np.log(count))
    return PseudoScores(log_rest, np.broadcast_to(mean, variance.shape), own / count, common / np.sqrt(count))


def _of_single_scores(log_rest: FloatArray, variance: FloatArray, carried: FloatArray, batch: Batch) -> PseudoScores:
    """Nothing links the sizes: every score is a split of its own."""
    precision, total = np.zeros((2, *variance.shape))
    for k, (row,) in enumerate(batch.index):
        count, mean = batch.counts[k][:, None], batch.means[k][0][:, None]
        spread = variance[row] / batch.repeats[k] + carried[row] ** 2
        squares = batch.scatters[k][0, 0][:, None] + count * mean**2
        log_rest -= 0.5 * (count * (np.log(spread) + _LOG_2PI) + squares / spread)
        precision[row] += count / spread
        total[row] += count * mean / spread
    log_rest += 0.5 * (total**2 / precision).sum(axis=0) + 0.5 * len(variance) * _LOG_2PI - 0.5 * log_product(precision)
    return PseudoScores(log_rest, total / precision, 1 / precision, None)


def _of_many_patterns(log_rest: FloatArray, variance: FloatArray, carried: FloatArray, batch: Batch) -> PseudoScores:
    size = len(variance)
    precision = np.zeros((size, size, *variance.shape[1:]))
    total = np.zeros_like(variance)
    for k, index in enumerate(batch.index):
        rows, count, repeats = list(index), batch.counts[k][:, None], batch.repeats[k][:, None, None]
        mean = batch.means[k][:, :, None]
        v = repeats / variance[rows]
        e = carried[rows] * v
        excess = 1 + (carried[rows] * e).sum(axis=0)
        weighted = mean * v - e * (mean * e).sum(axis=0) / excess  # C^-1 ybar
        fit = _scatter_term(batch.scatters[k], v, e, excess) + count * (mean * weighted).sum(axis=0)
        log_noise = np.log(excess) - log_product(v)
        log_rest -= 0.5 * count * (log_noise + len(rows) * _LOG_2PI) + 0.5 * fit
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
    return PseudoScores(log_rest, np.einsum("ki...,k...->i...", whitener, white), covariance, None)


def _scatter_term(scatter: FloatArray, inverse: FloatArray, lever: FloatArray, excess: FloatArray) -> FloatArray:
    """tr(C^-1 M) for C^-1 = diag(inverse) - lever lever' / excess."""
    diagonal = np.einsum("iib->ib", scatter)
    turned = lever.swapaxes(0, 1)
    crossed = np.einsum("bin,bin->bn", scatter.transpose(2, 0, 1) @ turned, turned)
    return np.einsum("ib,ibn->bn", diagonal, inverse) - crossed / excess


def neighbours(sizes: FloatArray, most: int) -> NDArray[np.intp]:
    """Which of at most `most` groups each of the distinct, rising sizes belongs to.

    Groups that are closest in the logarithm are merged first; the smallest and the largest size stay alone.
    """
    logs = np.log(sizes)
    starts = list(range(len(sizes)))  # first member of each group
    while len(starts) > most:
        ends = np.append(starts[1:], len(sizes)) - 1
        reach = logs[ends[2:-1]] - logs[starts[1:-2]]  # of two neighbours together, not counting the ends
        del starts[int(np.argmin(reach)) + 2]
    return np.searchsorted(starts, np.arange(len(sizes)), side="right") - 1


def _means(values: FloatArray, groups: NDArray[np.intp]) -> FloatArray:
    """Mean of the values in each group."""
    means: FloatArray = np.bincount(groups, values) / np.bincount(groups)
    return means
