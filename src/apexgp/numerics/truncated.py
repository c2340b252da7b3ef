"""The normal distribution cut to an interval, and its scores cut to [0, 1], elementwise over arrays.

`scipy.stats.truncnorm` has the same quantities, but computes its normalising constant anew in every call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from .._check import FloatArray

__all__ = ["Cut", "CutNormal"]

# Farther outside [0, 1] the tail masses underflow. Seen from so many standard deviations away the distribution is
# an exponential that hugs the bound (scale: a thirtieth of a standard deviation), so a location beyond is held here.
_FARTHEST = 30.0
_FLATTEST = 1e4  # a normal so wide is uniform over [0, 1]; much wider, its mass there would be lost to rounding
_ROOT_2PI = np.sqrt(2 * np.pi)

# Phi(z) is nearly the logistic function of this cubic (Page 1977).
_LINEAR, _CUBIC = np.float32(1.5976), np.float32(0.070566)


class Cut:
    """The standard normal distribution cut to [low, high].

    Masses are computed on the side of the mean on which they are small: there no digits are lost.
    """

    def __init__(self, low: FloatArray, high: FloatArray) -> None:
        self.low, self.high = low, high
        self.mirrored = low + high > 0
        self.below = ndtr(np.where(self.mirrored, -high, low))
        self.mass = ndtr(np.where(self.mirrored, -low, high)) - self.below

    @property
    def log_mass(self) -> FloatArray:
        """Logarithm of the mass within the interval; -inf where there is none."""
        with np.errstate(divide="ignore"):
            found: FloatArray = np.log(np.maximum(self.mass, 0.0))
        lost = self._lost
        if lost.any():
            # So far out nearly all the mass lies at the near end, phi(z) / |z| of it.
            near = np.where(self.mirrored, self.low, self.high)[lost]
            found[lost] = -0.5 * near**2 - np.log(np.abs(near) * _ROOT_2PI)
        return found

    def quantile(self, p: FloatArray) -> FloatArray:
        """Inverse of the cumulative distribution."""
        z = ndtri(self.below + np.where(self.mirrored, 1 - p, p) * self.mass)
        z = np.where(self.mirrored, -z, z)
        lost = self._lost
        if lost.any():
            z = np.where(lost, np.where(self.mirrored, self.low, self.high), z)
        return np.clip(z, self.low, np.maximum(self.low, self.high))

    @cached_property
    def _lost(self) -> NDArray[np.bool_]:
        """Where there is mass, but too little for a number."""
        return (self.mass <= 0) & (self.high > self.low) & (np.minimum(np.abs(self.low), np.abs(self.high)) > 30)


class CutNormal:
    """Normal distributions with the given locations and scales, each cut to [0, 1] and normalised."""

    def __init__(self, location: FloatArray, scale: FloatArray) -> None:
        scale = np.minimum(scale, _FLATTEST)
        self.location = np.clip(location, -_FARTHEST * scale, 1 + _FARTHEST * scale)
        self.scale = scale
        self.cut = Cut(-self.location / scale, (1 - self.location) / scale)
        sign = np.where(self.cut.mirrored, -1.0, 1.0)
        # cdf = constant + slope Phi(sign z); pdf = height exp(-z^2 / 2)
        self._signed_precision = sign / scale
        self._cdf_slope = sign / self.cut.mass
        self._cdf_at_zero_mass = self.cut.mirrored - self._cdf_slope * self.cut.below

    @cached_property
    def _height(self) -> FloatArray:
        return 1 / (self.scale * _ROOT_2PI * self.cut.mass)

    def cdf(self, y: FloatArray) -> FloatArray:
        """P(Y <= y)."""
        z = (np.clip(y, 0.0, 1.0) - self.location) * self._signed_precision
        return self._cdf_at_zero_mass + ndtr(z) * self._cdf_slope

    def pdf(self, y: FloatArray) -> FloatArray:
        """Density of Y at y; 0 outside [0, 1]."""
        z = (y - self.location) * self._signed_precision
        return np.exp(-0.5 * z * z) * self._height * ((y >= 0) & (y <= 1))

    def log_pdf(self, y: FloatArray) -> FloatArray:
        """Logarithm of the density; -inf outside [0, 1]."""
        z = (y - self.location) * self._signed_precision
        return np.where((y >= 0) & (y <= 1), np.log(self._height) - 0.5 * z * z, -np.inf)

    def mixed(
        self, weights: FloatArray
    ) -> Callable[[FloatArray, NDArray[np.intp]], tuple[FloatArray, FloatArray, FloatArray]]:
        """Cdf, pdf and slope of the pdf of the mixture over the first axis, for rows of y in [0, 1] at some columns.

        A search for quantiles asks for these over and over: weights and constants are put together beforehand.
        """
        step, height = weights[:, None] * self._cdf_slope, weights[:, None] * self._height
        steepness = height * self._signed_precision
        offset = weights @ self._cdf_at_zero_mass
        constants = (self.location, self._signed_precision, step, height, steepness)

        def cdf_pdf_and_slope(y: FloatArray, which: NDArray[np.intp]) -> tuple[FloatArray, FloatArray, FloatArray]:
            every = len(which) == len(offset)
            location, precision, mass, top, bend = (c if every else c[:, which] for c in constants)
            z = y[:, None] - location
            z *= precision
            cdf = offset[which] + np.einsum("bkq,kq->bq", ndtr(z), mass)
            bell = z * z
            bell *= -0.5
            np.exp(bell, out=bell)
            pdf = np.einsum("bkq,kq->bq", bell, top)
            bell *= z
            return cdf, pdf, -np.einsum("bkq,kq->bq", bell, bend)

        return cdf_pdf_and_slope

    def mixed_roughly(self, weights: FloatArray) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
        """Cdf and pdf of the mixture, right to 2e-4 but quick: single precision, a logistic function for Phi."""
        single = np.float32
        location, precision = self.location.astype(single), self._signed_precision.astype(single)
        # What lies almost wholly outside hugs a bound.
        outside = self.cut.mass < 1e-3
        step = np.where(outside, 0.0, weights[:, None] * self._cdf_slope).astype(single)
        offset = weights @ np.where(outside, self.location < 0.5, self._cdf_at_zero_mass)
        steepness = np.abs(precision * step)

        def cdf_and_pdf(y: FloatArray) -> tuple[FloatArray, FloatArray]:
            z = y.astype(single)[:, None] - location
            z *= precision
            square = z * z
            np.minimum(square, 60.0, out=square)  # beyond, Phi is 0 or 1 to the accuracy at hand
            z *= -_LINEAR - _CUBIC * square
            np.exp(np.minimum(z, 80.0, out=z), out=z)
            z += 1
            phi = np.divide(1, z, out=z)
            cdf = offset + np.einsum("bkq,kq->bq", phi, step)
            square *= 3 * _CUBIC
            square += _LINEAR
            square *= phi
            square *= 1 - phi
            return cdf, np.einsum("bkq,kq->bq", square, steepness)

        return cdf_and_pdf

    def quantile(self, p: FloatArray) -> FloatArray:
        """Inverse of the cumulative distribution."""
        return np.clip(self.location + self.scale * self.cut.quantile(p), 0.0, 1.0)

    def mean_and_variance(self) -> tuple[FloatArray, FloatArray]:
        """First two moments of Y."""
        alpha, beta, mass = self.cut.low, self.cut.high, self.cut.mass
        at_alpha, at_beta = (np.exp(-0.5 * z**2) / _ROOT_2PI for z in (alpha, beta))
        shift = (at_alpha - at_beta) / mass
        variance = self.scale**2 * (1 + (alpha * at_alpha - beta * at_beta) / mass - shift**2)
        # A variable on [0, 1] has a variance of at most 1/4; rounding may leave that range in the far tail.
        return np.clip(self.location + self.scale * shift, 0.0, 1.0), np.clip(variance, 0.0, 0.25)
