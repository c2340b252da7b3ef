"""Mean functions: how a score rises with the training-set size, as formulas.

Every curve here is a limit minus a drop, m(x) = (1 - eps) - drop(x; theta), where the drop vanishes as x grows. A new
family is one short class: its parameters with their bounds, its drop, what changes when sizes are counted in other
units, and which theta belongs to given shape coordinates (those have priors in `beliefs`). List it in `MEANS`; fitting,
forecasting, the command line and the tests pick it up from there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np

from .._check import FloatArray

__all__ = ["MEANS", "PAPER_MEANS", "Mean", "Parameter", "log_one_plus_exp"]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a mean: its bounds, and the range in which a search for it begins.

    The range is meant for sizes counted in units of the smallest pilot size, where it fits any data.
    """

    name: str
    lower: float
    upper: float
    start: tuple[float, float]


class Mean(ABC):
    """A family of curves m(x) = (1 - eps) - drop(x; theta).

    Notes
    -----
    `drop` must be written with functions that NumPy also defines for complex numbers: derivatives are taken by the
    complex step, d drop / d theta = Im drop(theta + i h) / h, which is exact to rounding for a tiny h.
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    scalable: ClassVar[bool]
    """Whether the drop at all sizes is proportional to that at one, so that it can be integrated out exactly."""
    onset: ClassVar[int | None] = None
    """Which of the shape coordinates is the logarithm of the size where the curve wakes up, over the last size."""
    steep: ClassVar[tuple[float, ...]] = ()
    """Where curves that wake up late and steeply lie, in standard deviations of the priors of the shape coordinates."""

    @abstractmethod
    def drop(self, x: FloatArray, *theta: Any) -> Any:
        """How far the curve stays below its limit at size x."""

    @abstractmethod
    def theta_of(self, last: FloatArray, drop: Any, *shape: Any) -> tuple[Any, ...]:
        """Parameters of the curve with the given drop at size `last` and shape.

        Sizes are counted in units of the smallest one. The shape coordinates are numbers with a prior of their own that
        does not depend on how large the drop is; the last of theta's degrees of freedom is the drop.
        """

    @abstractmethod
    def with_sizes_in(self, unit: float, *theta: float) -> tuple[float, ...]:
        """Turn parameters that hold for sizes x / unit into those of the same curve for sizes x."""

    def __call__(self, x: FloatArray, epsilon: Any, *theta: Any) -> FloatArray:
        """m(x), the score to expect at size x."""
        curve: FloatArray = (1 - epsilon) - self.drop(x, *theta)
        return curve

    def drop_and_slopes(self, x: FloatArray, *theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """The drop and its derivatives by each parameter in turn."""
        step = 1e-30
        slopes = []
        for i, value in enumerate(theta):
            nudged = [*theta[:i], value + 1j * step, *theta[i + 1 :]]
            slopes.append(np.imag(self.drop(x, *nudged)) / step)
        return self.drop(x, *theta), slopes


class PowerLawMean(Mean):
    """(1 - eps) - theta1 x^theta2, with theta1 >= 0 and theta2 in [-1, 0]."""

    name = "power_law"
    parameters = (Parameter("theta1", 0.0, inf, (0.01, 0.5)), Parameter("theta2", -1.0, 0.0, (-0.9, -0.1)))
    scalable = True

    def drop(self, x: FloatArray, *theta: Any) -> Any:
        """theta1 x^theta2."""
        theta1, theta2 = theta
        return theta1 * np.exp(theta2 * np.log(x))

    def theta_of(self, last: FloatArray, drop: Any, *shape: Any) -> tuple[Any, ...]:
        """The shape is the exponent, -theta2."""
        (exponent,) = shape
        return drop * np.exp(exponent * np.log(last)), -exponent

    def with_sizes_in(self, unit: float, *theta: float) -> tuple[float, ...]:
        """theta1 (x / u)^theta2 = (theta1 u^-theta2) x^theta2."""
        theta1, theta2 = theta
        return theta1 * unit**-theta2, theta2


class ArctanMean(Mean):
    """(2/pi) arctan(theta1 (pi/2) x + theta2) - eps, with theta1, theta2 >= 0."""

    name = "arctan"
    parameters = (Parameter("theta1", 0.0, inf, (0.01, 3.0)), Parameter("theta2", 0.0, inf, (0.05, 10.0)))
    scalable = False

    def drop(self, x: FloatArray, *theta: Any) -> Any:
        """1 - (2/pi) arctan(theta1 (pi/2) x + theta2)."""
        theta1, theta2 = theta
        return 1 - (2 / np.pi) * np.arctan(theta1 * (np.pi / 2) * x + theta2)

    def theta_of(self, last: FloatArray, drop: Any, *shape: Any) -> tuple[Any, ...]:
        """The shape is rho in [0, 1]: the arctan's argument at size 1 is last^-rho of that at the last size.

        With 0 the curve is flat over the pilot; with 1, theta2 = 0.
        """
        (rho,) = shape
        end = 1 / np.tan(np.pi / 2 * drop)
        begin = end * np.exp(-rho * np.log(last))
        slope = (end - begin) / (last - 1)
        return slope * 2 / np.pi, begin - slope

    def with_sizes_in(self, unit: float, *theta: float) -> tuple[float, ...]:
        """theta1 (x / u) = (theta1 / u) x."""
        theta1, theta2 = theta
        return theta1 / unit, theta2


class BurrMean(Mean):
    """(1 - eps) - theta1 (1 + (x / theta2)^theta3)^-theta4, after Burr.

    A power law once x is far above theta2, of exponent theta3 theta4; before, the curve has yet to wake up, and theta4
    says how sharply it does. With theta4 = 1 it is the curve of Morgan, Mercer and Flodin, whose onset and tail have
    one exponent.
    """

    name = "burr"
    parameters = (
        Parameter("theta1", 0.0, inf, (0.01, 0.9)),
        Parameter("theta2", 1e-6, inf, (0.05, 3.0)),
        Parameter("theta3", 0.0, inf, (0.2, 1.8)),
        Parameter("theta4", 0.0, inf, (0.5, 2.0)),
    )
    scalable = True
    onset = 1
    steep = (0.5, 0.0, -1.2)

    def drop(self, x: FloatArray, *theta: Any) -> Any:
        """theta1 (1 + (x / theta2)^theta3)^-theta4."""
        theta1, theta2, theta3, theta4 = theta
        return theta1 * np.exp(-theta4 * log_one_plus_exp(theta3 * (np.log(x) - np.log(theta2))))

    def theta_of(self, last: FloatArray, drop: Any, *shape: Any) -> tuple[Any, ...]:
        """The shape is (theta3 theta4, log of theta2 over the last size, log theta4)."""
        tail, offset, log_theta4 = shape
        # Beyond these bounds curves are alike, and numbers overflow.
        offset, theta4 = np.clip(offset, -150.0, 150.0), np.exp(np.clip(log_theta4, -4.0, 4.0))
        theta3 = tail / theta4
        theta1 = drop * np.exp(theta4 * log_one_plus_exp(-theta3 * offset))
        return theta1, last * np.exp(offset), theta3, theta4

    def fall(self, tail: FloatArray, offset: FloatArray, log_theta4: FloatArray) -> FloatArray:
        """log(theta1 / drop at the last size) = theta4 log(1 + e^(-theta3 offset)): how far the curve has come."""
        theta4 = np.exp(np.clip(log_theta4, -4.0, 4.0))
        fall: FloatArray = theta4 * np.logaddexp(0.0, -tail / theta4 * offset)  # to the last digit where it is small
        return fall

    def offset_of(self, fall: FloatArray, tail: FloatArray, log_theta4: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Offset at which the curve has come so far, and the logarithm of -d offset / d log fall."""
        theta4 = np.exp(np.clip(log_theta4, -4.0, 4.0))
        ratio = np.maximum(fall / theta4, 1e-300)
        left = -np.expm1(-ratio)
        offset = -(ratio + np.log(left)) * theta4 / tail
        return offset, np.log(fall / (tail * left))

    def with_sizes_in(self, unit: float, *theta: float) -> tuple[float, ...]:
        """x / u over theta2 = x over u theta2."""  # noqa: D403
        theta1, theta2, theta3, theta4 = theta
        return theta1, theta2 * unit, theta3, theta4


def log_one_plus_exp(value: Any) -> Any:
    """log(1 + e^value), for complex numbers too, without overflow."""
    if np.isrealobj(value):
        # Not log1p, which is several times slower: the digits that it saves are lost to the larger term.
        return np.maximum(value, 0.0) + np.log(1 + np.exp(-np.abs(value)))
    top = np.maximum(np.real(value), 0.0)
    return top + np.log(np.exp(-top) + np.exp(value - top))


PAPER_MEANS = ("power_law", "arctan")
"""Those of the paper; they have few enough parameters to be estimated from a pilot."""

MEANS: dict[str, Mean] = {mean.name: mean for mean in (PowerLawMean(), ArctanMean(), BurrMean())}
