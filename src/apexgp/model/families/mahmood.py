"""The four families of Mahmood et al. 2022a."""

from __future__ import annotations

from math import expm1, inf, log, log1p
from typing import Any

import numpy as np

from ..._check import FloatArray
from .family import EXPONENTS, FRACTIONS, Bounds, Family, log_shifted, log_unshifted
from .paper import PaperArctanFamily


class _MahmoodFamily(Family):
    """A family of Mahmood et al. 2022a, "How much more data do I need?": each size weighs twice the one before.

    They bound nothing. Here the bounds keep every curve rising and concave; its offset, and with it its limit, is free.
    """

    parameters = ("theta1", "theta2", "theta3")
    growth_of_weights = 2.0

    def bounds(self, best: float, ceiling: float) -> tuple[Bounds, Bounds]:
        """Leave the offset free, and the amplitude above 0."""
        return (-inf, inf), (0.0, inf)


class MahmoodPowerFamily(_MahmoodFamily):
    """theta1 n^theta2 + theta3, with theta2 in [-5, 1] and theta1 of the same sign: saturating or ever growing.

    Coordinate: theta2. The basis is the share of the rise over the pilot, which passes smoothly through the logarithm
    at theta2 = 0; nearer to 0 than 1e-7 the published parameters are those for 1e-7, as theta1 and theta3 are infinite
    at 0.
    """

    name = "mahmood_power_law"
    axes = (np.concatenate([-EXPONENTS[:0:-1], EXPONENTS[EXPONENTS <= 1]]),)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """(x^theta2 - 1) / (last^theta2 - 1)."""
        theta2 = shape[0] + 1e-12 * (shape[0] == 0)
        return np.expm1(theta2 * np.log(x)) / np.expm1(theta2 * log(self.last))

    def log_inverse(self, value: float, *shape: float) -> float:
        """Solve value (last^theta2 - 1) + 1 = x^theta2 for x."""
        theta2 = shape[0] or 1e-12
        power = value * expm1(theta2 * log(self.last))
        return log1p(power) / theta2 if power > -1 else inf

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
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
        """Leave the offset free, and fix the amplitude at 1."""
        return (-inf, inf), (1.0, 1.0)

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert as for the paper's arctan, with theta3 = -eps."""
        *theta, epsilon = super().to_published(offset, amplitude, *shape)
        return *theta, -epsilon


class MahmoodLogarithmFamily(_MahmoodFamily):
    """theta1 log(n + theta2) + theta3, with theta1 >= 0.

    n + theta2 at the smallest size lies between a hundredth of that size and a hundred times the largest one; its
    place between them is the coordinate.
    """

    name = "mahmood_logarithm"
    axes = (FRACTIONS,)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Share of the rise over the pilot."""
        place = self._place(shape[0])
        return log_shifted(x, place) / log_shifted(np.asarray(self.last), place)

    def log_inverse(self, value: float, *shape: float) -> float:
        """Invert the logarithm, which has no limit."""
        place = float(self._place(shape[0]))
        return log_unshifted(value * log1p((self.last - 1) / place), place)

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
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
        """Leave the offset free, and fix the amplitude at 1."""
        return (-inf, inf), (1.0, 1.0)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """The formula without theta3, divided through by n so that nothing overflows."""
        rise, theta2 = shape
        log_rise = np.log(rise)
        return np.exp(log_rise - np.log1p(np.exp(-theta2 * (np.log(x * self.unit) - log_rise))) / theta2)

    def log_inverse(self, value: float, *shape: float) -> float:
        """Solve (rise / value)^theta2 = 1 + (rise / n)^theta2 for n."""
        rise, theta2 = shape
        if value >= rise:
            return inf
        return log(rise) - log(expm1(theta2 * log(rise / value))) / theta2 - log(self.unit)

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Invert the rise: theta1 = 1 / rise."""
        rise, theta2 = shape
        return 1 / rise, theta2, offset
