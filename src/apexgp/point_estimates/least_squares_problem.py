"""Variable projection: the sum of squares of a family of curves, as a function of the shape alone.

Every curve is offset + amplitude g(x; shape). Given the shape, the best offset and amplitude within their bounds have a
closed form, so that the search is over the shape alone: one to three coordinates. That is few enough to look at a grid
of them first, all at once, and to start only from its valleys. Nothing is random.
"""

from __future__ import annotations

from itertools import product
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..model.families import Family

__all__ = ["UNIT_OF_ERROR", "LeastSquaresProblem"]

UNIT_OF_ERROR = 0.01
"""Residuals are counted in hundredths, as large as they are in practice, so that the optimiser meets numbers near 1."""

_MOST_STARTS = 3


class LeastSquaresProblem:
    """Half the weighted sum of squared residuals, over the shape of a curve.

    Parameters
    ----------
    family
        The curves, set up for these sizes.
    sizes, scores
        Mean scores at distinct, rising sizes.
    ceiling
        Highest score that is possible at all.
    """

    def __init__(self, family: Family, sizes: FloatArray, scores: FloatArray, ceiling: float) -> None:
        self.family = family
        self.x = sizes / family.unit
        self.scores = scores
        self.ceiling = ceiling
        # Relative to the last size, so that they stay numbers however many sizes there are.
        self.weights = family.growth_of_weights ** np.arange(1.0 - len(sizes), 1.0)
        self.offset_bounds, self.amplitude_bounds = family.bounds(float(scores.max()), ceiling)
        self.lower, self.upper = np.array([(axis[0], axis[-1]) for axis in family.axes]).T
        self.scales = np.array([np.median(np.diff(axis)) for axis in family.axes])
        self._share = self.weights / self.weights.sum()
        self._mean_score = float(self._share @ scores)
        self._weighted_scores = self._share * (scores - self._mean_score)

    def __call__(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Value and gradient at each row of `points`.

        Offset and amplitude are at their optimum, so that their change with the shape adds nothing to the gradient.
        """
        g, slopes = self.basis_and_slopes(self.x, points)
        offset, amplitude = self.project(g)
        residual = self._residual(g, offset, amplitude)
        pull = self.weights * residual * (-amplitude / UNIT_OF_ERROR)[:, None]
        return self._half_sum(residual), (slopes @ pull[..., None])[..., 0]

    def curvature(self, points: FloatArray) -> FloatArray:
        """Gauss and Newton's Hessian, after what offset and amplitude make up for is taken out of the slopes."""
        g, slopes = self.basis_and_slopes(self.x, points)
        offset, amplitude = self.project(g)
        root = np.sqrt(self.weights) / UNIT_OF_ERROR
        columns = slopes * amplitude[:, None, None] * root
        level = np.where(_inside(offset, self.offset_bounds)[:, None], root / np.linalg.norm(root), 0.0)
        rise = np.where(_inside(amplitude, self.amplitude_bounds)[:, None], g * root, 0.0)
        rise = rise - level * (level * rise).sum(axis=1, keepdims=True)
        rise = rise / np.maximum(np.linalg.norm(rise, axis=1, keepdims=True), 1e-300)
        for direction in (level, rise):
            columns = columns - (columns @ direction[..., None]) * direction[:, None]
        return columns @ columns.swapaxes(1, 2) + 1e-6 * np.diag(self.scales**-2)

    def basis_and_slopes(self, x: FloatArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """g, shape (batch, sizes), and its derivatives by the shape, shape (batch, coordinates, sizes)."""
        step = 1e-30
        # One evaluation in which each coordinate is nudged in turn.
        nudged = points.T[:, :, None, None] + 1j * step * np.eye(len(self.scales))[:, None, :, None]
        values = self.family.basis(x, *nudged)
        return values[:, 0].real, values.imag / step

    def project(self, g: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Best offset and amplitude within their bounds, for each row of g."""
        mean = g @ self._share
        gap = g - mean[:, None]
        spread = (gap * gap) @ self._share
        # A basis that is flat but for rounding gets no amplitude to fit its rounding with.
        spread = np.maximum(spread, 1e-20 * mean**2 + 1e-200)
        slope = gap @ self._weighted_scores / spread
        level = self._mean_score - slope * mean
        (low, high), (least, most) = self.offset_bounds, self.amplitude_bounds
        free = (level >= low) & (level <= high) & (slope >= least) & (slope <= most)
        if free.all():
            return level, slope
        # Otherwise the optimum lies on an edge of the box. Along each the sum is a parabola.
        offsets, amplitudes = [level], [slope]
        for edge in {bound for bound in self.offset_bounds if isfinite(bound)}:
            best = (spread * slope + mean * (self._mean_score - edge)) / (spread + mean**2)
            offsets.append(np.full_like(mean, edge))
            amplitudes.append(np.clip(best, least, most))
        for edge in {bound for bound in self.amplitude_bounds if isfinite(bound)}:
            offsets.append(np.clip(self._mean_score - edge * mean, low, high))
            amplitudes.append(np.full_like(mean, edge))
        offset, amplitude = np.array(offsets), np.array(amplitudes)
        excess = spread * (amplitude - slope) ** 2 + (offset + amplitude * mean - self._mean_score) ** 2
        excess[0, ~free] = inf
        best_edge = excess.argmin(axis=0), np.arange(len(mean))
        return offset[best_edge], amplitude[best_edge]

    def starts(self) -> FloatArray:
        """The deepest valleys of the family's grid: points that are no higher than any of their neighbours.

        Along the last axis of a family with parts, every value has valleys of its own.
        """
        axes = self.family.axes
        points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
        g = self.family.basis(self.x, *points.T[:, :, None])
        value = self._half_sum(self._residual(g, *self.project(g)))
        table = np.pad(value.reshape([len(axis) for axis in axes]), 1, constant_values=inf)
        valley = np.ones(value.shape, bool)
        nearby: list[tuple[int, ...]] = [(0, 1, 2)] * len(axes)
        if self.family.has_parts:
            nearby[-1] = (1,)
        for corner in product(*nearby):
            neighbour = table[tuple(slice(i, i + len(axis)) for i, axis in zip(corner, axes, strict=True))]
            valley &= value <= neighbour.ravel()
        most = len(axes[-1]) if self.family.has_parts else _MOST_STARTS
        return points[valley][np.argsort(value[valley], kind="stable")[:most]]

    def _residual(self, g: FloatArray, offset: FloatArray, amplitude: FloatArray) -> FloatArray:
        return (self.scores - offset[:, None] - amplitude[:, None] * g) / UNIT_OF_ERROR

    def _half_sum(self, residual: FloatArray) -> FloatArray:
        total: FloatArray = 0.5 * (residual * residual) @ self.weights
        return total


def _inside(values: FloatArray, bounds: tuple[float, float]) -> NDArray[np.bool_]:
    return (values > bounds[0]) & (values < bounds[1])
