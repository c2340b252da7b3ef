"""The paper's posterior as a function to minimise: its value, gradient, curvature, bounds and where to begin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._check import FloatArray
from ..model.kernel import log_rbf, log_rbf_slopes
from ..model.means import Mean
from ..model.paper_priors import TAU, PositiveNormal, Variant, elicit_sigma

__all__ = ["MapProblem", "log_likelihood"]

# Numerical, not part of the model: with tau or lambda at exactly 0 the covariance or its slope is not defined, and
# with sigma large against tau the matrix K + tau^2 I has no Cholesky root in double precision.
_LEAST_TAU = 1e-5
_LEAST_SIGMA = 1e-6
_LEAST_LAMBDA = 1e-3


@dataclass(frozen=True)
class MapProblem:
    """The negative log posterior of one pilot curve, over coordinates (theta..., eps, tau, sigma, lambda).

    Inside, sizes are counted in units of the smallest one, so that the same starts suit any pilot.
    """

    mean: Mean
    sizes: FloatArray
    """Distinct and rising."""
    scores: FloatArray
    """Mean score at each size."""
    ceiling: float
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
        low, high = zip(*[(p.lower, p.upper) for p in self.mean.parameters], self._eps_range, strict=True)
        least_tau = max(self.variant.noise_floor, _LEAST_TAU)
        return np.array([*low, least_tau, _LEAST_SIGMA, _LEAST_LAMBDA]), np.array([*high, *[np.inf] * 3])

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """Range of each coordinate to begin searching in."""
        least_tau, sigma = self.bounds[0][-3], self.sigma_prior
        return [
            *(p.start for p in self.mean.parameters),
            self._eps_range,
            (least_tau, least_tau + 2 * TAU.scale),
            (sigma.loc, sigma.loc + sigma.scale),
            (0.05, 2.0),
        ]

    @property
    def _eps_range(self) -> tuple[float, float]:
        """Eps ~ U[eps_min, 1 - y'], with y' the best pilot score: the curve's limit is no lower than that."""
        return 1 - self.ceiling, max(1 - float(self.scores.max()), 1 - self.ceiling)

    @cached_property
    def scales(self) -> FloatArray:
        """A typical length along each coordinate, for the optimiser."""
        return np.array([1.0] * len(self.mean.parameters) + [0.1, 0.01, 0.01, 1.0])

    def curve(self, point: FloatArray, sizes: FloatArray) -> FloatArray:
        """m(x), by the coordinates of one point."""
        return self.mean(sizes / self._unit, point[-4], *point[:-4])

    def named(self, point: FloatArray) -> dict[str, float]:
        """Coordinates by the paper's names, for sizes counted in examples."""
        *theta, eps, tau, sigma, lam = point.tolist()
        in_examples = self.mean.rescale_theta(self._unit, *theta)
        named = dict(zip((p.name for p in self.mean.parameters), in_examples, strict=True))
        return named | {"epsilon": eps, "tau": tau, "sigma": sigma, "lambda": lam}

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
        """Drop, its slopes by (theta, eps), K + tau^2 I, and the slopes of that by (tau, sigma, lambda).

        Shapes are (batch, R), (batch, coordinates, R), (batch, R, R) and (batch, 3, R, R).
        """
        theta = [column[:, None] for column in points[:, :-4].T]
        drop, by_theta = self.mean.drop_and_slopes(self.sizes / self._unit, *theta)
        slopes = np.stack([*by_theta, np.ones_like(drop)], axis=1)
        tau, sigma, lam = (column[:, None, None] for column in points[:, -3:].T)
        kernel = log_rbf(self._distances, sigma, lam)
        by_sigma, by_lambda = log_rbf_slopes(kernel, self._distances, sigma, lam)
        identity = np.broadcast_to(np.eye(len(self.sizes)), kernel.shape)
        by_hyper = np.stack([2 * tau * identity, by_sigma, by_lambda], axis=1)
        return drop, slopes, kernel + tau**2 * identity, by_hyper

    @property
    def _unit(self) -> float:
        return float(self.sizes[0])

    @cached_property
    def _distances(self) -> FloatArray:
        return self.distances(self.sizes, self.sizes)

    @property
    def _priors(self) -> tuple[PositiveNormal, ...]:
        return () if self.flat else (TAU, self.sigma_prior, self.variant.lambda_prior)


def log_likelihood(residual: FloatArray, covariance: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log N(residual | 0, covariance), and its derivatives by the residual and by the covariance.

    Shapes are (batch, R) and (batch, R, R).
    """
    root = np.linalg.cholesky(covariance)
    inverse = np.linalg.inv(covariance)
    weighted = (inverse @ residual[..., None])[..., 0]
    log_det = 2 * np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)
    fit = (residual * weighted).sum(axis=-1)
    value = -0.5 * (residual.shape[-1] * np.log(2 * np.pi) + log_det + fit)
    return value, -weighted, 0.5 * (weighted[..., :, None] * weighted[..., None, :] - inverse)
