"""The base class of families of curves, and helpers that several of them use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import copysign, expm1, inf, log, log1p
from typing import Any, ClassVar

import numpy as np

from ..._check import FloatArray

__all__ = ["EXPONENTS", "FAMILIES", "FRACTIONS", "Bounds", "Family", "log_shifted", "log_unshifted", "quotient"]

FAMILIES: dict[str, type[Family]] = {}
"""Every family by its name; defining a subclass with a name registers it."""

Bounds = tuple[float, float]

# Exponents, densest where curves are usually found. Beyond 5 a curve over any usual pilot is a step.
EXPONENTS = np.array([0.0, 0.03, 0.07, 0.12, 0.2, 0.3, 0.45, 0.65, 1.0, 1.5, 2.2, 3.2, 5.0])
FRACTIONS = np.linspace(0.0, 1.0, 15)
_NEAREST, _FARTHEST = 0.01, 100.0  # bounds of a place on the axis of sizes: times the smallest, times the largest


class Family(ABC):
    """A family of rising curves, set up for the sizes of one pilot.

    Parameters
    ----------
    sizes
        The pilot's distinct sizes, rising.
    """

    name: ClassVar[str]
    """Name of the family, on every surface."""
    parameters: ClassVar[tuple[str, ...]]
    """Published names of the parameters."""
    axes: ClassVar[tuple[FloatArray, ...]]
    """Starting values along each coordinate of the shape; the first and the last are its bounds."""
    growth_of_weights: ClassVar[float] = 1.0
    """Weight of each size relative to the one before it."""
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
    def to_published(self, offset: float, amplitude: float, *shape: float) -> tuple[float, ...]:
        """Values of `parameters`, for sizes counted in examples."""

    def _place(self, fraction: Any) -> Any:
        """Convert a fraction to a size: 0 is well before the pilot, 1 well after it."""
        reach = log(self.last * _FARTHEST / _NEAREST)
        return _NEAREST * np.exp(fraction * reach)


def quotient(numerator: float, denominator: float) -> float:
    """Divide by a number that is not below 0; infinite, with the numerator's sign, where it is 0."""
    return numerator / denominator if denominator > 0 else copysign(inf, numerator)


def log_shifted(x: FloatArray, place: Any) -> Any:
    """Logarithm of (n + d) over its value at the smallest size, `place`; very low where n + d is not above 0."""
    return np.log1p(np.maximum((x - 1) / place, -1 + 1e-15))


def log_unshifted(value: float, place: float) -> float:
    """The log x at which `log_shifted` is `value`."""
    # Beyond e^700 the 1 no longer counts, and the exponential would overflow.
    return log1p(place * expm1(value)) if value < 700 else value + log(place)
