"""Least-squares fit of a family of curves, by variable projection.

Every curve is offset + amplitude g(x; shape). Given the shape, the best offset and amplitude within their bounds have a
closed form, so that the search is over the shape alone: one to three coordinates. That is few enough to look at a grid
of them first, all at once, and to start only from its valleys. Nothing is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import exp, inf, isfinite, log

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray, some
from ..curve import LearningCurve, Replicates
from ..errors import DataError, NoForecastError
from ..forecast import Quantity
from ..model.families import Family
from .contract import Mixture
from .nodes import draw_scores
from .optimise import minimise, warn_unless_converged

__all__ = ["LeastSquares", "LeastSquaresFit", "LeastSquaresProblem", "fit_least_squares"]

# Residuals are counted in hundredths, as large as they are in practice, so that the optimiser meets numbers near 1.
_UNIT_OF_ERROR = 0.01
_MOST_STARTS = 3
_GREATEST_LOG_SIZE = 300 * log(10)


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
        pull = self.weights * residual * (-amplitude / _UNIT_OF_ERROR)[:, None]
        return self._half_sum(residual), (slopes @ pull[..., None])[..., 0]

    def curvature(self, points: FloatArray) -> FloatArray:
        """Gauss and Newton's Hessian, after what offset and amplitude make up for is taken out of the slopes."""
        g, slopes = self.basis_and_slopes(self.x, points)
        offset, amplitude = self.project(g)
        root = np.sqrt(self.weights) / _UNIT_OF_ERROR
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
        return (self.scores - offset[:, None] - amplitude[:, None] * g) / _UNIT_OF_ERROR

    def _half_sum(self, residual: FloatArray) -> FloatArray:
        total: FloatArray = 0.5 * (residual * residual) @ self.weights
        return total


@dataclass(frozen=True)
class LeastSquaresFit:
    """The curve nearest to the pilot scores."""

    problem: LeastSquaresProblem
    shape: FloatArray
    offset: float
    amplitude: float
    objective: float
    """Weighted sum of squared residuals."""
    converged: bool
    iterations: int
    typical_count: float = 1.0
    """Over how many splits the scores are means."""

    @property
    def forecasts(self) -> bool:
        """Whether the family has an interval, and there are more sizes than parameters to judge the noise by."""
        family = self.problem.family
        return family.states_uncertainty and len(self.problem.x) > len(family.parameters)

    @property
    def diagnostics(self) -> dict[str, object]:
        """The optimum, and whether and in how many steps it was found."""
        return {"objective": self.objective, "converged": self.converged, "n_iter": self.iterations}

    def cautions(self, sizes: FloatArray) -> tuple[str, ...]:
        """None of its own."""
        return ()

    @property
    def parameters(self) -> dict[str, float]:
        """Values by their published names, for sizes counted in examples."""
        family = self.problem.family
        values = family.published(self.offset, self.amplitude, *self.shape.tolist())
        return dict(zip(family.parameters, values, strict=True))

    def curve(self, sizes: FloatArray) -> FloatArray:
        """The curve's value at each size."""
        family = self.problem.family
        with np.errstate(over="ignore"):  # far beyond any pilot
            value: FloatArray = self.offset + self.amplitude * family.basis(sizes / family.unit, *self.shape)
        return value

    def possible(self, sizes: FloatArray) -> FloatArray:
        """The curve, cut to what is possible: from 0 to the ceiling."""
        return np.clip(self.curve(sizes), 0.0, self.problem.ceiling)

    def crossing(self, level: float) -> float:
        """The least size n >= 1 at which the curve reaches `level`; infinite where it does not before 1e300."""
        if self.curve(np.ones(1))[0] >= level:
            return 1.0
        if self.amplitude == 0 or self.curve(np.array([1e300]))[0] < level:  # flat, or flat but for rounding
            return inf
        family = self.problem.family
        value = (level - self.offset) / self.amplitude
        log_size = family.log_inverse(value, *self.shape.tolist()) + log(family.unit)
        return max(exp(log_size), 1.0) if log_size <= _GREATEST_LOG_SIZE else inf

    def predict(self, sizes: FloatArray, of: Quantity = "new_splits", n_splits: int | None = None) -> Mixture:
        """A normal distribution at each size, by the delta method.

        Its variance is j (J'J)^-1 j' s^2, where J and j are the derivatives of the curve by its parameters at the pilot
        and at the sizes asked for, and s^2 = RSS / (R - parameters) is the variance of a mean score at one of R sizes.
        That is added to the variance where scores are forecast; the method knows no splits: the same are as new.
        """
        effect, noise = self._effect(sizes)
        variance = noise * (effect * effect).sum(axis=1) + self._noise(noise, of, n_splits)
        return Mixture(self.possible(sizes)[None], np.sqrt(np.maximum(variance, 1e-14))[None], np.ones(1))

    def sample(
        self, n: int, sizes: FloatArray, of: Quantity, n_splits: int | None, rng: np.random.Generator
    ) -> FloatArray:
        """Draw n whole curves from the same normal distribution, shape (n, sizes), scores cut to [0, 1]."""
        effect, noise = self._effect(sizes)
        covariance = noise * effect @ effect.T
        diagonal = np.arange(len(sizes))
        covariance[diagonal, diagonal] += self._noise(noise, of, n_splits) + 1e-14
        shape = (len(sizes), len(sizes), n)
        return draw_scores(
            np.broadcast_to(self.possible(sizes)[:, None], shape[1:]),
            np.broadcast_to(covariance[:, :, None], shape),
            rng,
        )

    def _noise(self, noise: float, of: Quantity, n_splits: int | None) -> float:
        """Variance of a mean score around the curve, given that of a mean over as many splits as the pilot has."""
        return 0.0 if of == "expected" else noise * self.typical_count / (n_splits or self.typical_count)

    def _effect(self, sizes: FloatArray) -> tuple[FloatArray, float]:
        """J'-weighted slopes j (J'J)^-1 J' at each size, of which the curve's covariance is made, and s^2."""
        self._refuse_to_forecast()
        pilot = self._slopes(self.problem.x)
        freedom = len(pilot) - len(self.problem.family.parameters)
        noise = self.objective / freedom
        # What the pilot does not determine (a switch between two parts that agree) moves no prediction either.
        size_of = np.maximum(np.linalg.norm(pilot, axis=0), 1e-300)
        effect = self._slopes(sizes / self.problem.family.unit) / size_of @ np.linalg.pinv(pilot / size_of, rcond=1e-8)
        return effect, noise

    def _refuse_to_forecast(self) -> None:
        if self.forecasts:
            return
        family = self.problem.family
        if not family.states_uncertainty:
            raise NoForecastError(
                f"The family {family.name!r} is one best-fit curve and has no distribution to forecast with. Use "
                "predict(sizes) for its values, or APExGP() for a forecast."
            )
        raise NoForecastError(
            f"The family {family.name!r} has {len(family.parameters)} parameters, and the pilot has "
            f"{len(self.problem.x)} different sizes: nothing is left to judge the noise by. Add a size, or use "
            "predict(sizes) for the curve alone."
        )

    def _slopes(self, x: FloatArray) -> FloatArray:
        """Derivatives of the curve by every coordinate that is not fixed, shape (sizes, coordinates)."""
        g, slopes = self.problem.basis_and_slopes(x, self.shape[None])
        columns = [self.amplitude * slopes[0]]
        if self.problem.amplitude_bounds[0] < self.problem.amplitude_bounds[1]:
            columns.append(g)
        if self.problem.offset_bounds[0] < self.problem.offset_bounds[1]:
            columns.append(np.ones_like(g))
        return np.concatenate(columns).T


@dataclass(frozen=True)
class LeastSquares:
    """An engine: a family of curves, of which the nearest to the mean scores is searched for."""

    family: type[Family]
    ceiling: float

    def check(self, curve: LearningCurve) -> None:
        """Refuse a curve of fewer sizes than the family has parameters."""
        sizes, needed = curve.replicates.sizes, len(self.family.parameters)
        if len(sizes) < needed:
            raise DataError(
                f"The family {self.family.name!r} has {needed} parameters and needs scores at {needed} or more "
                f"different sizes, got {len(sizes)} ({some(sizes)}). Train on a further subset, or use 'power_law', "
                "which needs 3."
            )

    def fit(self, curves: Sequence[LearningCurve]) -> list[LeastSquaresFit]:
        """One search a curve."""
        return [self._fit(curve.replicates) for curve in curves]

    def _fit(self, pilot: Replicates) -> LeastSquaresFit:
        problem = LeastSquaresProblem(self.family(pilot.sizes), pilot.sizes, pilot.mean, self.ceiling)
        found = replace(fit_least_squares(problem), typical_count=float(np.median(pilot.count)))
        warn_unless_converged(found.converged, found.iterations)
        return found


def fit_least_squares(problem: LeastSquaresProblem) -> LeastSquaresFit:
    """Search from the valleys of the grid and keep the best optimum."""
    found = minimise(
        problem,
        problem.starts(),
        problem.lower,
        problem.upper,
        curvature=problem.curvature,
        scales=problem.scales,
        gradient_tolerance=1e-9,
    )
    shape = np.clip(found.x, problem.lower, problem.upper)  # the optimiser's own units may round past a bound
    offset, amplitude = problem.project(problem.family.basis(problem.x, *shape[:, None, None]))
    total = 2 * found.value * _UNIT_OF_ERROR**2
    return LeastSquaresFit(
        problem, shape, float(offset[0]), float(amplitude[0]), total, found.converged, found.iterations
    )


def _inside(values: FloatArray, bounds: tuple[float, float]) -> NDArray[np.bool_]:
    return (values > bounds[0]) & (values < bounds[1])
