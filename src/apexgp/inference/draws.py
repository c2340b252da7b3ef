"""What is known of the curve at each node, and at each draw of level and drop there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray

__all__ = ["FAR", "Evaluated", "Nodes"]

FAR = np.array([2.0, 10.0, 50.0])
"""Multiples of the largest pilot size at which forecasts are judged while nodes are looked for.

At the first that is the mean score of new splits, which hangs on the noise as well, at the others the expected score.
"""


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
    def join(cls, parts: Sequence[Nodes]) -> Nodes:
        """The nodes of all parts, one part after the other."""
        return cls(
            {name: np.concatenate([part.parameters[name] for part in parts]) for name in parts[0].parameters},
            tuple(np.concatenate(values) for values in zip(*(part.shape for part in parts), strict=True)),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS),
        )


_ARRAYS = ("level", "spread", "drop", "departure", "lean", "explained")


class Evaluated(NamedTuple):
    """Draws of level and drop at many nodes, and what follows from them; most arrays have the shape (draws, nodes)."""

    log_weight: FloatArray
    """Logarithm of likelihood times prior over that of the coordinates."""
    level: FloatArray
    spread: FloatArray
    drop: FloatArray
    departure: FloatArray
    lean: FloatArray
    far_location: FloatArray
    """Mean of what is forecast at `FAR` times the largest pilot size, shape (multiples, draws, nodes)."""
    far_variance: FloatArray
    """Of what is forecast there."""
    explained: FloatArray
    """As in `Nodes`; the same for all draws at a node, shape (nodes,)."""

    def and_then(self, others: Evaluated) -> Evaluated:
        """These nodes and others behind them."""
        return Evaluated(*(np.concatenate(pair, axis=-1) for pair in zip(self, others, strict=True)))

    def last(self, count: int) -> Evaluated:
        """So many of the nodes alone."""
        return Evaluated(*(values[..., -count:] for values in self))

    def chosen(self, draw: NDArray[np.intp], node: NDArray[np.intp]) -> tuple[FloatArray, ...]:
        """Level and all that follows from it in `Nodes`, at some of the draws."""
        by_draw = (self.level, self.spread, self.drop, self.departure, self.lean)
        return *(values[draw, node] for values in by_draw), self.explained[node]
