"""All nodes so far of a curve and what they weigh: values, of which a round of nodes makes new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from .draws import FAR, Evaluated
from .ends import BEND, LEAST_MASS, Ends, FarForecast, Sums
from .proposals import Proposals

__all__ = ["Points", "Pool", "Weights", "weighed"]

_ROOM = 4096  # for nodes, at first


class _Rows:
    """Numbers in columns, one for each node, with room for more of them: columns are added, never changed."""

    def __init__(self, height: int, room: int) -> None:
        self.array = np.empty((height, room))
        self.used = 0

    def with_room(self, count: int, more: int) -> _Rows:
        """These, or a copy of the first columns where they cannot go on with so many more."""
        room = self.array.shape[1]
        if self.used > count or count + more > room:
            copy = _Rows(len(self.array), max(room, 2 * (count + more)))
            copy.array[:, :count] = self.array[:, :count]
            return copy
        return self


@dataclass(frozen=True)
class Points:
    """Nodes, and what is known of each; arrays end on them."""

    rows: _Rows
    dimensions: int
    draws: int
    count: int = 0

    @classmethod
    def none(cls, dimensions: int, draws: int) -> Points:
        """A beginning."""
        return cls(_Rows(dimensions + Evaluated.height(draws), _ROOM), dimensions, draws)

    def with_more(self, more: int) -> Points:
        """With room for so many more, whose columns are to be filled."""
        rows = self.rows.with_room(self.count, more)
        rows.used = self.count + more
        return Points(rows, self.dimensions, self.draws, rows.used)

    def last(self, count: int) -> Points:
        """So many of them alone."""
        kept = Points.none(self.dimensions, self.draws).with_more(count)
        kept.rows.array[:, :count] = self.rows.array[:, self.count - count : self.count]
        return kept

    @property
    def z(self) -> FloatArray:
        """Coordinates, shape (D, nodes)."""
        return self.roomy_z[:, : self.count]

    @property
    def roomy_z(self) -> FloatArray:
        """The same with the room behind them, as compiled loops have it."""
        return self.rows.array[: self.dimensions]

    @property
    def roomy_draws(self) -> FloatArray:
        """All that is known of the draws, in rows (see `Evaluated.on`), with the room behind them.

        Logarithms of weights are those of the posterior's density, up to a constant.
        """
        return self.rows.array[self.dimensions :]

    @property
    def at(self) -> Evaluated:
        """The same by name, without the room."""
        return Evaluated.on(self.roomy_draws[:, : self.count], self.draws)


@dataclass(frozen=True)
class Weights:
    """What the draws of a pool weigh, and how well the ends of far forecasts are known by them."""

    share: FloatArray
    """The density over that of all proposals, as shares of the sum: shape (draws, nodes)."""
    far: Ends
    effective_size: float
    """Effective number of nodes."""
    log_evidence: float


def weighed(points: Points, proposed: FloatArray, ends: FloatArray | None) -> Weights:
    """Weigh all draws, by what they are worth and by what of them lies beyond the ends of far forecasts.

    Parameters
    ----------
    points
        The nodes.
    proposed
        At each node, with the room behind them: the sum over the proposals of the number of nodes times the density.
    ends
        Those that fewer nodes gave; None, where there were none.
    """
    loops = compiled_loops(points.count)
    if loops is not None:
        return _weighed_by(loops, points, proposed, ends)
    at = points.at
    log_weights = at.log_weight - np.log(proposed[: points.count])
    top = log_weights.max()
    share = np.exp(log_weights - top)
    whole = share.sum()
    share /= whole
    found = FarForecast(at.far_location, at.far_variance).ends(share, ends)
    effective = 1 / float((share.sum(axis=0) ** 2).sum())
    return Weights(share, found, effective, float(top + np.log(whole)) - np.log(points.draws))


def _weighed_by(loops: Any, points: Points, proposed: FloatArray, ends: FloatArray | None) -> Weights:
    """The same by compiled loops."""
    far, draws, count = len(FAR), points.draws, points.count
    by_draw = draws * (len(Evaluated._fields) - 3)
    rows = points.roomy_draws
    log_density, location, variance = rows[:draws], rows[by_draw : by_draw + far * draws], rows[-1 - far * draws : -1]
    share, sums = np.empty((draws, count)), np.empty(2 + 10 * far)
    told = Sums(*sums[2 : 2 + 2 * far].reshape(2, far), *sums[2 + 2 * far :].reshape(4, far, 2))

    def weigh(values: FloatArray, beyond: FloatArray) -> None:
        loops.weigh(BEND, LEAST_MASS, log_density, proposed, location, variance, values, share, beyond, sums)

    if ends is None:
        weigh(np.empty(0), np.empty(0))
        ends = told.guess()
    beyond = np.empty((far, 2, draws, count))
    weigh(ends, beyond)
    return Weights(share, told.judged(ends, beyond), 1 / float(sums[0]), float(sums[1]) - np.log(draws))


@dataclass(frozen=True)
class Pool:
    """The nodes of all rounds, with their draws and weights."""

    proposals: Proposals
    """That nodes came from, in all rounds."""
    rounds: int
    latest: Proposals
    """Those of the last round alone."""
    points: Points
    proposed: FloatArray
    """As in `weighed`."""
    weights: Weights
