"""The curve's part of a search for the most probable parameters: units, bounds, starting points, the curve itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._check import FloatArray
from ..model.means import Mean

__all__ = ["CurveProblem"]


@dataclass(frozen=True)
class CurveProblem:
    """Mean scores at distinct, rising sizes, and the family of curves to fit to them.

    A point of the search holds (theta..., eps), then whatever the noise and the kernel add. Inside, sizes are counted
    in units of the smallest one, so that the same starts suit any pilot.
    """

    mean: Mean
    sizes: FloatArray
    scores: FloatArray
    ceiling: float

    @property
    def unit(self) -> float:
        """The smallest size."""
        return float(self.sizes[0])

    @property
    def width(self) -> int:
        """Number of coordinates that describe the curve: theta and eps."""
        return len(self.mean.parameters) + 1

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """Where to begin searching for theta and eps."""
        return [p.start for p in self.mean.parameters] + [self._eps_range]

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Least and greatest theta and eps."""
        low, high = zip(*[(p.lower, p.upper) for p in self.mean.parameters], self._eps_range, strict=True)
        return np.array(low), np.array(high)

    @property
    def _eps_range(self) -> tuple[float, float]:
        """Eps ~ U[eps_min, 1 - y'], with y' the best pilot score: the curve's limit is no lower than that."""
        return 1 - self.ceiling, max(1 - float(self.scores.max()), 1 - self.ceiling)

    def curve(self, point: FloatArray, sizes: FloatArray) -> FloatArray:
        """m(x), by the coordinates of one point."""
        return self.mean(sizes / self.unit, point[self.width - 1], *point[: self.width - 1])

    def named(self, point: FloatArray) -> dict[str, float]:
        """Theta and eps by the paper's names, for sizes counted in examples."""
        theta = self.mean.rescale_theta(self.unit, *point[: self.width - 1].tolist())
        values = [*theta, float(point[self.width - 1])]
        return dict(zip([*(p.name for p in self.mean.parameters), "epsilon"], values, strict=True))

    def drop_and_slopes(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The drop at the pilot sizes, shape (batch, R), and -dm by theta and eps, shape (batch, width, R)."""
        theta = [column[:, None] for column in points[:, : self.width - 1].T]
        drop, slopes = self.mean.drop_and_slopes(self.sizes / self.unit, *theta)
        return drop, np.stack([*slopes, np.ones_like(drop)], axis=1)


def spread(ranges: Sequence[tuple[float, float]], count: int, seed: int) -> FloatArray:
    """Starting points: a Latin hypercube, of which each of `count` equal parts of every range holds one point.

    Returns an array of shape (count, number of ranges).
    """
    rng = np.random.default_rng(seed)
    low, high = np.array(ranges).T
    cells = np.stack([rng.permutation(count) for _ in ranges], axis=1)
    return low + (cells + rng.random(cells.shape)) / count * (high - low)
