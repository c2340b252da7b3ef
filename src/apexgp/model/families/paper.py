"""The two families of the paper, as least squares fits them."""

from __future__ import annotations

from math import inf, log, pi, tan
from typing import Any

import numpy as np

from ..._check import FloatArray
from ..means import MEANS
from .family import Bounds, Family, quotient


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
        return -self._mean.drop(x, *self._mean.solve_theta(np.asarray(self.last), 1.0, *shape))

    def log_inverse(self, value: float, *shape: float) -> float:
        """Solve -value = (x / last)^theta2 for x."""
        (exponent,) = shape
        return log(self.last) - quotient(log(-value), exponent) if value < 0 else inf

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert the amplitude, the drop at the last size, to theta1."""
        theta = self._mean.solve_theta(np.asarray(self.last), amplitude, *shape)
        return *map(float, self._mean.rescale_theta(self.unit, *theta)), 1 - offset


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
        """Fix the amplitude at 1: the arctan rises by 1 in all."""
        return super().bounds(best, ceiling)[0], (1.0, 1.0)

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop."""
        return -self._mean.drop(x, *self._theta(*shape))

    def log_inverse(self, value: float, *shape: float) -> float:
        """Invert the arctan, whose argument is linear in x."""
        theta1, theta2 = map(float, self._theta(*shape))
        if value >= 0 or theta1 == 0:
            return inf
        return log((1 / tan(pi / 2 * -value) - theta2) / (theta1 * pi / 2))

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert the offset, the limit 1 - eps, to epsilon."""
        return *map(float, self._mean.rescale_theta(self.unit, *self._theta(*shape))), 1 - offset

    def _theta(self, *shape: Any) -> tuple[Any, ...]:
        drop, rho = shape
        return self._mean.solve_theta(np.asarray(self.last), drop, rho)
