"""Many one-dimensional roots at once: by Newton's method where slopes are known, within brackets where they are not.

SciPy's `elementwise.find_root` would do the second. It asks for about as many values, and spends 2 ms on its own, which
is as long as all values for a required size take.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray

__all__ = ["find_crossings", "find_rising_root"]

_PATIENCE, _MOST_STEPS = 30, 200  # steps, after which brackets are halved, and after which they are as they are


def find_crossings(
    function: Callable[[FloatArray, NDArray[np.intp]], FloatArray],
    low: FloatArray,
    high: FloatArray,
    at_low: FloatArray,
    at_high: FloatArray,
    *,
    tolerance: float,
) -> FloatArray:
    """Points just above those at which functions pass from below 0 to above, one an array element.

    By the Illinois variant of the rule of false position (Dowell and Jarratt 1971).

    Parameters
    ----------
    function
        Maps points, and which of the functions each belongs to, to values.
    low, high
        Brackets: the values at their ends are `at_low` < 0 and `at_high` >= 0.
    tolerance
        Largest width that a bracket is left with; its upper end comes back.
    """
    low, high = low.copy(), high.copy()
    below, above = at_low.copy(), at_high.copy()  # values at the ends, halved where an end stays too long
    stayed = np.zeros(len(low), int)  # which end did in the last step: -1, 1
    for iteration in range(_MOST_STEPS):
        going = np.flatnonzero(high - low > tolerance)
        if not going.size:
            break
        a, b, value_a, value_b = low[going], high[going], below[going], above[going]
        x = b - (b - a) * (value_b / (value_b - value_a))
        # A root next to an end is caught between that end and the least step from it.
        step = np.minimum(0.45 * tolerance, 0.5 * (b - a))
        x = np.clip(x, a + step, b - step) if iteration < _PATIENCE else (a + b) / 2
        value = function(x, going)
        up = value >= 0
        below[going] = np.where(up, np.where(stayed[going] < 0, 0.5, 1.0) * value_a, value)
        above[going] = np.where(up, value, np.where(stayed[going] > 0, 0.5, 1.0) * value_b)
        low[going], high[going] = np.where(up, a, x), np.where(up, x, b)
        stayed[going] = np.where(up, -1, 1)
    return high


def find_rising_root(
    function: Callable[[FloatArray, NDArray[np.intp]], tuple[FloatArray, FloatArray]],
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
        Maps points, and their indices on the last axis, to values and slopes. Indices at which all roots have been
        found are not asked for again.
    low, high
        Brackets. Where a function has no root inside, the nearer end comes back.
    start
        First guesses within the brackets.
    tolerance
        Largest last step that counts as arrived.
    """
    root, index = start.copy(), np.arange(start.shape[-1])
    x, arrived = start, np.zeros(start.shape, bool)
    for iteration in range(100):
        value, slope = function(x, index)
        low, high = np.where(value <= 0, x, low), np.where(value >= 0, x, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = x - value / slope
        # A step out of the bracket, or none at all (NaN), becomes a bisection; so do all where Newton's method has had
        # its chance and goes to and fro between the ends.
        inside = (newton >= low) & (newton <= high) & (iteration < 12)
        moved = np.where(arrived, x, np.where(inside, newton, (low + high) / 2))
        arrived |= np.abs(moved - x) <= tolerance
        root[..., index] = x = moved
        going = np.flatnonzero(~arrived.reshape(-1, len(index)).all(axis=0))
        if not going.size:
            break
        if going.size < index.size:
            x, low, high, arrived = (array[..., going] for array in (x, low, high, arrived))
            index = index[going]
    return root
