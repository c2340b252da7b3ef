"""The standard normal distribution truncated to an interval, and any normal truncated to [0, 1], over arrays.

`scipy.stats.truncnorm` has the same quantities, but computes its normalising constant anew in every call.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from .._check import FloatArray
from ..compiled.loaded import compiled_loops

__all__ = ["TruncatedNormal", "TruncatedStandardNormal"]

# Farther outside [0, 1] the tail masses underflow. Seen from so many standard deviations away the distribution is
# an exponential that hugs the bound (scale: a thirtieth of a standard deviation), so a location beyond is held here.
_FARTHEST = 30.0
_FLATTEST = 1e4  # a normal so wide is uniform over [0, 1]; much wider, its mass there would be lost to rounding
_NARROWEST = 1e-30  # one so narrow is a point; squares and cubes of much more would overflow
_ROOT_2PI = np.sqrt(2 * np.pi)


class TruncatedStandardNormal:
    """The standard normal distribution truncated to [low, high].

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
        lost = self._underflows
        if lost.any():
            # So far out nearly all the mass lies at the near end, phi(z) / |z| of it.
            near = np.where(self.mirrored, self.low, self.high)[lost]
            found[lost] = -0.5 * near**2 - np.log(np.abs(near) * _ROOT_2PI)
        return found

    def quantile(self, p: FloatArray) -> FloatArray:
        """Inverse of the cumulative distribution."""
        z = ndtri(self.below + np.where(self.mirrored, 1 - p, p) * self.mass)
        z = np.where(self.mirrored, -z, z)
        lost = self._underflows
        if lost.any():
            z = np.where(lost, np.where(self.mirrored, self.low, self.high), z)
        return np.clip(z, self.low, np.maximum(self.low, self.high))

    @cached_property
    def _underflows(self) -> NDArray[np.bool_]:
        """Where the mass is positive but underflows."""
        return (self.mass <= 0) & (self.high > self.low) & (np.minimum(np.abs(self.low), np.abs(self.high)) > 30)


class TruncatedNormal:
    """Normal distributions with the given locations and scales, each truncated to [0, 1] and normalised.

    Where the location lies inside, each tail is counted from its own end; otherwise both from the far end. So no
    digits are lost: the probability between 0 and y is sign_below (Phi(sign_below z) - phi_below) / mass, that
    between y and 1 is sign_above (phi_above - Phi(sign_above z)) / mass.
    """

    def __init__(self, location: FloatArray, scale: FloatArray) -> None:
        loops = compiled_loops(location.size)
        if loops is not None and location.shape == scale.shape and location.dtype == scale.dtype == np.float64:
            found = np.empty((10, *location.shape))
            loops.cut(np.ascontiguousarray(location), np.ascontiguousarray(scale), found)
            self.location, self.scale, self.precision, self._low, self._high, *rest = found
            self.sign_below, self.sign_above, self.phi_below, self.phi_above, self.mass = rest
            return
        scale = np.clip(scale, _NARROWEST, _FLATTEST)
        self.location = location = np.clip(location, -_FARTHEST * scale, 1 + _FARTHEST * scale)
        self.scale = scale
        self.precision = 1 / scale
        self._low = -location * self.precision
        self._high = np.maximum((1 - location) * self.precision, -_FARTHEST)  # next to 1, locations are rounded
        before, after = location < 0, location > 1
        self.sign_below, self.sign_above = np.where(before, -1.0, 1.0), np.where(after, 1.0, -1.0)
        self.phi_below, self.phi_above = ndtr(self.sign_below * self._low), ndtr(self.sign_above * self._high)
        self.mass = np.where(
            before | after, np.abs(self.phi_below - self.phi_above), 1 - self.phi_below - self.phi_above
        )

    @cached_property
    def height(self) -> FloatArray:
        """Height of the untruncated density at its location, over the mass within [0, 1]."""
        height: FloatArray = self.precision / (_ROOT_2PI * self.mass)
        return height

    def cdf(self, y: FloatArray) -> FloatArray:
        """P(Y <= y)."""
        z = (np.clip(y, 0.0, 1.0) - self.location) * self.precision
        return self.sign_below * (ndtr(self.sign_below * z) - self.phi_below) / self.mass

    def pdf(self, y: FloatArray) -> FloatArray:
        """Density of Y at y; 0 outside [0, 1]."""
        z = (y - self.location) * self.precision
        return np.exp(-0.5 * z * z) * self.height * ((y >= 0) & (y <= 1))

    def log_pdf(self, y: FloatArray) -> FloatArray:
        """Logarithm of the density; -inf outside [0, 1]."""
        z = (y - self.location) * self.precision
        return np.where((y >= 0) & (y <= 1), np.log(self.height) - 0.5 * z * z, -np.inf)

    def quantile(self, below: FloatArray, above: FloatArray | None = None) -> FloatArray:
        """Value with the given probabilities below it and above it.

        They sum to 1; where both are given the smaller one counts, to its last digit.
        """
        above = 1 - below if above is None else above
        downward = (self.location < 0) | ((self.location <= 1) & (below > above))
        z = ndtri(np.where(downward, self.phi_above + above * self.mass, self.phi_below + below * self.mass))
        return np.clip(self.location + self.scale * np.where(downward, -z, z), 0.0, 1.0)

    def mean_and_variance(self) -> tuple[FloatArray, FloatArray]:
        """First two moments of Y."""
        at_low, at_high = (np.exp(-0.5 * z**2) / _ROOT_2PI for z in (self._low, self._high))
        shift = (at_low - at_high) / self.mass
        variance = self.scale**2 * (1 + (self._low * at_low - self._high * at_high) / self.mass - shift**2)
        # A variable on [0, 1] has a variance of at most 1/4; rounding may leave that range in the far tail.
        return np.clip(self.location + self.scale * shift, 0.0, 1.0), np.clip(variance, 0.0, 0.25)
