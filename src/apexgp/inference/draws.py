"""What is kept of the points at which a density was evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray

__all__ = ["Draws", "Nodes"]


@dataclass(frozen=True)
class Nodes:
    """Everything that forecasts need of the nodes of one curve; arrays end on the nodes."""

    parameters: dict[str, FloatArray]
    shape: tuple[FloatArray, ...]
    level: FloatArray
    """The mean curve at the largest pilot size."""
    drop: FloatArray
    """What is still to be won from there."""
    departure: FloatArray
    """Of f from its mean at the largest pilot size, as far as the pilot tells."""
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


_ARRAYS = ("level", "drop", "departure", "explained")


@dataclass(frozen=True)
class Draws:
    """Draws of level and drop at many nodes: what weights and proposals are made of, and in the end the kept nodes.

    Arrays end on (curves, nodes); level and drop begin with an axis for the draws at each node.
    """

    parameters: dict[str, FloatArray]
    shape: tuple[FloatArray, ...]
    level: FloatArray
    drop: FloatArray
    departure: FloatArray
    explained: FloatArray
    """As in `Nodes`; the same for all draws at a node."""
    far_location: FloatArray
    """Mean of f at `FAR` times the largest pilot size, shape (multiples, draws, curves, nodes)."""
    far_scale: FloatArray
    """Its standard deviation there, the same for all draws at a node: shape (multiples, curves, nodes)."""

    def chosen(self, curve: int, draw: NDArray[np.intp], node: NDArray[np.intp]) -> Nodes:
        """Some of the draws for one of the curves, as nodes of their own."""
        return Nodes(
            {name: value[curve, node] for name, value in self.parameters.items()},
            tuple(value[curve, node] for value in self.shape),
            self.level[draw, curve, node],
            self.drop[draw, curve, node],
            self.departure[draw, curve, node],
            self.explained[curve, node],
        )
