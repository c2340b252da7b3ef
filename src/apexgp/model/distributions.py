"""Distributions that priors are made of.

Parameters are stated through standard normal deviates: a prior is the map from a deviate z ~ N(0, 1) to the parameter,
so that the engine works in one space whatever the distributions are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import betaln, expit, ndtr

from .._check import FloatArray

__all__ = ["Beta", "LogNormal", "LogitNormal", "Normal", "Prior", "ScaledPrior", "Uniform"]


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
        """The factor times what the other has."""
        return self.factor * self.prior.from_normal(z)


@dataclass(frozen=True)
class Beta:
    """Beta(a, b) on (0, 1)."""

    a: float
    b: float

    def log_density(
        self, log_share: FloatArray, log_rest: FloatArray, times_a: float = 1.0, times_b: float = 1.0
    ) -> FloatArray:
        """Logarithm of the density of Beta(a times_a, b times_b), given those of the share and of what it leaves."""
        a, b = self.a * times_a, self.b * times_b
        value: FloatArray = (a - 1) * log_share + (b - 1) * log_rest - betaln(a, b)
        return value
