"""Families with one more bend than a power law: the piecewise one, Burr's, M4, and the broken neural scaling law.

All four are a power law once n is large; they differ in how a curve gets there. The last three hold their limit
between the best pilot score and the ceiling, as the paper does.
"""

from __future__ import annotations

from math import exp, expm1, inf, log, sqrt
from typing import Any

import numpy as np

from ..._check import FloatArray
from ...numerics.roots import find_rising_root
from ..means import MEANS, log_one_plus_exp
from .family import EXPONENTS, FRACTIONS, Bounds, Family, quotient


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
        """Fix the limit at the ceiling; an error of 0 has no logarithm."""
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
        """Invert the line after the switch, or the parabola before it."""
        first, slope, _ = shape
        if value >= 0:
            return inf
        switch, bend = self._switch_and_bend(*shape)
        height = log(-value) + (first + slope) / 2 * switch
        if height <= 0:
            return switch - quotient(height, slope)
        root = sqrt(max(slope**2 + 4 * bend * height, 0.0))
        return switch - 2 * height / (slope + root)

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert the amplitude to a, the logarithm of the error at N."""
        first, slope, _ = shape
        switch, bend = map(float, self._switch_and_bend(*shape))
        return log(amplitude) - (first + slope) / 2 * switch, -slope, bend, self.unit * exp(switch)

    def _switch_and_bend(self, first: Any, slope: Any, fraction: Any) -> tuple[Any, Any]:
        """Log N in units of the smallest size, and c."""
        switch = log(self.second) + fraction * log(self.last / self.second)
        return switch, (first - slope) / (2 * switch)


_FEWER_EXPONENTS = np.array([0.0, 0.05, 0.12, 0.25, 0.45, 0.8, 1.5, 3.0, 8.0])
_FEWER_FRACTIONS = np.linspace(0.0, 1.0, 11)


class BurrFamily(Family):
    """(1 - eps) - theta1 (1 + (n / theta2)^theta3)^-theta4: the mean of the default model, by least squares.

    With theta4 = 1 it is mmf4. Coordinates: the exponent theta3 theta4 of its tail, in [0, 5], log theta4 in [-2, 2],
    and the place of theta2, where the onset turns into the tail.
    """

    name = "burr"
    parameters = ("theta1", "theta2", "theta3", "theta4", "epsilon")
    axes = (EXPONENTS, np.linspace(-2.0, 2.0, 9), _FEWER_FRACTIONS)
    has_parts = True
    _mean = MEANS["burr"]

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop as a share of that at the last size."""
        return -self._mean.drop(x, *self._theta(1.0, *shape))

    def log_inverse(self, value: float, *shape: float) -> float:
        """Solve -value = theta1 (1 + (x / theta2)^theta3)^-theta4 for x."""
        if value >= 0:
            return inf
        theta1, theta2, theta3, theta4 = map(float, self._theta(1.0, *shape))
        height = (log(theta1) - log(-value)) / theta4
        # Beyond e^700 the 1 no longer counts, and the exponential would overflow.
        return log(theta2) + quotient(log(expm1(height)) if height < 700 else height, theta3)

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert the amplitude, the drop at the last size, to theta1."""
        return *map(float, self._mean.rescale_theta(self.unit, *self._theta(amplitude, *shape))), 1 - offset

    def _theta(self, drop: float, *shape: Any) -> tuple[Any, ...]:
        tail, log_theta4, fraction = shape
        offset = np.log(self._place(fraction) / self.last)
        return self._mean.solve_theta(np.asarray(self.last), drop, tail, offset, log_theta4)


class M4Family(Family):
    """(e - e_inf) / (e_0 - e)^alpha = beta n^c with e = 1 - score: M4 of Alabdulmohsin, Neyshabur and Zhai 2022.

    Random guessing has the error e_0, endless data leave e_inf; c lies in [-5, 0], alpha in [0.05, 5]. With alpha = 1
    it is mmf4. They fit the logarithms of both sides; here it is fitted to the scores, as all families are.

    Inside, w = (e - e_inf) / (e_0 - e_inf) is the share of the way that is still to go: w / (1 - w)^alpha = (n / N)^c.
    Coordinates: -c, the place of N, and alpha.
    """

    name = "m4"
    parameters = ("alpha", "beta", "c", "e_inf", "e_0")
    axes = (EXPONENTS, FRACTIONS, np.array([0.05, 0.12, 0.25, 0.45, 0.7, 1.0, 1.5, 2.2, 3.3, 5.0]))

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop as a share of that at the smallest size."""
        return -np.exp(self._log_share(np.log(x), *shape) - self._log_share(np.zeros(1), *shape))

    def log_inverse(self, value: float, *shape: float) -> float:
        """Solve the defining equation, whose right side is a power of n, for n."""
        if value >= 0:
            return inf
        exponent, fraction, alpha = shape
        share = -value * self._first_share(*shape)
        done = max(1 - share, 1e-300)  # rounding may leave 0 where the share is 1
        return log(self._place(fraction)) - quotient(log(share) - alpha * log(done), exponent)

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert the amplitude to e_0 - e_inf, the drop at no data."""
        exponent, fraction, alpha = shape
        way = amplitude / self._first_share(*shape)
        size = self.unit * float(self._place(fraction))
        # For a flat curve beta would be infinite if alpha is above 1.
        beta = max(way, 1e-50) ** (1 - alpha) * size**exponent
        return alpha, beta, -exponent, 1 - offset, 1 - offset + way

    def _first_share(self, *shape: float) -> float:
        return exp(self._log_share(np.zeros(1), *shape)[0])

    def _log_share(self, log_x: FloatArray, exponent: Any, fraction: Any, alpha: Any) -> Any:
        """Logarithm of w; its equation has no closed form.

        For v = log(w / (1 - w)) it is v + (alpha - 1) log(1 + e^v) = log t, with t = (n / N)^c: rising, and bent one
        way only. The start is on the side from which Newton's method never turns back. One more step, in complex
        numbers, carries the derivatives by the shape.
        """
        log_t = -exponent * (log_x - np.log(self._place(fraction)))
        bend, goal = np.real(alpha) - 1, np.real(log_t)
        v = np.where(goal < 0, goal, goal / np.real(alpha))
        for _ in range(60):
            step = (v + bend * np.logaddexp(0.0, v) - goal) / (1 + bend / (1 + np.exp(-v)))
            v = v - step
            if (np.abs(step) < 1e-13 * (1 + np.abs(v))).all():
                break
        v = v - (v + (alpha - 1) * np.logaddexp(0.0, v) - log_t) / (1 + bend / (1 + np.exp(-v)))
        return -log_one_plus_exp(-v)


class BrokenPowerFamily(Family):
    """1 - (a + b n^-c0 (1 + (n / d1)^(1 / f1))^(-c1 f1)): a broken neural scaling law with one break.

    By Caballero, Gupta, Rish and Krueger (2023). The error above its limit a falls as a power law of exponent c0 well
    before the break at d1, and of exponent c0 + c1 well after it; f1 in [0.05, 2] says how gradual the change is. Both
    exponents lie in [0, 8], so that the curve does not fall. With c1 = 0 it is a power law, with c0 = 0 it is Burr's.

    Coordinates: c0, c0 + c1, f1, and the place of d1.
    """

    name = "bnsl"
    parameters = ("a", "b", "c0", "c1", "d1", "f1")
    axes = (
        _FEWER_EXPONENTS,
        _FEWER_EXPONENTS,
        np.array([0.05, 0.15, 0.35, 0.6, 1.0, 2.0]),
        _FEWER_FRACTIONS,
    )
    has_parts = True

    def basis(self, x: FloatArray, *shape: Any) -> Any:
        """Minus the drop as a share of that at the smallest size."""
        return -np.exp(-self._fall(np.log(x), *shape))

    def log_inverse(self, value: float, *shape: float) -> float:
        """Find the root by Newton's method: the logarithm of the drop is convex or concave in log x."""
        if value >= 0:
            return inf
        early, late, gradual, fraction = shape
        log_break = log(self._place(fraction))

        def excess(log_x: FloatArray, _: object) -> tuple[FloatArray, FloatArray]:
            after = 1 / (1 + np.exp(np.clip((log_break - log_x) / gradual, -700, 700)))
            return self._fall(log_x, *shape) + log(-value), early + (late - early) * after

        low, high = np.array([-log(self.unit) - 1]), np.array([1000.0])
        found = float(find_rising_root(excess, low, high, np.array([log(self.last)]), tolerance=1e-12)[0])
        return found if found < high[0] else inf

    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Convert the amplitude, the drop at the smallest size, to b."""
        early, late, gradual, fraction = shape
        place = float(self._place(fraction))
        bend = (late - early) * gradual * float(log_one_plus_exp(-log(place) / gradual))
        b = amplitude * exp(early * log(self.unit) + bend)
        return 1 - offset, b, early, late - early, self.unit * place, gradual

    def _fall(self, log_x: FloatArray, early: Any, late: Any, gradual: Any, fraction: Any) -> Any:
        """How far the logarithm of the drop lies below that at the smallest size."""
        log_break = np.log(self._place(fraction))
        bend = log_one_plus_exp((log_x - log_break) / gradual) - log_one_plus_exp(-log_break / gradual)
        return early * log_x + (late - early) * gradual * bend
