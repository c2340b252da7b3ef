"""Families of curves for least squares: curve(n) = offset + amplitude g(n; shape), as formulas.

A family is set up for the sizes of a pilot and never sees its scores. Inside, sizes are counted in units of the
smallest one, x = n / unit. Given the shape, offset and amplitude follow in closed form, so a family states only its
shape: a grid of values along each coordinate, of which the first and the last are the bounds; the basis g, which must
rise with x; its inverse; and the published parameters that belong to what was found, for sizes counted in examples.

Coordinates are chosen so that they fit any pilot and change the curve about evenly. Like a mean's drop, a basis is
written with functions that NumPy also defines for complex numbers: the engine differentiates it by the complex step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import copysign, exp, expm1, inf, log, log1p, pi, sqrt, tan
from typing import Any, ClassVar

import numpy as np

from .._check import FloatArray
from .means import MEANS

__all__ = ["FAMILIES", "Family"]

FAMILIES: dict[str, type[Family]] = {}
"""Every family by its name; one that is written below with a name is in it."""

Bounds = tuple[float, float]

# Exponents, densest where curves are usually found. Beyond 5 a curve over any usual pilot is a step.
_EXPONENTS = np.array([0.0, 0.03, 0.07, 0.12, 0.2, 0.3, 0.45, 0.65, 1.0, 1.5, 2.2, 3.2, 5.0])
_FRACTIONS = np.linspace(0.0, 1.0, 15)
_NEAREST, _FARTHEST = 0.01, 100.0  # where a place on the axis of sizes may lie: times the smallest, times the largest


class Family(ABC):
    """A family of rising curves, set up for the sizes of one pilot.

    Parameters
    ----------
    sizes
        The pilot's distinct sizes, rising.
    """

    name: ClassVar[str]
    """What the family is called everywhere."""
    parameters: ClassVar[tuple[str, ...]]
    """Published names."""
    axes: ClassVar[tuple[FloatArray, ...]]
    """Starting values along each coordinate of the shape; the first and the last are its bounds."""
    growth_of_weights: ClassVar[float] = 1.0
    """How much more each size weighs than the one before it."""
    has_parts: ClassVar[bool] = False
    """Whether the last coordinate is where parts of the curve meet; the fit then has an optimum between any sizes."""
    states_uncertainty: ClassVar[bool] = False
    """Whether its authors give an interval, by the delta method."""

    def __init_subclass__(cls) -> None:
        if "name" in cls.__dict__:
            FAMILIES[cls.name] = cls

    def __init__(self, sizes: FloatArray) -> None:
        self.unit = float(sizes[0])
        self.second = float(sizes[1]) / self.unit
        self.last = float(sizes[-1]) / self.unit

    def bounds(self, best: float, ceiling: float) -> tuple[Bounds, Bounds]:
        """Least and greatest offset, and amplitude; here the offset is the limit, as the paper bounds it."""
        return (min(best, ceiling), ceiling), (0.0, inf)

    @abstractmethod
    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """The basis g at sizes x, counted in units of the smallest one."""

    @abstractmethod
    def log_inverse(self, value: float, *shape: float) -> float:
        """The log x at which g reaches `value`; infinite where it never does. At n = 1 it has not yet."""

    @abstractmethod
    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Values of `parameters`, for sizes counted in examples."""

    def _place(self, fraction: Any) -> Any:
        """A place on the axis of sizes, from well before the pilot (0) to well after it (1)."""
        reach = log(self.last * _FARTHEST / _NEAREST)
        return _NEAREST * np.exp(fraction * reach)


class PaperPowerFamily(Family):
    """(1 - eps) - theta1 n^theta2: the paper's, with theta1 >= 0, theta2 in [-1, 0].

    The limit 1 - eps lies between the best pilot score and the ceiling. Coordinate: -theta2.
    """

    name = "power_law"
    parameters = ("theta1", "theta2", "epsilon")
    axes = (np.linspace(0.0, 1.0, 21),)
    _mean = MEANS["power_law"]

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """-(x / last)^theta2."""
        return -self._mean.drop(x, *self._mean.theta_of(np.asarray(self.last), 1.0, *shape))

    def log_inverse(self, value: float, *shape: float) -> float:
        """From -value = (x / last)^theta2."""
        (exponent,) = shape
        return log(self.last) - _quotient(log(-value), exponent) if value < 0 else inf

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """The amplitude is the drop at the last size."""
        theta = self._mean.theta_of(np.asarray(self.last), amplitude, *shape)
        return *map(float, self._mean.with_sizes_in(self.unit, *theta)), 1 - offset


class PaperArctanFamily(Family):
    """(2/pi) arctan(theta1 (pi/2) n + theta2) - eps: the paper's, with theta1, theta2 >= 0.

    The limit 1 - eps lies between the best pilot score and the ceiling. Coordinates: the drop below the limit at the
    last size, and rho in [0, 1], by which the arctan's argument is last^-rho of that at the last size.
    """

    name = "arctan"
    parameters = ("theta1", "theta2", "epsilon")
    axes = (
        np.array([1e-9, 1e-4, 1e-3, 0.004, 0.01, 0.025, 0.05, 0.08, 0.12, 0.17, 0.24, 0.33, 0.45, 0.6, 0.8, 1.0]),
        np.linspace(0.0, 1.0, 11),
    )
    _mean = MEANS["arctan"]

    def bounds(self, best: float, ceiling: float) -> tuple[Bounds, Bounds]:
        """The arctan rises by 1 in all: no amplitude."""
        return super().bounds(best, ceiling)[0], (1.0, 1.0)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop."""
        return -self._mean.drop(x, *self._theta(*shape))

    def log_inverse(self, value: float, *shape: float) -> float:
        """The argument of the arctan is a straight line."""
        theta1, theta2 = map(float, self._theta(*shape))
        if value >= 0 or theta1 == 0:
            return inf
        return log((1 / tan(pi / 2 * -value) - theta2) / (theta1 * pi / 2))

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """The limit is 1 - eps."""
        return *map(float, self._mean.with_sizes_in(self.unit, *self._theta(*shape))), 1 - offset

    def _theta(self, *shape: Any) -> tuple[Any, ...]:
        drop, rho = shape
        return self._mean.theta_of(np.asarray(self.last), drop, rho)


class _MahmoodFamily(Family):
    """Of Mahmood et al. 2022a, "How much more data do I need?": each size weighs twice the one before.

    They bound nothing. Here the bounds keep every curve rising and concave; its offset, and with it its limit, is free.
    """

    parameters = ("theta1", "theta2", "theta3")
    growth_of_weights = 2.0

    def bounds(self, best: float, ceiling: float) -> tuple[Bounds, Bounds]:
        """Any offset; a rise."""
        return (-inf, inf), (0.0, inf)


class MahmoodPowerFamily(_MahmoodFamily):
    """theta1 n^theta2 + theta3, with theta2 in [-5, 1] and theta1 of the same sign: saturating or ever growing.

    Coordinate: theta2. The basis is the share of the rise over the pilot, which passes smoothly through the logarithm
    at theta2 = 0; nearer to 0 than 1e-7 the published parameters are those for 1e-7, as theta1 and theta3 are infinite
    at 0.
    """

    name = "mahmood_power_law"
    axes = (np.concatenate([-_EXPONENTS[:0:-1], _EXPONENTS[_EXPONENTS <= 1]]),)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """(x^theta2 - 1) / (last^theta2 - 1)."""
        theta2 = shape[0] + 1e-12 * (shape[0] == 0)
        return np.expm1(theta2 * np.log(x)) / np.expm1(theta2 * log(self.last))

    def log_inverse(self, value: float, *shape: float) -> float:
        """From value (last^theta2 - 1) + 1 = x^theta2."""
        theta2 = shape[0] or 1e-12
        power = value * expm1(theta2 * log(self.last))
        return log1p(power) / theta2 if power > -1 else inf

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """theta1 (n/u)^theta2 = (theta1 u^-theta2) n^theta2."""
        (theta2,) = shape
        if abs(theta2) < 1e-7:
            theta2 = 1e-7
        factor = amplitude / expm1(theta2 * log(self.last))
        return factor * self.unit**-theta2, theta2, offset - factor


class MahmoodArctanFamily(PaperArctanFamily):
    """(2/pi) arctan(theta1 (pi/2) n + theta2) + theta3, with theta1, theta2 >= 0.

    Coordinates as for the paper's, which has the same curve with bounds on its limit 1 + theta3.
    """

    name = "mahmood_arctan"
    parameters = _MahmoodFamily.parameters
    growth_of_weights = _MahmoodFamily.growth_of_weights

    def bounds(self, best: float, ceiling: float) -> tuple[Bounds, Bounds]:
        """Any offset; no amplitude."""
        return (-inf, inf), (1.0, 1.0)

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """theta3 = -eps."""
        *theta, epsilon = super().published(offset, amplitude, *shape)
        return *theta, -epsilon


class MahmoodLogarithmFamily(_MahmoodFamily):
    """theta1 log(n + theta2) + theta3, with theta1 >= 0.

    n + theta2 at the smallest size lies between a hundredth of that size and a hundred times the largest one; its
    place between them is the coordinate.
    """

    name = "mahmood_logarithm"
    axes = (_FRACTIONS,)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Share of the rise over the pilot."""
        place = self._place(shape[0])
        return _log_shifted(x, place) / _log_shifted(np.asarray(self.last), place)

    def log_inverse(self, value: float, *shape: float) -> float:
        """The logarithm has no limit."""
        place = float(self._place(shape[0]))
        return _log_unshifted(value * log1p((self.last - 1) / place), place)

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """log((n + theta2) / u) = log(n + theta2) - log u."""
        place = float(self._place(shape[0]))
        theta1 = amplitude / log1p((self.last - 1) / place)
        return theta1, (place - 1) * self.unit, offset - theta1 * log(place * self.unit)


class MahmoodRootFamily(_MahmoodFamily):
    """n / (1 + |theta1 n|^theta2)^(1 / theta2) + theta3, with theta1 >= 0.1, theta2 in [0.05, 5].

    Coordinates: 1 / theta1, the whole rise from no data to the limit, and theta2. The curve begins with a slope of 1 an
    example: of all families, this one alone depends on what a size is counted in.
    """

    name = "mahmood_root"
    axes = (
        np.array([1e-9, 0.01, 0.03, 0.07, 0.12, 0.2, 0.3, 0.45, 0.7, 1.0, 1.6, 2.8, 5.0, 10.0]),
        np.array([0.05, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.55, 0.75, 1.0, 1.5, 2.5, 5.0]),
    )

    def bounds(self, best: float, ceiling: float) -> tuple[Bounds, Bounds]:
        """Any offset; no amplitude."""
        return (-inf, inf), (1.0, 1.0)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """The formula without theta3, divided through by n so that nothing overflows."""
        rise, theta2 = shape
        log_rise = np.log(rise)
        return np.exp(log_rise - np.log1p(np.exp(-theta2 * (np.log(x * self.unit) - log_rise))) / theta2)

    def log_inverse(self, value: float, *shape: float) -> float:
        """From (rise / value)^theta2 = 1 + (rise / n)^theta2."""
        rise, theta2 = shape
        if value >= rise:
            return inf
        return log(rise) - log(expm1(theta2 * log(rise / value))) / theta2 - log(self.unit)

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """As they are."""
        rise, theta2 = shape
        return 1 / rise, theta2, offset


class Pow4Family(Family):
    """a - b (n + d)^-c, with b >= 0, c in [0, 5]; of the Learning Curve Database.

    The limit a lies between the best pilot score and the ceiling; n + d is bounded as in Mahmood's logarithm.
    Coordinates: c, and the place of n + d at the smallest size.
    """

    name = "pow4"
    parameters = ("a", "b", "c", "d")
    axes = (_EXPONENTS, _FRACTIONS)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop as a share of that at the smallest size."""
        c, fraction = shape
        return -np.exp(-c * _log_shifted(x, self._place(fraction)))

    def log_inverse(self, value: float, *shape: float) -> float:
        """From -value = ((x - 1) / place + 1)^-c."""
        c, fraction = shape
        return _log_unshifted(-_quotient(log(-value), c), float(self._place(fraction))) if value < 0 else inf

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """The drop is b where n + d = 1."""
        c, fraction = shape
        place = float(self._place(fraction))
        return offset, amplitude * (place * self.unit) ** c, c, (place - 1) * self.unit


class Mmf4Family(Family):
    """(a b + c n^d) / (b + n^d), with a <= c, d in [0, 5], after Morgan, Mercer and Flodin; of the LCDB.

    The limit c lies between the best pilot score and the ceiling. Coordinates: d, and the place of b^(1/d), the size
    at which half of the way from a to c is done, from a hundredth of the smallest to a hundred times the largest.
    """

    name = "mmf4"
    parameters = ("a", "b", "c", "d")
    axes = (_EXPONENTS, _FRACTIONS)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop as a share of that at the smallest size."""
        d, fraction = shape
        log_half = np.log(self._place(fraction))
        return -np.exp(np.log1p(np.exp(-d * log_half)) - np.log1p(np.exp(d * (np.log(x) - log_half))))

    def log_inverse(self, value: float, *shape: float) -> float:
        """From 1 + (x / half)^d = (1 + half^-d) / -value."""
        d, fraction = shape
        log_half = log(self._place(fraction))
        if value >= 0:
            return inf
        # Written so that nothing is lost where half^-d is tiny.
        power = (exp(-d * log_half) + 1 + value) / -value
        return log_half + _quotient(log(power), d)

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """The whole way, c - a, is the drop at no data."""
        d, fraction = shape
        half = float(self._place(fraction))
        return offset - amplitude * (1 + half**-d), (half * self.unit) ** d, offset, d


class Wbl4Family(Family):
    """c - b exp(-a n^d), with a, b >= 0, d in [0.01, 2], after Weibull; of the LCDB.

    The limit c lies between the best pilot score and the ceiling. Coordinates: the exponent a d n^d of the power law
    that touches the drop at the geometric middle of the pilot, in [0, 5], and d.
    """

    name = "wbl4"
    parameters = ("a", "b", "c", "d")
    axes = (
        np.concatenate([[0.0, 1e-4, 1e-3, 0.01], _EXPONENTS[1:]]),
        np.array([0.01, 0.05, 0.1, 0.17, 0.25, 0.35, 0.5, 0.7, 0.9, 1.2, 1.6, 2.0]),
    )

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop as a share of that at the smallest size."""
        exponent, d = shape
        # The bound keeps an exponent of 0 times a huge power at 0.
        return -np.exp(-self._rate(exponent, d) * np.expm1(np.minimum(d * np.log(x), 700.0)))

    def log_inverse(self, value: float, *shape: float) -> float:
        """From -log(-value) = rate (x^d - 1)."""
        return log1p(-_quotient(log(-value), float(self._rate(*shape)))) / shape[1] if value < 0 else inf

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """The drop is b at no data."""
        rate, d = float(self._rate(*shape)), shape[1]
        return rate * self.unit**-d, amplitude * exp(rate), offset, d

    def _rate(self, exponent: Any, d: Any) -> Any:
        """The letter a, for sizes in units of the smallest one."""
        return exponent / d * np.exp(-d / 2 * log(self.last))


class PiecewisePowerFamily(Family):
    """1 - exp(a + b u + c min(u, 0)^2) with u = log(n / N): the piecewise power law of Jain et al. 2023.

    The logarithm of the error is quadratic in log n up to the switch size N, and linear after it; value and slope agree
    there. For a ceiling below 1, the error is counted from the ceiling. N lies between the second size of the pilot and
    the last (with one size before it, N would not be determined); the slopes at N (b) and at the smallest size lie in
    [-5, 0], so that the curve does not fall. Should the parabola turn before the pilot, it is held from there on.

    Coordinates: minus the slopes at the smallest size and at N, and where N lies on the axis of log n.
    """

    name = "piecewise_power_law"
    parameters = ("a", "b", "c", "N")
    axes = (_EXPONENTS, _EXPONENTS, np.linspace(0.0, 1.0, 9))
    has_parts = True
    states_uncertainty = True

    def bounds(self, best: float, ceiling: float) -> tuple[Bounds, Bounds]:
        """The limit is given; an error of 0 has no logarithm."""
        return (ceiling, ceiling), (1e-12, inf)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the error as a share of that at the smallest size."""
        first, slope, _ = shape
        switch, bend = self._switch_and_bend(*shape)
        turns = bend < 0
        turn = np.where(turns, slope / np.where(turns, 2 * bend, 1.0), -inf)
        u = np.maximum(np.log(x) - switch, turn)
        return -np.exp(bend * np.minimum(u, 0.0) ** 2 - slope * u - (first + slope) / 2 * switch)

    def log_inverse(self, value: float, *shape: float) -> float:
        """A line after the switch, a parabola before it."""
        first, slope, _ = shape
        if value >= 0:
            return inf
        switch, bend = self._switch_and_bend(*shape)
        height = log(-value) + (first + slope) / 2 * switch
        if height <= 0:
            return switch - _quotient(height, slope)
        root = sqrt(max(slope**2 + 4 * bend * height, 0.0))
        return switch - 2 * height / (slope + root)

    def published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """The error at N is exp(a)."""
        first, slope, _ = shape
        switch, bend = map(float, self._switch_and_bend(*shape))
        return log(amplitude) - (first + slope) / 2 * switch, -slope, bend, self.unit * exp(switch)

    def _switch_and_bend(self, first: Any, slope: Any, fraction: Any) -> tuple[Any, Any]:
        """Log N in units of the smallest size, and c."""
        switch = log(self.second) + fraction * log(self.last / self.second)
        return switch, (first - slope) / (2 * switch)


def _quotient(numerator: float, denominator: float) -> float:
    """A quotient by what is not below 0; infinite, with the numerator's sign, where that vanishes."""
    return numerator / denominator if denominator > 0 else copysign(inf, numerator)


def _log_shifted(x: FloatArray, place: Any) -> Any:
    """Logarithm of (n + d) over its value at the smallest size, `place`; very low where n + d is not above 0."""
    return np.log1p(np.maximum((x - 1) / place, -1 + 1e-15))


def _log_unshifted(value: float, place: float) -> float:
    """The log x at which `_log_shifted` is `value`."""
    # Beyond e^700 the 1 no longer counts, and the exponential would overflow.
    return log1p(place * expm1(value)) if value < 700 else value + log(place)
