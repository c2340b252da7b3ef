"""What is kept of the points at which a density was evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..numerics.truncated import Cut

__all__ = ["CLOSEST", "FAR", "WELL", "Draws", "Evaluated", "Nodes"]

WELL = 3.5
"""Standard deviations that a Gaussian keeps off a bound, to be taken for uncut."""
FAR = np.array([2.0, 10.0, 50.0])
"""Multiples of the largest pilot size at which forecasts are judged while nodes are looked for.

At the first that is the mean score of new splits, which hangs on the noise as well, at the others the expected score.
"""
_NOTHING = 25.0  # in logarithms of weights
CLOSEST = 1e-9
"""Of a share to 0 and 1, and of a level to the ceiling."""


@dataclass(frozen=True)
class Nodes:
    """Everything that forecasts need of the nodes of one curve; arrays end on the nodes."""

    parameters: dict[str, FloatArray]
    shape: tuple[FloatArray, ...]
    level: FloatArray
    """The mean curve at the largest pilot size."""
    spread: FloatArray
    """Standard deviation of the level, which is Gaussian given all else; 0 where it was drawn."""
    drop: FloatArray
    """What is still to be won from there: in proportion to the room above the level, where that has a spread."""
    departure: FloatArray
    """Of f from its mean at the largest pilot size, as far as the pilot tells."""
    lean: FloatArray
    """How the departure changes with the level."""
    explained: FloatArray
    """How much of the variance of f there the pilot explains."""

    def __getitem__(self, which: NDArray[np.intp]) -> Nodes:
        """Some of the nodes, maybe repeated."""
        return Nodes(
            {name: value[which] for name, value in self.parameters.items()},
            tuple(value[which] for value in self.shape),
            *(getattr(self, name)[which] for name in _ARRAYS),
        )

    @classmethod
    def joined(cls, parts: Sequence[Nodes]) -> Nodes:
        """All nodes of several parts."""
        return cls(
            {name: np.concatenate([part.parameters[name] for part in parts]) for name in parts[0].parameters},
            tuple(np.concatenate(values) for values in zip(*(part.shape for part in parts), strict=True)),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS),
        )


_ARRAYS = ("level", "spread", "drop", "departure", "lean", "explained")


class Evaluated(NamedTuple):
    """Draws of level and drop at many nodes, and what follows from them; most arrays have the shape (draws, nodes)."""

    log_weight: FloatArray
    level: FloatArray
    spread: FloatArray
    share: FloatArray
    """Of the room between level and ceiling: the drop."""
    drop: FloatArray
    departure: FloatArray
    lean: FloatArray
    explained: FloatArray
    """As in `Nodes`; the same for all draws at a node, shape (nodes,)."""
    far_location: FloatArray
    """Mean of what is forecast at `FAR` times the largest pilot size, shape (multiples, draws, nodes)."""
    far_tilt: FloatArray
    """How it changes with the level."""
    far_variance: FloatArray
    """Of what is forecast there."""

    def cut(self, floor: float, ceiling: float, u: FloatArray) -> None:
        """Draw, in place, those levels that come close to their bounds, at levels u of their distributions.

        Their weights are multiplied by the mass within the bounds.
        """
        near = np.minimum(self.level - floor, ceiling - self.level) < WELL * self.spread
        # What weighs nothing beside the best is as well left as it is.
        near &= self.log_weight > np.nanmax(self.log_weight) - _NOTHING
        draw, node = np.nonzero(near)
        if not draw.size:
            return
        level, spread, share = (values[draw, node] for values in (self.level, self.spread, self.share))
        within = Cut((floor - level) / spread, (ceiling - level) / spread)
        drawn = np.minimum(level + spread * within.quantile(u[draw, node]), ceiling - CLOSEST)
        change, tilt = drawn - level, self.far_tilt[:, draw, node]
        self.log_weight[draw, node] += within.log_mass
        self.level[draw, node], self.spread[draw, node] = drawn, 0.0
        self.drop[draw, node] = share * (ceiling - drawn)
        self.departure[draw, node] += self.lean[draw, node] * change
        self.far_location[:, draw, node] += tilt * change
        self.far_variance[:, draw, node] -= (tilt * spread) ** 2


@dataclass(frozen=True)
class Draws:
    """Draws at many nodes: what weights and proposals are made of, and in the end the kept nodes."""

    parameters: dict[str, FloatArray]
    shape: tuple[FloatArray, ...]
    at: Evaluated

    @property
    def log_weight(self) -> FloatArray:
        """Logarithm of likelihood times prior over that of the coordinates, shape (draws, nodes)."""
        return np.where(np.isnan(self.at.log_weight), -np.inf, self.at.log_weight)

    def chosen(self, draw: NDArray[np.intp], node: NDArray[np.intp]) -> Nodes:
        """Some of the draws, as nodes of their own."""
        return Nodes(
            {name: value[node] for name, value in self.parameters.items()},
            tuple(value[node] for value in self.shape),
            *(getattr(self.at, name)[draw, node] for name in _ARRAYS[:-1]),
            self.at.explained[node],
        )
