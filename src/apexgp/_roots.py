"""Many one-dimensional roots at once, and the inverse of a rising function that is known at some points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ._check import FloatArray


def rising_root(
    function: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    low: FloatArray,
    high: FloatArray,
    start: FloatArray,
    *,
    tolerance: float,
) -> FloatArray:
    """Roots of non-decreasing functions, one an array element, by Newton's method kept inside shrinking brackets.

    Parameters
    ----------
    function
        Maps points to values and slopes.
    low, high
        Brackets. Where a function has no root inside, the nearer end comes back.
    start
        First guesses within the brackets.
    tolerance
        Largest last step that counts as arrived.
    """
    x, arrived = start, np.zeros(np.shape(start), bool)
    for iteration in range(100):
        value, slope = function(x)
        low, high = np.where(value <= 0, x, low), np.where(value >= 0, x, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = x - value / slope
        # A step out of the bracket, or none at all (NaN), becomes a bisection; so do all where Newton's method has had
        # its chance and goes to and fro between the ends.
        inside = (newton >= low) & (newton <= high) & (iteration < 12)
        moved = np.where(arrived, x, np.where(inside, newton, (low + high) / 2))
        arrived |= np.abs(moved - x) <= tolerance
        x = moved
        if arrived.all():
            break
    return x


def bracketed_root(
    function: Callable[[FloatArray, NDArray[np.intp]], FloatArray],
    low: FloatArray,
    high: FloatArray,
    at_low: FloatArray,
    at_high: FloatArray,
    *,
    tolerance: float,
) -> FloatArray:
    """Roots of functions without slopes, one an array element, by the secant method of Anderson and Bjorck.

    It asks for few values where each is dear: none at the ends of the brackets, which are known, and none for elements
    that have arrived.

    Parameters
    ----------
    function
        Maps points, and the indices of the elements that they belong to, to values.
    low, high, at_low, at_high
        Brackets, and the values at their ends: one below 0, the other not.
    tolerance
        Width of a bracket, or length of a step, that counts as arrived.
    """
    root, a, b, fa, fb = (np.array(v, float) for v in ((low + high) / 2, low, high, at_low, at_high))
    active = np.arange(len(root))
    for iteration in range(100):
        x = (a * fb - b * fa) / (fb - fa) if iteration % 10 < 9 else (a + b) / 2  # a bisection, should it crawl
        value = function(x, active)
        step = np.abs(x - root[active])
        root[active] = x
        # The new point replaces b; a stays where it brackets, with less than its value, so that both ends move.
        same_side = (value < 0) == (fb < 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            less = 1 - value / fb
        a, fa = np.where(same_side, a, b), np.where(same_side, fa * np.where(less > 0, less, 0.5), fb)
        b, fb = x, value
        going = (np.minimum(step, np.abs(b - a)) > tolerance) & (value != 0)
        if not going.any():
            break
        active, a, b, fa, fb = active[going], a[going], b[going], fa[going], fb[going]
    return root


def inverse_hermite(knots: FloatArray, values: FloatArray, slopes: FloatArray, y: FloatArray) -> FloatArray:
    """Where the piecewise cubic with the given values and slopes at the knots reaches y.

    The values must not fall. For y beyond them the nearest knot comes back.
    """
    i = np.clip(np.searchsorted(values, y, side="right") - 1, 0, len(knots) - 2)

    def surplus(t: FloatArray) -> tuple[FloatArray, FloatArray]:
        value, slope = _cubic(knots, values, slopes, i, t)
        return value - y, slope

    rise = values[i + 1] - values[i]
    start = np.clip((y - values[i]) / np.where(rise > 0, rise, 1.0), 0.0, 1.0)
    t = rising_root(surplus, np.zeros_like(start), np.ones_like(start), start, tolerance=1e-12)
    return knots[i] + t * (knots[i + 1] - knots[i])


def _cubic(
    knots: FloatArray, values: FloatArray, slopes: FloatArray, i: NDArray[np.intp], t: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Value and slope by t in [0, 1] within the i-th interval."""
    width = knots[i + 1] - knots[i]
    a, b, u, v = values[i], values[i + 1], slopes[i] * width, slopes[i + 1] * width
    c, d = 3 * (b - a) - 2 * u - v, 2 * (a - b) + u + v
    return a + t * (u + t * (c + t * d)), u + t * (2 * c + t * 3 * d)
