"""Least-squares fit of a mean curve: the deterministic baselines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._check import FloatArray
from .curve import CurveProblem, spread
from .optimise import minimise

__all__ = ["LeastSquaresFit", "LeastSquaresProblem", "fit_least_squares"]

# Residuals are counted in hundredths, as large as they are in practice, so that the optimiser meets numbers near 1.
_UNIT_OF_ERROR = 0.01


class LeastSquaresProblem(CurveProblem):
    """Half the sum of squared residuals, over coordinates (theta..., eps)."""

    def __call__(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Value and gradient at each row of `points`."""
        drop, slopes = self.drop_and_slopes(points)
        residual = (self.scores - (1 - points[:, -1:]) + drop) / _UNIT_OF_ERROR
        gradient = (slopes @ residual[..., None])[..., 0] / _UNIT_OF_ERROR
        return 0.5 * (residual**2).sum(axis=1), gradient

    def curvature(self, points: FloatArray) -> FloatArray:
        """Gauss and Newton's Hessian."""
        _, slopes = self.drop_and_slopes(points)
        return slopes @ slopes.swapaxes(1, 2) / _UNIT_OF_ERROR**2 + 1e-6 * np.eye(self.width)


@dataclass(frozen=True)
class LeastSquaresFit:
    """The curve nearest to the pilot scores."""

    problem: LeastSquaresProblem
    point: FloatArray
    objective: float
    """Sum of squared residuals."""
    converged: bool
    iterations: int

    @property
    def parameters(self) -> dict[str, float]:
        """Values by the paper's names."""
        return self.problem.named(self.point)

    def curve(self, sizes: FloatArray) -> FloatArray:
        """m(x)."""
        return self.problem.curve(self.point, sizes)


def fit_least_squares(problem: LeastSquaresProblem, *, starts: int = 8, seed: int = 0) -> LeastSquaresFit:
    """Search from several starts and keep the best optimum."""
    scales = np.array([1.0] * (problem.width - 1) + [0.1])
    found = minimise(
        problem,
        spread(problem.ranges, starts, seed),
        *problem.bounds,
        curvature=problem.curvature,
        scales=scales,
    )
    total = 2 * found.value * _UNIT_OF_ERROR**2
    return LeastSquaresFit(problem, found.x, total, found.converged, found.iterations)
