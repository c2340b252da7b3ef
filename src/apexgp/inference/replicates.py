"""Replicates as sufficient statistics: what the likelihood needs of any number of splits.

Splits that were measured at the same sizes form a pattern. Within a pattern the scores enter only through their count,
mean and scatter matrix, so that cost does not grow with the number of splits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..curve import LearningCurve

__all__ = ["Pilot", "Pilots"]


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
class Pilot:
    """One curve, turned so that higher is better."""

    sizes: FloatArray
    patterns: tuple[Pattern, ...]
    means: FloatArray
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, curve: LearningCurve, *, only_means: bool = False) -> Pilot:
        """Summarise a curve; `only_means` takes the mean at each size for a single score."""
        collapsed = curve.upward.replicates
        sizes, values, labels = curve.sizes, curve.upward.scores, curve.split
        if only_means:
            sizes, values, labels = collapsed.sizes, collapsed.mean, None
        column = np.searchsorted(collapsed.sizes, sizes)
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
        return cls(collapsed.sizes, tuple(patterns), collapsed.mean, collapsed.count)

    @property
    def structure(self) -> tuple[tuple[int, ...], ...]:
        """Curves of the same structure can be computed together."""
        return tuple(pattern.index for pattern in self.patterns)

    @property
    def best(self) -> float:
        """y', the best mean score."""
        return float(self.means.max())

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
        """How many scores a pilot mean is usually taken over."""
        return float(np.median(self.counts))


class Pilots:
    """Several curves of the same structure, stacked: arrays run over (sizes, curves)."""

    def __init__(self, pilots: Sequence[Pilot]) -> None:
        self.members = tuple(pilots)
        self.sizes = np.stack([p.sizes for p in pilots], axis=1)
        self.unit = self.sizes[0]
        self.index = pilots[0].structure
        self.counts = [np.array([p.patterns[k].count for p in pilots], float) for k in range(len(self.index))]
        self.means = [np.stack([p.patterns[k].mean for p in pilots], axis=1) for k in range(len(self.index))]
        self.scatters = [np.stack([p.patterns[k].scatter for p in pilots], axis=2) for k in range(len(self.index))]
        self.best = np.array([p.best for p in pilots])

    def __len__(self) -> int:
        return len(self.members)

    def take(self, which: NDArray[np.intp]) -> Pilots:
        """Some of the curves."""
        return Pilots([self.members[i] for i in which])
