"""Maximum a-posteriori fit of the Gaussian process, and the Gaussian predictive that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .._check import FloatArray
from ..curve import LearningCurve, Replicates
from ..forecast import Quantity
from ..model.kernel import log_rbf, log_rbf_slopes
from ..model.means import Mean
from ..model.paper_priors import TAU, PositiveNormal, Variant, elicit_sigma
from .curve_problem import CurveProblem, spread
from .gaussian import condition, log_likelihood
from .mixture import Mixture
from .nodes import draw_alike
from .optimise import minimise
from .point import PointFit

__all__ = ["MapFit", "MapProblem", "MaximumAPosteriori", "fit_map"]

# Numerical, not part of the model: with tau or lambda at exactly 0 the covariance or its slope is not defined, and
# with sigma large against tau the matrix K + tau^2 I has no Cholesky root in double precision.
_LEAST_TAU = 1e-5
_LEAST_SIGMA = 1e-6
_LEAST_LAMBDA = 1e-3


@dataclass(frozen=True)
class MapProblem(CurveProblem):
    """The negative log posterior of one pilot curve, over coordinates (theta..., eps, tau, sigma, lambda)."""

    variant: Variant
    flat: bool = False
    """Whether tau, sigma and lambda go without a prior, so that the likelihood alone is searched."""

    @cached_property
    def sigma_prior(self) -> PositiveNormal:
        """Prior on sigma, elicited from the room W above the best pilot score."""
        window = (self.ceiling if self.variant.window_to_ceiling else 1.0) - self.scores.max()
        return elicit_sigma(max(float(window), 0.0), self.variant.sigma_upper, self.variant.sigma_steps)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Least and greatest coordinates."""
        low, high = super().bounds
        least_tau = max(self.variant.noise_floor, _LEAST_TAU)
        return np.array([*low, least_tau, _LEAST_SIGMA, _LEAST_LAMBDA]), np.array([*high, *[np.inf] * 3])

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """Where to begin searching."""
        least_tau, sigma = self.bounds[0][-3], self.sigma_prior
        return [
            *super().ranges,
            (least_tau, least_tau + 2 * TAU.scale),
            (sigma.loc, sigma.loc + sigma.scale),
            (0.05, 2.0),
        ]

    def distances(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Distances of the logarithms of two sets of sizes, in the variant's base."""
        logs = [np.log(s) / np.log(self.variant.log_base) for s in (left, right)]
        return np.abs(logs[0][:, None] - logs[1][None, :])

    def __call__(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Negative log posterior and its gradient at each row of `points`."""
        drop, slopes, covariance, by_hyper = self._parts(points)
        residual = self.scores - ((1 - points[:, -4, None]) - drop)
        value, by_residual, by_covariance = log_likelihood(residual, covariance)
        gradient = np.concatenate(
            [
                (by_residual[:, None] * slopes).sum(axis=-1),  # m falls as the drop and eps rise
                (by_covariance[:, None] * by_hyper).sum(axis=(-2, -1)),
            ],
            axis=1,
        )
        for column, prior in enumerate(self._priors, start=-3):
            value = value + prior.log_pdf(points[:, column])
            gradient[:, column] += prior.log_pdf_slope(points[:, column])
        return -value, -gradient

    def curvature(self, points: FloatArray) -> FloatArray:
        """Expected Hessian: Fisher's information of the Gaussian likelihood, and that of the priors."""
        _, slopes, covariance, by_hyper = self._parts(points)
        inverse = np.linalg.inv(covariance)
        hessian = np.zeros((len(points), points.shape[1], points.shape[1]))
        hessian[:, :-3, :-3] = slopes @ inverse @ slopes.swapaxes(1, 2)
        relative = inverse[:, None] @ by_hyper
        hessian[:, -3:, -3:] = 0.5 * np.einsum("bipq,bjqp->bij", relative, relative)
        index = np.arange(points.shape[1])
        for column, prior in enumerate(self._priors, start=-3):
            hessian[:, column, column] += prior.scale**-2
        hessian[:, index, index] += 1e-6 / self.scales**2  # two slopes may coincide
        return hessian

    def _parts(self, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Drop, its slopes by (theta, eps), K + tau^2 I, and the slopes of that by (tau, sigma, lambda)."""
        drop, slopes = self.drop_and_slopes(points)
        tau, sigma, lam = (column[:, None, None] for column in points[:, -3:].T)
        kernel = log_rbf(self._distances, sigma, lam)
        by_sigma, by_lambda = log_rbf_slopes(kernel, self._distances, sigma, lam)
        identity = np.broadcast_to(np.eye(len(self.sizes)), kernel.shape)
        by_hyper = np.stack([2 * tau * identity, by_sigma, by_lambda], axis=1)
        return drop, slopes, kernel + tau**2 * identity, by_hyper

    @cached_property
    def _distances(self) -> FloatArray:
        return self.distances(self.sizes, self.sizes)

    @property
    def _priors(self) -> tuple[PositiveNormal, ...]:
        return () if self.flat else (TAU, self.sigma_prior, self.variant.lambda_prior)

    @cached_property
    def scales(self) -> FloatArray:
        """A typical length along each coordinate, for the optimiser."""
        return np.array([1.0] * len(self.mean.parameters) + [0.1, 0.01, 0.01, 1.0])


@dataclass(frozen=True)
class MapFit(PointFit):
    """The most probable parameters of one pilot curve.

    The objective is log p(y | x) + log p(eta); without priors, log p(y | x).
    """

    problem: MapProblem
    point: FloatArray

    @property
    def has_distribution(self) -> bool:
        """Always."""
        return True

    @property
    def parameters(self) -> dict[str, float]:
        """Values by the paper's names."""
        tau, sigma, lam = self.point[-3:].tolist()
        return self.problem.named(self.point) | {"tau": tau, "sigma": sigma, "lambda": lam}

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
        return draw_alike(n, location, covariance, rng)

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
    starts = spread(problem.ranges, 8, seed)
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
