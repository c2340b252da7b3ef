"""Least-squares fit of a family of curves: the nearest to the mean scores, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import ClassVar

import numpy as np

from .._check import FloatArray, format_some
from ..curve import LearningCurve, Replicates
from ..errors import NoForecastError, TooFewSizesError
from ..forecast import Quantity
from ..inference.contract import Mixture
from ..model.families import Family
from .least_squares_problem import UNIT_OF_ERROR, LeastSquaresProblem
from .optimise import minimise
from .point_fit import PointFit, draw_curves

__all__ = ["LeastSquaresEngine", "LeastSquaresFit", "fit_least_squares"]

_GREATEST_LOG_SIZE = 300 * log(10)


@dataclass(frozen=True)
class LeastSquaresFit(PointFit):
    """The curve nearest to the pilot scores; the objective is the weighted sum of squared residuals."""

    problem: LeastSquaresProblem
    shape: FloatArray
    offset: float
    amplitude: float

    @property
    def has_distribution(self) -> bool:
        """Whether the family has an interval, and there are more sizes than parameters to judge the noise by."""
        family = self.problem.family
        return family.states_uncertainty and len(self.problem.x) > len(family.parameters)

    @property
    def parameters(self) -> dict[str, float]:
        """Values by their published names, for sizes counted in examples."""
        family = self.problem.family
        values = family.to_published(self.offset, self.amplitude, *self.shape.tolist())
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
        That is added to the variance where scores are forecast.
        """
        effect, noise = self._effect(sizes)
        variance = noise * (effect * effect).sum(axis=1) + noise * self.noise_share(of, n_splits)
        return Mixture(self.possible(sizes)[None], np.sqrt(np.maximum(variance, 1e-14))[None], np.ones(1))

    def sample(
        self, n: int, sizes: FloatArray, of: Quantity, n_splits: int | None, rng: np.random.Generator
    ) -> FloatArray:
        """Draw n whole curves from the same normal distribution, shape (n, sizes), scores cut to [0, 1]."""
        effect, noise = self._effect(sizes)
        covariance = noise * effect @ effect.T
        diagonal = np.arange(len(sizes))
        covariance[diagonal, diagonal] += noise * self.noise_share(of, n_splits) + 1e-14
        return draw_curves(n, self.possible(sizes), covariance, rng)

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
        if self.has_distribution:
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
        """Derivatives of the curve by every coordinate that is free, shape (sizes, coordinates).

        One that the search left on its bound is not: with the switch of the piecewise power law at the last size, the
        pilot is one parabola, and says nothing of where it would have ended.
        """
        g, slopes = self.problem.basis_and_slopes(x, self.shape[None])
        margin = 1e-3 * (self.problem.upper - self.problem.lower)
        free = (self.shape > self.problem.lower + margin) & (self.shape < self.problem.upper - margin)
        columns = [self.amplitude * slopes[0][free]]
        if self.problem.amplitude_bounds[0] < self.problem.amplitude_bounds[1]:
            columns.append(g)
        if self.problem.offset_bounds[0] < self.problem.offset_bounds[1]:
            columns.append(np.ones_like(g))
        return np.concatenate(columns).T


@dataclass(frozen=True)
class LeastSquaresEngine:
    """An engine: a family of curves, of which the nearest to the mean scores is searched for."""

    family: type[Family]
    ceiling: float
    fewest_sizes: ClassVar[int] = 3

    def check(self, curve: LearningCurve) -> None:
        """Refuse a curve of fewer sizes than the family has parameters."""
        sizes, needed = curve.replicates.sizes, len(self.family.parameters)
        if len(sizes) < needed:
            raise TooFewSizesError(
                f"The family {self.family.name!r} has {needed} parameters and needs scores at {needed} or more "
                f"different sizes, got {len(sizes)} ({format_some(sizes)}). Train on a further subset, or use "
                "'power_law', which needs 3."
            )

    def fit(self, curves: Sequence[LearningCurve]) -> list[LeastSquaresFit]:
        """One search per curve."""
        return [self._fit(curve.replicates) for curve in curves]

    def _fit(self, pilot: Replicates) -> LeastSquaresFit:
        problem = LeastSquaresProblem(self.family(pilot.sizes), pilot.sizes, pilot.mean, self.ceiling)
        return fit_least_squares(problem).of_pilot(pilot)


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
    total = 2 * found.value * UNIT_OF_ERROR**2
    return LeastSquaresFit(
        problem,
        shape,
        float(offset[0]),
        float(amplitude[0]),
        objective=total,
        converged=found.converged,
        iterations=found.iterations,
    )
