"""The best simple families of the Learning Curve Database (LCDB)."""

from __future__ import annotations

from math import exp, inf, log, log1p
from typing import Any

import numpy as np

from ..._check import FloatArray
from .family import EXPONENTS, FRACTIONS, Family, log_shifted, log_unshifted, quotient


class Pow4Family(Family):
    """a - b (n + d)^-c, with b >= 0, c in [0, 5]; of the Learning Curve Database.

    The limit a lies between the best pilot score and the ceiling; n + d is bounded as in Mahmood's logarithm.
    Coordinates: c, and the place of n + d at the smallest size.
    """

    name = "pow4"
    parameters = ("a", "b", "c", "d")
    axes = (EXPONENTS, FRACTIONS)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop as a share of that at the smallest size."""
        c, fraction = shape
        return -np.exp(-c * log_shifted(x, self._place(fraction)))

    def log_inverse(self, value: float, *shape: float) -> float:
        """Solve -value = ((x - 1) / place + 1)^-c for x."""
        c, fraction = shape
        return log_unshifted(-quotient(log(-value), c), float(self._place(fraction))) if value < 0 else inf

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert the amplitude to b, the drop where n + d = 1."""
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
    axes = (EXPONENTS, FRACTIONS)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop as a share of that at the smallest size."""
        d, fraction = shape
        log_half = np.log(self._place(fraction))
        return -np.exp(np.log1p(np.exp(-d * log_half)) - np.log1p(np.exp(d * (np.log(x) - log_half))))

    def log_inverse(self, value: float, *shape: float) -> float:
        """Solve 1 + (x / half)^d = (1 + half^-d) / -value for x."""
        d, fraction = shape
        log_half = log(self._place(fraction))
        if value >= 0:
            return inf
        # Written so that nothing is lost where half^-d is tiny.
        power = (exp(-d * log_half) + 1 + value) / -value
        return log_half + quotient(log(power), d)

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert the amplitude to c - a, the drop at no data."""
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
        np.concatenate([[0.0, 1e-4, 1e-3, 0.01], EXPONENTS[1:]]),
        np.array([0.01, 0.05, 0.1, 0.17, 0.25, 0.35, 0.5, 0.7, 0.9, 1.2, 1.6, 2.0]),
    )

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop as a share of that at the smallest size."""
        exponent, d = shape
        # The bound keeps an exponent of 0 times a huge power at 0.
        return -np.exp(-self._rate(exponent, d) * np.expm1(np.minimum(d * np.log(x), 700.0)))

    def log_inverse(self, value: float, *shape: float) -> float:
        """Solve -log(-value) = rate (x^d - 1) for x."""
        return log1p(-quotient(log(-value), float(self._rate(*shape)))) / shape[1] if value < 0 else inf

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert the amplitude to b, the drop at no data."""
        rate, d = float(self._rate(*shape)), shape[1]
        return rate * self.unit**-d, amplitude * exp(rate), offset, d

    def _rate(self, exponent: Any, d: Any) -> Any:
        """The parameter a, for sizes in units of the smallest one."""
        return exponent / d * np.exp(-d / 2 * log(self.last))
