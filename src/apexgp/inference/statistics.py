"""Sufficient statistics: what the likelihood needs of a curve with any number of splits.

Splits that were measured at the same sizes form a pattern. Within a pattern the scores enter only through their count,
mean and scatter matrix, so that cost does not grow with the number of splits. Given the noise, all patterns together
say as much of the true curve as one pseudo-score per size.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..curve import LearningCurve, Replicates
from .gaussian_algebra import cholesky, log_product, solve_lower
from .signs import signs_of

__all__ = ["EARLY", "MOST_SIZES", "Pattern", "PseudoScores", "Statistics", "neighbours", "pseudo_scores"]

_LOG_2PI = np.log(2 * np.pi)

EARLY = 8.0
"""Sizes more than so many times below the largest are early ones, which say little of the end of a curve."""
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
        # One score per size is taken for one run: what luck it has, it carries along the curve.
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
        averaged = 1.0 if only_means else float(curve.known_run_count)
        spreads = np.zeros((2, len(kept)))
        if curve.score_sd is not None and averaged > 1:
            known = np.isfinite(curve.score_sd)
            at = groups[np.searchsorted(replicates.sizes, curve.sizes[known])]
            np.add.at(spreads[0], at, averaged - 1)
            np.add.at(spreads[1], at, (averaged - 1) * curve.score_sd[known] ** 2)
        return cls(curve, replicates, kept, tuple(patterns), within, labels is not None, averaged, spreads)

    def signs(self, ceiling: float) -> dict[str, float]:
        """What priors go by."""
        if ceiling not in self._signs:
            self._signs[ceiling] = signs_of(self.curve, ceiling)
        return self._signs[ceiling]

    @cached_property
    def _signs(self) -> dict[float, dict[str, float]]:
        return {}

    @property
    def unlinked(self) -> bool:
        """Whether every score is a split of its own."""
        return all(len(pattern.index) == 1 for pattern in self.patterns)

    @property
    def unmerged_sizes(self) -> FloatArray:
        """The sizes, but NaN where several were merged."""
        known = np.isin(self.sizes, self.replicates.sizes) & (self.within[0] == 0)
        return np.where(known, self.sizes, np.nan)

    @cached_property
    def means(self) -> FloatArray:
        """Mean score at each of the sizes, as far as they were merged."""
        total, count = np.zeros((2, len(self.sizes)))
        for pattern in self.patterns:
            rows = list(pattern.index)
            total[rows] += pattern.count * pattern.mean
            count[rows] += pattern.count
        return total / count

    @cached_property
    def best(self) -> float:
        """y', the best mean score."""
        return float(self.replicates.mean.max())

    @cached_property
    def spread(self) -> tuple[float, float]:
        """Pooled variance of single runs at a size (0 where none has several), and its degrees of freedom.

        Scores are pooled around the mean at their own size, whichever splits were measured there and whether or not
        sizes were merged; the runs behind mean scores count where their standard deviation is known.
        """
        between = self.replicates.count - 1
        freedom = float(between.sum() + self.spreads[0].sum())
        squares = self.averaged * float(between @ self.replicates.std**2) + float(self.spreads[1].sum())
        return squares / max(freedom, 1.0), freedom

    @cached_property
    def typical_count(self) -> float:
        """How many runs the mean at a size is usually taken over."""
        return self.averaged * float(np.median(self.replicates.count))


class PseudoScores(NamedTuple):
    """One per size, ~ N(f, Sigma), that say as much of the true curve f as all scores do."""

    log_rest: FloatArray
    """Logarithm of the likelihood of the scores given the pseudo-scores, shape (nodes,)."""
    scores: FloatArray
    """Shape (sizes, nodes)."""
    own: FloatArray
    common: FloatArray | None
    """Sigma = diag(own) + common common' where that is its form: else `own` is Sigma."""

    def around(self, variance: FloatArray) -> PseudoScores:
        """The same where f itself lies off at each size, on its own, with this variance: shape (sizes,)."""
        if not variance.any():
            return self
        if self.own.ndim == self.scores.ndim:
            return self._replace(own=self.own + variance[:, None])
        return self._replace(own=self.own + np.diag(variance)[:, :, None])

    @property
    def covariance(self) -> FloatArray:
        """Sigma, shape (sizes, sizes, nodes)."""
        if self.own.ndim > self.scores.ndim:
            return self.own
        size = len(self.own)
        full = np.zeros((size, *self.own.shape))
        if self.common is not None:
            np.multiply(self.common[:, None], self.common[None, :], out=full)
        full[np.arange(size), np.arange(size)] += self.own
        return full


def pseudo_scores(variance: FloatArray, carried: FloatArray, of: Statistics) -> PseudoScores:
    """Reduce all scores to one pseudo-score per size, and the likelihood of the rest.

    A split of pattern p has covariance C_p = diag(v / repeats) + c c'. Then Sigma^-1 = sum_p S_p C_p^-1, and the
    pseudo-scores are Sigma sum_p S_p C_p^-1 ybar_p.

    Parameters
    ----------
    variance, carried
        v and c of a single run at each size, shape (sizes, nodes).
    of
        The curve.
    """
    log_rest = np.zeros(variance.shape[1:])
    if of.spreads.any():
        freedom, squares = of.spreads[:, :, None]
        single = variance + carried**2
        log_rest -= 0.5 * (freedom * (np.log(single) + _LOG_2PI) + squares / single).sum(axis=0)
    variance, carried = variance / of.averaged, carried / np.sqrt(of.averaged)
    if of.within.any():
        freedom, squares = of.within[:, :, None]
        log_rest -= 0.5 * (freedom * (np.log(variance) + _LOG_2PI) + squares / variance).sum(axis=0)
    if len(of.patterns) == 1:
        return _of_one_pattern(log_rest, variance, carried, of.patterns[0])
    if of.unlinked:
        return _of_single_scores(log_rest, variance, carried, of.patterns)
    return _of_many_patterns(log_rest, variance, carried, of.patterns)


def _of_one_pattern(log_rest: FloatArray, variance: FloatArray, carried: FloatArray, pattern: Pattern) -> PseudoScores:
    """Every split was measured at every size: the pseudo-scores are the means, Sigma is C / S."""
    size, count = len(variance), pattern.count
    own, common = variance / np.array(pattern.repeats)[:, None], carried
    lever = carried / own
    excess = 1 + np.einsum("rn,rn->n", carried, lever)
    left_over = _scatter_term(pattern.scatter, 1 / own, lever, excess)
    log_noise = log_product(own) + np.log(excess)
    log_rest -= 0.5 * ((count - 1) * (log_noise + size * _LOG_2PI) + left_over + size * np.log(count))
    mean = np.broadcast_to(pattern.mean[:, None], variance.shape)
    return PseudoScores(log_rest, mean, own / count, common / np.sqrt(count))


def _of_single_scores(
    log_rest: FloatArray, variance: FloatArray, carried: FloatArray, patterns: tuple[Pattern, ...]
) -> PseudoScores:
    """Nothing links the sizes: every score is a split of its own."""
    precision, total = np.zeros((2, *variance.shape))
    for pattern in patterns:
        ((row,), (repeats,), count, (mean,)) = pattern.index, pattern.repeats, pattern.count, pattern.mean
        spread = variance[row] / repeats + carried[row] ** 2
        squares = pattern.scatter[0, 0] + count * mean**2
        log_rest -= 0.5 * (count * (np.log(spread) + _LOG_2PI) + squares / spread)
        precision[row] += count / spread
        total[row] += count * mean / spread
    log_rest += 0.5 * (total**2 / precision).sum(axis=0) + 0.5 * len(variance) * _LOG_2PI - 0.5 * log_product(precision)
    return PseudoScores(log_rest, total / precision, 1 / precision, None)


def _of_many_patterns(
    log_rest: FloatArray, variance: FloatArray, carried: FloatArray, patterns: tuple[Pattern, ...]
) -> PseudoScores:
    size = len(variance)
    precision = np.zeros((size, size, *variance.shape[1:]))
    total = np.zeros_like(variance)
    for pattern in patterns:
        rows, count, mean = list(pattern.index), pattern.count, pattern.mean[:, None]
        v = np.array(pattern.repeats)[:, None] / variance[rows]
        e = carried[rows] * v
        excess = 1 + (carried[rows] * e).sum(axis=0)
        weighted = mean * v - e * (mean * e).sum(axis=0) / excess  # C^-1 ybar
        fit = _scatter_term(pattern.scatter, v, e, excess) + count * (mean * weighted).sum(axis=0)
        log_noise = np.log(excess) - log_product(v)
        log_rest -= 0.5 * count * (log_noise + len(rows) * _LOG_2PI) + 0.5 * fit
        precision[np.ix_(rows, rows)] -= count * e[:, None] * e[None, :] / excess
        precision[rows, rows] += count * v
        total[rows] += count * weighted
    root = cholesky(precision)
    identity = np.broadcast_to(np.eye(size)[:, :, None], precision.shape)
    whitener = solve_lower(root, identity)
    white = np.einsum("ikn,kn->in", whitener, total)
    diagonal = np.arange(size)
    log_rest += 0.5 * (white**2).sum(axis=0) + 0.5 * size * _LOG_2PI - np.log(root[diagonal, diagonal]).sum(axis=0)
    covariance = np.einsum("kin,kjn->ijn", whitener, whitener)
    return PseudoScores(log_rest, np.einsum("kin,kn->in", whitener, white), covariance, None)


def _scatter_term(scatter: FloatArray, inverse: FloatArray, lever: FloatArray, excess: FloatArray) -> FloatArray:
    """tr(C^-1 M) for C^-1 = diag(inverse) - lever lever' / excess."""
    crossed = np.einsum("in,in->n", scatter @ lever, lever)
    term: FloatArray = np.diagonal(scatter) @ inverse - crossed / excess
    return term


def neighbours(sizes: FloatArray, most: int) -> NDArray[np.intp]:
    """Which of at most `most` groups each of the distinct, rising sizes belongs to.

    Groups that are closest in the logarithm are merged first; the smallest and the largest size stay alone.
    """
    count, logs = len(sizes), np.log(sizes).tolist()
    last = list(range(count))  # last member of the group that begins at each size
    first = list(range(count))  # first member of the group that ends at each size
    begins = np.ones(count, dtype=bool)
    # Two neighbours are known by the first member of one and the last of the other; those that were merged since
    # are passed over.
    near = [(logs[i + 1] - logs[i], i, i + 1) for i in range(1, count - 2)]
    heapify(near)
    for _ in range(count - most):
        while True:
            _, left, right = heappop(near)
            if begins[left] and last[left] < right and last[last[left] + 1] == right:
                break
        begins[last[left] + 1] = False
        last[left], first[right] = right, left
        if left > 1:
            before = first[left - 1]
            heappush(near, (logs[right] - logs[before], before, right))
        if right < count - 2:
            after = last[right + 1]
            heappush(near, (logs[after] - logs[left], left, after))
    return np.cumsum(begins) - 1


def _means(values: FloatArray, groups: NDArray[np.intp]) -> FloatArray:
    """Mean of the values in each group."""
    means: FloatArray = np.bincount(groups, values) / np.bincount(groups)
    return means
