"""The piecewise power law of Jain et al. 2023."""

from __future__ import annotations

from math import exp, inf, log, sqrt
from typing import Any

import numpy as np

from ..._check import FloatArray
from .family import EXPONENTS, Bounds, Family, quotient


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
    axes = (EXPONENTS, EXPONENTS, np.linspace(0.0, 1.0, 9))
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
            return switch - quotient(height, slope)
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
