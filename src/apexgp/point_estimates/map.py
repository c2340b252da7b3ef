"""Maximum a-posteriori fit of the Gaussian process, and the Gaussian predictive that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._check import FloatArray
from ..curve import LearningCurve, Replicates
from ..forecast import Quantity
from ..inference.contract import Mixture
from ..model.kernel import log_rbf
from ..model.means import Mean
from ..model.paper_priors import Variant
from .map_problem import MapProblem
from .optimise import draw_starts, minimise
from .point_fit import PointFit, draw_curves

__all__ = ["MapFit", "MaximumAPosteriori", "condition", "fit_map"]


@dataclass(frozen=True)
class MapFit(PointFit):
    """The most probable parameters of one pilot curve.

    The objective is log p(y | x) + log p(eta); without priors, log p(y | x).
    """

    problem: MapProblem
    point: FloatArray

    @property
    def has_distribution(self) -> bool:
        """True: a MAP fit is Gaussian."""
        return True

    @property
    def parameters(self) -> dict[str, float]:
        """Values by the paper's names."""
        return self.problem.named(self.point)

    def curve(self, sizes: FloatArray) -> FloatArray:
        """The mean function m(x)."""
        return self.problem.curve(self.point, sizes)

    def predict(self, sizes: FloatArray, of: Quantity = "new_splits", n_splits: int | None = None) -> Mixture:
        """The Gaussian predictive."""
        location, half = self._given_the_pilot(sizes)
        sigma = self.point[-2]
        variance = np.maximum(sigma**2 - (half**2).sum(axis=0), 1e-14) + self._noise(of, n_splits)
        return Mixture(location[None], np.sqrt(variance)[None], np.ones(1))

    def _noise(self, of: Quantity, n_splits: int | None) -> float:
        """Variance around f of a mean score: tau^2 is that of a mean over as many splits as the pilot has."""
        return self.noise_share(of, n_splits) * float(self.point[-3]) ** 2

    def sample(
        self, n: int, sizes: FloatArray, of: Quantity, n_splits: int | None, rng: np.random.Generator
    ) -> FloatArray:
        """Draw n whole curves from the predictive, shape (n, sizes), scores cut to [0, 1]."""
        location, half = self._given_the_pilot(sizes)
        _, sigma, lam = self.point[-3:]
        covariance = log_rbf(self.problem.distances(sizes, sizes), sigma, lam) - half.T @ half
        diagonal = np.arange(len(sizes))
        covariance[diagonal, diagonal] = np.maximum(covariance[diagonal, diagonal], 1e-14) + self._noise(of, n_splits)
        return draw_curves(n, location, covariance, rng)

    def _given_the_pilot(self, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Conditional mean of f at new sizes, and the whitened covariances of f there with the pilot scores."""
        problem, (tau, sigma, lam) = self.problem, self.point[-3:]
        pilot = problem.sizes
        noisy = log_rbf(problem.distances(pilot, pilot), sigma, lam) + tau**2 * np.eye(len(pilot))
        shift, half = condition(
            problem.scores - self.curve(pilot), noisy, log_rbf(problem.distances(pilot, sizes), sigma, lam)
        )
        return self.curve(sizes) + shift, half


@dataclass(frozen=True)
class MaximumAPosteriori:
    """An engine: the paper's model, of which the most probable parameters are searched for."""

    mean: Mean
    ceiling: float
    variant: Variant
    seed: int
    flat: bool = False
    fewest_sizes: ClassVar[int] = 3

    def check(self, curve: LearningCurve) -> None:
        """Any curve will do."""

    def fit(self, curves: Sequence[LearningCurve]) -> list[MapFit]:
        """One search per curve."""
        return [self._fit(curve.replicates) for curve in curves]

    def _fit(self, pilot: Replicates) -> MapFit:
        problem = MapProblem(self.mean, pilot.sizes, pilot.mean, self.ceiling, self.variant, self.flat)
        return fit_map(problem, seed=self.seed).of_pilot(pilot, " Try another seed.")


def fit_map(problem: MapProblem, *, seed: int = 0) -> MapFit:
    """Search from several starts and keep the best optimum."""
    starts = draw_starts(problem.ranges, 8, seed)
    if problem.variant.noise_floor == 0 or problem.flat:
        # Without a floor under the noise there are optima with almost none of it; there, and without priors, also some
        # with almost no sigma.
        quiet, smooth = starts.copy(), starts.copy()
        quiet[:, -3] *= 1e-2
        smooth[:, -2] *= 1e-2
        starts = np.concatenate([starts, quiet, smooth])
    found = minimise(
        problem,
        starts,
        *problem.bounds,
        curvature=problem.curvature,
        scales=problem.scales,
    )
    return MapFit(problem, found.x, objective=-found.value, converged=found.converged, iterations=found.iterations)


def condition(residual: FloatArray, covariance: FloatArray, cross: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Conditional mean of the process at new sizes, relative to the mean function, and H = L^-1 K_*.

    The covariance there is K_** - H'H.

    Parameters
    ----------
    residual
        y - m at the R pilot sizes.
    covariance
        K + tau^2 I = L L', shape (R, R).
    cross
        K_*, shape (R, Q).
    """
    root = np.linalg.cholesky(covariance)
    half = np.linalg.solve(root, cross)
    return half.T @ np.linalg.solve(root, residual), half
