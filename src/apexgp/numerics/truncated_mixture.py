"""Mixtures of normals truncated to [0, 1]: their distribution function and, inverse to it, their quantiles.

A probability is computed on the side on which it is small, so that no digits are lost: an interval at 1 - 2e-12 is
wider than one at 1 - 2e-9. A component may be a spike far narrower than the mixture or lie far outside [0, 1]: nothing
is assumed of the distribution function but that it rises.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr, ndtri

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from .truncated_normal import TruncatedNormal

__all__ = ["TruncatedMixture"]

_ACCURACY = 1e-9  # of a quantile: relative error of the probability beyond it, on the smaller side
_BLOCK = 2**15  # numbers that fit into the processor's cache with intermediate results
_MANY_LEVELS = 16
_FEW = 128  # components
_BY_SLOPES, _BY_TURNS, _BY_WIDTH = 5, 16, 48
"""Steps after which a slow step is followed by bisection, then all steps bisect, then by floating-point values."""
_SLOW = 0.25  # share of the error that a step should leave, at most
_MOST_STEPS = _BY_WIDTH + 64  # brackets have shrunk to two neighbouring numbers
_ROOT_2PI = np.sqrt(2 * np.pi)

# Phi(-|z|) is nearly phi(z) times this polynomial of 1 / (1 + _BEND |z|), highest power first (Abramowitz and Stegun
# 1964, 26.2.17).
_BEND = np.float32(0.2316419)
_POLYNOMIAL = np.array([1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153], np.float32)

Indices = NDArray[np.intp]


class _Tails(NamedTuple):
    """Constants of both tails: probability = sum of step Phi(rate (y - location)) - beyond.

    Arrays have the shape (2 Q, K), (2 Q,) or (Q,): rows of lower tails come first, those of upper tails follow.
    """

    rate: FloatArray
    step: FloatArray
    beyond: FloatArray
    """Value of the sum at the end that a tail is counted from."""
    noise: FloatArray
    """Rounding error of a probability."""


class TruncatedMixture:
    """A weighted mixture of K components at each of Q columns.

    Parameters
    ----------
    locations, scales
        Locations and scales of the components before truncation, shape (K, Q).
    weights
        Weights of the components, shape (K,).
    """

    def __init__(self, locations: FloatArray, scales: FloatArray, weights: FloatArray) -> None:
        # Components, which are summed over, are contiguous in memory; compiled loops take doubles.
        self._components = TruncatedNormal(
            np.ascontiguousarray(locations.T, float), np.ascontiguousarray(scales.T, float)
        )
        self._weights = np.asarray(weights / weights.sum(), float)
        self._columns = locations.shape[1]

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation, each of shape (Q,)."""
        means, variances = self._components.mean_and_variance()
        mean = means @ self._weights
        return mean, np.sqrt((variances + (means - mean[:, None]) ** 2) @ self._weights)

    @cached_property
    def _nearly_moments(self) -> tuple[FloatArray, FloatArray]:
        """Approximate moments: good enough to begin a search, and quickly computed."""
        location = np.clip(self._components.location, 0.0, 1.0)
        mean = location @ self._weights
        scale = np.minimum(self._components.scale, 0.3)  # no more than that of a uniform distribution
        variance = (location * location + scale * scale) @ self._weights - mean**2
        return mean, np.sqrt(np.maximum(variance, 1e-18))

    def pdf(self, y: FloatArray) -> FloatArray:
        """Density, for rows of values at all columns: shape (n, Q)."""
        return self._mix(self._components.pdf, y)

    def log_pdf(self, y: FloatArray) -> FloatArray:
        """Logarithm of the density, also where the density itself is too small for a number."""
        with np.errstate(divide="ignore"):
            log_weights = np.log(self._weights)
        return np.stack([logsumexp(log_weights + self._components.log_pdf(row[:, None]), axis=-1) for row in y])

    def cdf(self, y: FloatArray) -> FloatArray:
        """P(Y <= y), for rows of values at all columns: shape (n, Q)."""
        if compiled_loops() is None:
            below = self._mix(self._components.cdf, y)
        else:
            below = self._tail_and_slopes(y.ravel(), self._rows(np.zeros(y.shape, bool)))[0].reshape(y.shape)
            below = np.where(y <= 0, 0.0, below)
        return np.where(y >= 1, 1.0, below.clip(0.0, 1.0))

    def quantile(self, below: FloatArray, above: FloatArray) -> FloatArray:
        """Values with the given probabilities below and above them.

        Parameters
        ----------
        below, above
            Shape (n,) or (n, Q). They sum to 1, but both are given: the smaller one counts, to its last digit.

        Returns
        -------
        array of shape (n, Q)
            Values rise with the probability below them.
        """
        shape = (len(below), self._columns)
        below, above = (np.broadcast_to(side.reshape(len(side), -1), shape) for side in (below, above))
        if len(self._weights) == 1:
            found = self._components.quantile(below[:, :, None], above[:, :, None])[:, :, 0]
        elif len(below) > _MANY_LEVELS:
            found = self._search(below, above, *self._table_guess(below))
        else:
            found = self._search(below, above, None, np.zeros(shape), np.ones(shape))
        return _make_monotone(np.where(below <= 0, 0.0, np.where(above <= 0, 1.0, found)), below, above)

    def _mix(self, function: Callable[[FloatArray], FloatArray], y: FloatArray) -> FloatArray:
        """Weighted sum over the components, row by row: a row's numbers stay in the processor's cache."""
        return np.stack([function(row[:, None]) @ self._weights for row in y])

    @cached_property
    def _tails(self) -> _Tails:
        parts = self._components
        share = self._weights / parts.mass
        step = np.concatenate([share * parts.sign_below, -share * parts.sign_above])
        beyond = np.concatenate([parts.phi_below, parts.phi_above])
        beyond *= step
        rate = np.concatenate([parts.precision * parts.sign_below, parts.precision * parts.sign_above])
        noise = 8 * np.finfo(float).eps * np.abs(beyond).sum(axis=1)
        return _Tails(rate, step, beyond.sum(axis=1), noise)

    @cached_property
    def _height(self) -> FloatArray:
        """Height of each component's density, times its weight."""
        return self._weights * self._components.height

    @cached_property
    def _most_bent(self) -> FloatArray:
        """Bound on the second derivative of the pdf, for each column."""
        rate = self._tails.rate[: self._columns]
        return np.einsum("qk,qk,qk->q", self._height, rate, rate)

    @property
    def _constants(self) -> tuple[FloatArray, ...]:
        """Arrays that the compiled loops take."""
        return self._components.location, self._tails.rate, self._tails.step, self._height, self._tails.beyond

    def _rows(self, upper: NDArray[np.bool_]) -> Indices:
        """Rows of the constants for the tails at values of shape (n, Q)."""
        return (np.arange(self._columns) + self._columns * upper).ravel()

    def _tail_and_slopes(self, y: FloatArray, row: Indices) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Tails at single values, the pdf, and its slope, some values at a time."""
        loops = compiled_loops()
        if loops is not None:
            found = np.empty((3, len(y)))
            loops.tails(*self._constants, np.ascontiguousarray(y), row.astype(np.int64), found)
            return found[0], found[1], found[2]
        length = max(1, _BLOCK // len(self._weights))
        if len(y) > length:
            blocks = [self._tail_and_slopes(y[i : i + length], row[i : i + length]) for i in range(0, len(y), length)]
            tail, pdf, slope = map(np.concatenate, zip(*blocks, strict=True))
            return tail, pdf, slope
        tails, column, rate = self._tails, row % self._columns, self._tails.rate[row]
        z = y[:, None] - self._components.location[column]
        z *= rate
        tail = np.einsum("pk,pk->p", ndtr(z), tails.step[row]) - tails.beyond[row]
        bell = z * z
        bell *= -0.5
        np.exp(bell, out=bell)
        bell *= self._height[column]
        pdf = bell.sum(axis=1)
        z *= rate
        return tail, pdf, -np.einsum("pk,pk->p", bell, z)

    def _search(
        self, below: FloatArray, above: FloatArray, start: FloatArray | None, low: FloatArray, high: FloatArray
    ) -> FloatArray:
        """Search quantiles from first guesses within brackets; without a guess, one is made here.

        Steps are Halley's where they lead into the bracket; else, and more and more often, the bracket is halved. A
        step is the last one if what it leaves of the error is known to be too small to matter.
        """
        upper = below > above
        row, wanted = self._rows(upper), np.minimum(below, above).ravel()
        tolerance = _ACCURACY * wanted + self._tails.noise[row]
        loops = compiled_loops()
        if loops is not None:
            mean, std = self._nearly_moments
            if start is None:
                start = np.clip(mean + std * ndtri(np.clip(below, 1e-6, 1 - 1e-6)), 0.0, 1.0)
            else:
                std = np.full(len(mean), np.nan)  # NaN: start from the table, not from the neighbouring size
            found = np.array(start, order="C")
            brackets = np.ascontiguousarray(low), np.ascontiguousarray(high)
            loops.search(
                *self._constants, mean, std, self._most_bent, row.astype(np.int64), wanted, tolerance, *brackets, found
            )
            return found
        found = (self._rough_guess(below) if start is None else start).ravel().copy()
        sign, low, high = np.where(upper, -1.0, 1.0).ravel(), low.ravel().copy(), high.ravel().copy()
        active, before = np.flatnonzero(wanted > 0), np.full(len(found), np.inf)
        for iteration in range(_MOST_STEPS):
            if not active.size:
                break
            y, side, enough = found[active], sign[active], tolerance[active]
            tail, pdf, pdf_slope = self._tail_and_slopes(y, row[active])
            surplus = side * (tail - wanted[active])
            least = low[active] = np.where(surplus <= 0, y, low[active])
            most = high[active] = np.where(surplus >= 0, y, high[active])
            step = _halley_step(tail, wanted[active], side, pdf, pdf_slope)
            last, error = _corrected_step(surplus, step, pdf, pdf_slope, self._most_bent[row[active] % self._columns])
            sure = error <= enough
            moved = y + np.where(sure, last, step)
            moved = np.where(moved == y, np.nextafter(y, np.where(surplus > 0, 0.0, 1.0)), moved)
            inside = (moved >= least) & (moved <= most)
            sure &= inside
            if iteration >= _BY_TURNS:
                inside = sure
            elif iteration >= _BY_SLOPES:
                inside &= sure | (np.abs(surplus) <= before[active])
            before[active] = _SLOW * np.abs(surplus)
            middle = _bisect(least, most, iteration)
            there = np.abs(surplus) <= enough
            stuck = ~sure & ~inside & ((middle <= least) | (middle >= most))
            found[active] = np.where(there, y, np.where(inside, moved, np.where(stuck, most, middle)))
            active = active[~(there | sure | stuck)]
        return found.reshape(below.shape)

    def _rough_guess(self, below: FloatArray) -> FloatArray:
        """Approximate quantiles, by Newton's method on fewer components from those of a normal distribution."""
        if len(self._weights) >= 2 * _FEW:
            return self._fewer._rough_guess(below)
        mean, std = self.moments
        wanted = np.clip(below, 1e-6, 1 - 1e-6)
        target = ndtri(wanted)
        y = np.clip(mean + std * target, 0.0, 1.0)
        for _ in range(4):
            cdf, pdf = self._approximate(y)
            score = ndtri(np.clip(cdf, 1e-9, 1 - 1e-9))
            near = np.abs(score - target) < 1
            scale = _ROOT_2PI * np.exp(0.5 * score**2)
            value = np.where(near, score - target, cdf - wanted)
            step = np.clip(-value / np.maximum(np.where(near, scale * pdf, pdf), 1e-9), -2 * std, 2 * std)
            y = np.clip(y + step, 0.0, 1.0)
            if (np.abs(step) < 0.05 * std).all():
                break
        return y

    @cached_property
    def _fewer(self) -> TruncatedMixture:
        """A mixture of about `_FEW` components, picked evenly by weight: enough for a first guess."""
        reached = np.cumsum(self._weights)
        some = np.unique(np.searchsorted(reached, (np.arange(_FEW) + 0.5) / _FEW * reached[-1]))
        before = np.searchsorted(some, np.arange(len(reached)), side="right").clip(1) - 1
        parts = self._components
        return TruncatedMixture(
            parts.location[:, some].T, parts.scale[:, some].T, np.bincount(before, self._weights).astype(float)
        )

    @cached_property
    def _rough_constants(self) -> tuple[NDArray[np.floating], ...]:
        parts, lower = self._components, slice(self._columns)
        # Components almost wholly outside are put at a bound, and spikes widened, to stay within single precision.
        outside = parts.mass < 1e-3
        step, height = (np.where(outside, 0.0, values) for values in (self._tails.step[lower], self._height))
        beyond = np.where(outside, -self._weights * (parts.location < 0), parts.phi_below * step).sum(axis=1)
        rate = np.clip(self._tails.rate[lower], -1e6, 1e6)
        return *(values.astype(np.float32) for values in (parts.location, rate, step, height)), beyond

    def _approximate(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Cdf and pdf at rows of values to 1e-6, quickly: in single precision, by a polynomial for Phi."""
        if compiled_loops() is not None:
            cdf, pdf, _ = self._tail_and_slopes(y.ravel(), self._rows(np.zeros(y.shape, bool)))
            return cdf.reshape(y.shape), pdf.reshape(y.shape)
        location, rate, step, height, beyond = self._rough_constants
        z = y.astype(np.float32)[:, :, None] - location
        z *= rate
        bell = z * z
        bell *= np.float32(-0.5)
        np.exp(bell, out=bell)
        positive = z > 0
        np.abs(z, out=z)
        z *= _BEND
        z += np.float32(1)
        near = np.divide(np.float32(1), z, out=z)
        phi = near * _POLYNOMIAL[0]
        for coefficient in _POLYNOMIAL[1:]:
            phi += coefficient
            phi *= near
        phi *= bell
        phi *= np.float32(1 / _ROOT_2PI)
        np.subtract(np.float32(1), phi, out=phi, where=positive)
        bell *= height
        return np.einsum("nqk,qk->nq", phi, step) - beyond, bell.sum(axis=2)

    def _table_guess(self, below: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Approximate quantiles by inverting the cdf between some points, and brackets around them."""
        mean, std = self.moments
        y = np.clip(mean + 12 * std * (np.sinh(np.linspace(-5, 5, 65)) / np.sinh(5))[:, None], 0.0, 1.0)
        cdf = self.cdf(y)
        found = np.empty((3, *below.shape))
        for q in range(self._columns):
            knots, first = np.unique(np.concatenate([[0.0], y[:, q], [1.0]]), return_index=True)
            reached = np.concatenate([[0.0], cdf[:, q], [1.0]])[first]
            # Rounding may have put a level on the wrong side of a point, hence one more on either side.
            after = np.searchsorted(reached, below[:, q])
            found[0, :, q] = np.interp(below[:, q], reached, knots)
            found[1, :, q] = knots[np.maximum(after - 2, 0)]
            found[2, :, q] = knots[np.minimum(after + 1, len(knots) - 1)]
        return found[0], found[1], found[2]


def _halley_step(
    tail: FloatArray, wanted: FloatArray, side: FloatArray, pdf: FloatArray, pdf_slope: FloatArray
) -> FloatArray:
    """Halley's step in normal scores, in which a distribution function is nearly straight."""
    score, target = ndtri(np.clip(tail, 1e-300, 1 - 1e-16)), ndtri(np.maximum(wanted, 1e-300))
    scale = _ROOT_2PI * np.exp(0.5 * score**2)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value, slope = side * (score - target), scale * pdf
        bend = 0.5 * value * (scale * pdf_slope / slope + side * score * slope)
        return -value / np.maximum(slope - np.where(np.isfinite(bend), bend, 0.0), 0.5 * slope)


def _corrected_step(
    surplus: FloatArray, step: FloatArray, pdf: FloatArray, pdf_slope: FloatArray, most_bent: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """A step corrected by the series of the distribution function, and a bound on the surplus that it leaves."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        last = step - (surplus + step * (pdf + 0.5 * step * pdf_slope)) / (pdf + step * pdf_slope)
        left = surplus + last * (pdf + 0.5 * last * pdf_slope)
        return last, np.abs(left) + most_bent * np.abs(last) ** 3 / 6


def _bisect(low: FloatArray, high: FloatArray, iteration: int) -> FloatArray:
    """The middle of a bracket; after many steps, by the number of floating-point values on either side."""
    if iteration < _BY_WIDTH:
        return 0.5 * (low + high)
    bits = low.view(np.int64)
    middle: FloatArray = (bits + (high.view(np.int64) - bits) // 2).view(np.float64)
    return middle


def _make_monotone(values: FloatArray, below: FloatArray, above: FloatArray) -> FloatArray:
    """Make quantiles monotone in the probability below them; they differ within their accuracy."""
    order = np.lexsort((-above, below), axis=0)
    risen = np.maximum.accumulate(np.take_along_axis(values, order, axis=0), axis=0)
    np.put_along_axis(values, order, risen, axis=0)
    return values
