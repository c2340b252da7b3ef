"""The CRPS of forecasts that are mixtures over nodes, as a function of the nodes' weights.

A node's forecast stands as two points, one standard deviation to either side of its centre. Points are sorted once:
the distribution under any weights is then a running sum, and so is the slope of the CRPS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray

__all__ = ["SortedPoints"]

_INDEX, _SINGLE = np.int16, np.float32  # there may be thousands of forecasts


@dataclass(frozen=True)
class SortedPoints:
    """Points of P x Q forecasts in order, two for each of the N nodes, and the place of the truth among them."""

    node: NDArray[np.int16]
    """(P, Q, 2 N): whose point it is."""
    place: NDArray[np.int16]
    """(P, Q, 2 N): where the lower points of the nodes are, then where the upper ones are."""
    gap: FloatArray
    """(P, Q, 2 N): to the next point."""
    above: FloatArray
    """(P, Q, 2 N): how much of that gap is above the truth."""

    @classmethod
    def of(cls, location: FloatArray, scale: FloatArray, truth: FloatArray) -> Self:
        """Points of forecasts (P, N, Q), given the truths (P, Q)."""
        points = np.clip(np.concatenate([location - scale, location + scale], axis=1), 0.0, 1.0).swapaxes(1, 2)
        order = points.argsort(axis=-1)
        points = np.take_along_axis(points, order, axis=-1)
        gap = np.diff(points, append=points[..., -1:])
        return cls(
            (order % location.shape[1]).astype(_INDEX),
            order.argsort(axis=-1).astype(_INDEX),
            gap.astype(_SINGLE),
            np.clip(points + gap - truth[..., None], 0.0, gap).astype(_SINGLE),
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Points of all pilots of several parts."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def __getitem__(self, which: NDArray[np.intp]) -> Self:
        """Some of the pilots."""
        return type(self)(*(getattr(self, field.name)[which] for field in fields(self)))

    def crps(self, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """CRPS (P, Q), but for what lies beyond all points, and its slopes by the nodes' weights (P, Q, N)."""
        by_point = np.take_along_axis(weight[:, None].astype(_SINGLE) / 2, self.node, axis=-1)
        below = np.cumsum(by_point, axis=-1)
        by_gap = self.gap * below - self.above
        total = (by_gap * below - self.above * below + self.above).sum(axis=-1, dtype=float)
        # A point raises the distribution in its own gap and in all later ones.
        slope = np.cumsum(by_gap[..., ::-1], axis=-1)[..., ::-1]
        lower, upper = np.split(np.take_along_axis(slope, self.place, axis=-1), 2, axis=-1)
        return total, lower + upper
