"""Mean functions: how a score rises with the training-set size, as formulas.

Every curve here is a limit minus a drop, m(x) = (1 - eps) - drop(x; theta), where the drop vanishes as x grows. A new
mean is one short class with a name: its parameters with their bounds, its drop, its parameters in other units of size,
its theta for given shape coordinates, the priors of those, and the label and citation that texts use. Defining it
registers it in `MEANS`; fitting, forecasting, every surface and the tests find it there. A mean in a module of its own
must be imported before the rest of the package.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np

from .._check import FloatArray
from .distributions import Beta, LogitNormal, Normal, Prior, Uniform

__all__ = ["DEFAULT_MEAN", "MEANS", "PAPER_MEANS", "Mean", "Parameter", "log_one_plus_exp", "select_means"]

MEANS: dict[str, Mean] = {}
"""Every mean by its name, in the order in which their classes were written."""

DEFAULT_MEAN = "burr"
"""The mean of a model that names none; priors are learnt with it."""

PAPER_MEANS = ("power_law", "arctan")
"""Means of the paper; they have few enough parameters to be estimated from a pilot."""


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
    """The value of `mean` that chooses it, on every surface."""
    label: ClassVar[str]
    """Its name in sentences, tables and the controls of the page, before the word "mean" or "curve"."""
    citation: ClassVar[str | None] = None
    """The reference for its formula; None: the paper of the model, which is always cited."""
    averaged: ClassVar[bool] = False
    """Whether `mean="auto"` averages over it, too. By default it does not: a new mean changes no forecast."""
    parameters: ClassVar[tuple[Parameter, ...]]
    shapes: ClassVar[tuple[Prior, ...]]
    """Calibrated priors of the shape coordinates, of which there is one fewer than parameters."""
    share: ClassVar[Beta]
    """Calibrated prior of the share of the room above the curve, at the largest pilot size, that is still to be won."""
    paper_shapes: ClassVar[tuple[Prior, ...]]
    """Priors of the shape coordinates beside those of the paper, which has none: flat within its bounds, or vague."""
    scalable: ClassVar[bool]
    """Whether the drop at all sizes is proportional to that at one, so that it can be integrated out exactly."""
    onset: ClassVar[int | None] = None
    """Index of the shape coordinate that is the logarithm of the size where the curve takes off, over the last size."""
    fewest_sizes: ClassVar[int] = 1
    """How many different sizes a curve must have for the shape coordinates to mean anything."""
    steep: ClassVar[tuple[float, ...]] = ()
    """Shape of curves that take off late and steeply, in standard deviations of the priors of the coordinates."""

    def __init_subclass__(cls) -> None:
        if "name" in cls.__dict__:
            MEANS[cls.name] = cls()

    @abstractmethod
    def drop(self, x: FloatArray, *theta: Any) -> Any:
        """How far the curve stays below its limit at size x."""

    @abstractmethod
    def solve_theta(self, last: FloatArray, drop: Any, *shape: Any) -> tuple[Any, ...]:
        """Find the parameters of the curve with the given shape and the given drop at size `last`.

        Sizes are counted in units of the smallest one. The shape coordinates are numbers with a prior of their own that
        does not depend on how large the drop is; the last of theta's degrees of freedom is the drop.
        """

    @abstractmethod
    def rescale_theta(self, unit: float, *theta: float) -> tuple[float, ...]:
        """Convert parameters that hold for sizes x / unit to those of the same curve for sizes x."""

    def describe_shape(self, *shape: float) -> dict[str, float]:
        """Name the numbers by which people would compare shapes; by default none."""
        return {}

    def __call__(self, x: FloatArray, epsilon: Any, *theta: Any) -> FloatArray:
        """m(x), the score to expect at size x."""
        curve: FloatArray = (1 - epsilon) - self.drop(x, *theta)
        return curve

    def drop_and_slopes(self, x: FloatArray, *theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """The drop, and its derivative with respect to each parameter."""
        step = 1e-30
        slopes = []
        for i, value in enumerate(theta):
            nudged = [*theta[:i], value + 1j * step, *theta[i + 1 :]]
            slopes.append(np.imag(self.drop(x, *nudged)) / step)
        return self.drop(x, *theta), slopes


class PowerLawMean(Mean):
    """(1 - eps) - theta1 x^theta2, with theta1 >= 0 and theta2 in [-1, 0]."""

    name = "power_law"
    label = "power law"
    averaged = True
    parameters = (Parameter("theta1", 0.0, inf, (0.01, 0.5)), Parameter("theta2", -1.0, 0.0, (-0.9, -0.1)))
    shapes = (LogitNormal(0.771, 1.668),)
    share = Beta(0.728, 0.510)
    paper_shapes = (Uniform(0.0, 1.0),)
    scalable = True

    def drop(self, x: FloatArray, *theta: Any) -> Any:
        """theta1 x^theta2."""
        theta1, theta2 = theta
        return theta1 * np.exp(theta2 * np.log(x))

    def solve_theta(self, last: FloatArray, drop: Any, *shape: Any) -> tuple[Any, ...]:
        """The shape is the exponent, -theta2."""
        (exponent,) = shape
        return drop * np.exp(exponent * np.log(last)), -exponent

    def rescale_theta(self, unit: float, *theta: float) -> tuple[float, ...]:
        """theta1 (x / u)^theta2 = (theta1 u^-theta2) x^theta2."""
        theta1, theta2 = theta
        return theta1 * unit**-theta2, theta2


class ArctanMean(Mean):
    """(2/pi) arctan(theta1 (pi/2) x + theta2) - eps, with theta1, theta2 >= 0."""

    name = "arctan"
    label = "arctan"
    averaged = True
    parameters = (Parameter("theta1", 0.0, inf, (0.01, 3.0)), Parameter("theta2", 0.0, inf, (0.05, 10.0)))
    shapes = (LogitNormal(1.041, 1.656),)
    share = Beta(0.588, 0.715)
    paper_shapes = (Uniform(0.0, 1.0),)
    scalable = False
    fewest_sizes = 2

    def drop(self, x: FloatArray, *theta: Any) -> Any:
        """1 - (2/pi) arctan(theta1 (pi/2) x + theta2)."""
        theta1, theta2 = theta
        return 1 - (2 / np.pi) * np.arctan(theta1 * (np.pi / 2) * x + theta2)

    def solve_theta(self, last: FloatArray, drop: Any, *shape: Any) -> tuple[Any, ...]:
        """The shape is rho in [0, 1]: the arctan's argument at size 1 is last^-rho of that at the last size.

        With 0 the curve is flat over the pilot; with 1, theta2 = 0.
        """
        (rho,) = shape
        end = 1 / np.tan(np.pi / 2 * drop)
        begin = end * np.exp(-rho * np.log(last))
        slope = (end - begin) / (last - 1)
        return slope * 2 / np.pi, begin - slope

    def rescale_theta(self, unit: float, *theta: float) -> tuple[float, ...]:
        """theta1 (x / u) = (theta1 / u) x."""
        theta1, theta2 = theta
        return theta1 / unit, theta2


class BurrMean(Mean):
    """(1 - eps) - theta1 (1 + (x / theta2)^theta3)^-theta4, after Burr.

    A power law once x is far above theta2, of exponent theta3 theta4; before, the curve has yet to take off, and theta4
    says how sharply it does. With theta4 = 1 it is the curve of Morgan, Mercer and Flodin, whose onset and tail have
    one exponent.
    """

    name = "burr"
    label = "Burr"
    citation = "Burr IW. Cumulative Frequency Functions. Annals of Mathematical Statistics 1942;13:215-232."
    averaged = True
    parameters = (
        Parameter("theta1", 0.0, inf, (0.01, 0.9)),
        Parameter("theta2", 1e-6, inf, (0.05, 3.0)),
        Parameter("theta3", 0.0, inf, (0.2, 1.8)),
        Parameter("theta4", 0.0, inf, (0.5, 2.0)),
    )
    shapes = (LogitNormal(-0.368, 1.093, 3.0), Normal(-2.592, 2.860), Normal(-0.172, 0.602))
    share = Beta(0.628, 0.573)
    paper_shapes = (Uniform(0.0, 2.0), Normal(0.0, 2.0), Normal(0.0, 0.5))
    scalable = True
    onset = 1
    steep = (0.5, 0.0, -1.2)

    def drop(self, x: FloatArray, *theta: Any) -> Any:
        """theta1 (1 + (x / theta2)^theta3)^-theta4."""
        theta1, theta2, theta3, theta4 = theta
        return theta1 * np.exp(-theta4 * log_one_plus_exp(theta3 * (np.log(x) - np.log(theta2))))

    def solve_theta(self, last: FloatArray, drop: Any, *shape: Any) -> tuple[Any, ...]:
        """The shape is (theta3 theta4, log of theta2 over the last size, log theta4)."""
        tail, offset, log_theta4 = shape
        # Beyond these bounds curves are alike, and numbers overflow.
        offset, theta4 = np.clip(offset, -150.0, 150.0), np.exp(np.clip(log_theta4, -4.0, 4.0))
        theta3 = tail / theta4
        theta1 = drop * np.exp(theta4 * log_one_plus_exp(-theta3 * offset))
        return theta1, last * np.exp(offset), theta3, theta4

    def describe_shape(self, *shape: float) -> dict[str, float]:
        """Name the exponent of the tail, where the curve bends and how sharply."""
        tail, offset, log_theta4 = shape
        return {
            "exponent of the tail": tail,
            "bend, in pilot sizes": float(np.exp(offset)),
            "sharpness of the bend": float(np.exp(-log_theta4)),
        }

    def fall(self, tail: FloatArray, offset: FloatArray, log_theta4: FloatArray) -> FloatArray:
        """Fall of the drop up to the last size: log(theta1 / drop) = theta4 log(1 + e^(-theta3 offset))."""
        theta4 = np.exp(np.clip(log_theta4, -4.0, 4.0))
        fall: FloatArray = theta4 * np.logaddexp(0.0, -tail / theta4 * offset)  # accurate where it is small
        return fall

    def solve_offset(self, fall: FloatArray, tail: FloatArray, log_theta4: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Find the offset that gives a fall, and the logarithm of -d offset / d log fall."""
        theta4 = np.exp(np.clip(log_theta4, -4.0, 4.0))
        ratio = np.maximum(fall / theta4, 1e-300)
        left = -np.expm1(-ratio)
        offset = -(ratio + np.log(left)) * theta4 / tail
        return offset, np.log(fall / (tail * left))

    def rescale_theta(self, unit: float, *theta: float) -> tuple[float, ...]:
        """x / u over theta2 = x over u theta2."""  # noqa: D403
        theta1, theta2, theta3, theta4 = theta
        return theta1, theta2 * unit, theta3, theta4


def select_means(name: str) -> tuple[Mean, ...]:
    """Means of a model by the value of its `mean`: the one of that name, or those that "auto" averages over."""
    return tuple(mean for mean in MEANS.values() if mean.averaged) if name == "auto" else (MEANS[name],)


def log_one_plus_exp(value: Any) -> Any:
    """log(1 + e^value), for complex numbers too, without overflow."""
    if np.isrealobj(value):
        # Not log1p, which is several times slower: the digits that it saves are lost to the larger term.
        return np.maximum(value, 0.0) + np.log(1 + np.exp(-np.abs(value)))
    top = np.maximum(np.real(value), 0.0)
    return top + np.log(np.exp(-top) + np.exp(value - top))
