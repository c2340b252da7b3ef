"""Distributions that priors are made of, and checks of those that a user states.

Parameters are stated through standard normal deviates: a prior is the map from a deviate z ~ N(0, 1) to the parameter,
so that the engine works in one space whatever the distributions are. A prior is evaluated at a few deviates before any
curve is fitted, so that one that cannot be meant is named, and the curve is not blamed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import betaln, expit, ndtr

from .._check import DAMAGED, FloatArray, check_real_array, check_real_number, format_value
from ..errors import RequestError

__all__ = [
    "FARTHEST",
    "Beta",
    "LogNormal",
    "LogitNormal",
    "Normal",
    "Prior",
    "ScaledPrior",
    "Uniform",
    "check_between",
    "check_distribution",
    "check_positive_distribution",
    "check_share_prior",
]


class Prior(Protocol):
    """A distribution, as the map from standard normal deviates to values."""

    def from_normal(self, z: FloatArray) -> FloatArray:
        """Values at the quantiles that the deviates z have under N(0, 1)."""
        ...


@dataclass(frozen=True)
class Normal:
    """N(loc, scale^2)."""

    loc: float
    scale: float

    def from_normal(self, z: FloatArray) -> FloatArray:
        """loc + scale z."""  # noqa: D403
        return self.loc + self.scale * z


@dataclass(frozen=True)
class LogNormal:
    """A positive quantity of which the logarithm is N(log median, spread^2)."""

    median: float
    spread: float

    def from_normal(self, z: FloatArray) -> FloatArray:
        """median exp(spread z)."""  # noqa: D403
        return self.median * np.exp(self.spread * z)


@dataclass(frozen=True)
class LogitNormal:
    """A quantity in (0, upper) of which the logit of the share is N(loc, scale^2)."""

    loc: float
    scale: float
    upper: float = 1.0

    def from_normal(self, z: FloatArray) -> FloatArray:
        """upper logistic(loc + scale z)."""  # noqa: D403
        value: FloatArray = self.upper * expit(self.loc + self.scale * z)
        return value


@dataclass(frozen=True)
class Uniform:
    """U[low, high]."""

    low: float
    high: float

    def from_normal(self, z: FloatArray) -> FloatArray:
        """low + (high - low) Phi(z)."""  # noqa: D403
        value: FloatArray = self.low + (self.high - self.low) * ndtr(z)
        return value


@dataclass(frozen=True)
class ScaledPrior:
    """Another distribution with every value multiplied by a factor."""

    prior: Prior
    factor: float

    def from_normal(self, z: FloatArray) -> FloatArray:
        """The factor times the value of the other distribution."""
        return self.factor * self.prior.from_normal(z)


@dataclass(frozen=True)
class Beta:
    """Beta(a, b) on (0, 1)."""

    a: float
    b: float

    def log_density(
        self, log_share: FloatArray, log_rest: FloatArray, times_a: float = 1.0, times_b: float = 1.0
    ) -> FloatArray:
        """Logarithm of the density of Beta(a times_a, b times_b) at a share, given log(share) and log(1 - share)."""
        a, b = self.a * times_a, self.b * times_b
        value: FloatArray = (a - 1) * log_share + (b - 1) * log_rest - betaln(a, b)
        return value


FARTHEST = 1e100  # its square is still finite
_DEVIATES = np.array([-4.0, -1.0, 0.0, 1.0, 4.0])
_SHARES = np.array([0.01, 0.5, 0.99])


def check_distribution(name: str, prior: Any) -> FloatArray:
    """Check that a prior gives finite values that do not fall, and return those at a few deviates."""
    try:
        with np.errstate(all="ignore"):
            values = check_real_array(name, prior.from_normal(_DEVIATES.copy()))
        if values.shape == _DEVIATES.shape and (np.abs(values) < FARTHEST).all() and (np.diff(values) >= 0).all():
            return values
    except DAMAGED:  # a prior without from_normal, or with broken parameters
        pass
    raise RequestError(
        f"must be a distribution whose from_normal gives rising values, got {format_value(prior)}.", argument=name
    )


def check_positive_distribution(name: str, prior: Any) -> None:
    """Check the prior of a quantity that is never below 0, with a median above 0."""
    values = check_distribution(name, prior)
    if values[0] < 0 or values[2] <= 0:
        raise RequestError(f"must be of positive values, got {format_value(prior)}.", argument=name)


def check_share_prior(name: str, mean: str, prior: Any) -> None:
    """Check that the prior of a share has a density."""
    try:
        with np.errstate(all="ignore"):
            log_shares = np.log(_SHARES), np.log1p(-_SHARES)
            densities = check_real_array(name, prior.log_density(*log_shares, np.ones(3), np.ones(3)))
        if np.isfinite(densities).all():
            return
    except DAMAGED:
        pass
    raise RequestError(f"must be a Beta distribution for {mean}, got {format_value(prior)}.", argument=name)


def check_between(name: str, value: Any, least: float, most: float) -> float:
    """Check that a number is from `least` to `most`."""
    number = check_real_number(name, value)
    if not least <= number <= most:
        raise RequestError(f"must be from {least:g} to {most:g}, got {format_value(value)}.", argument=name)
    return number
