"""Many one-dimensional roots at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

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
    x = start
    for _ in range(100):
        value, slope = function(x)
        low, high = np.where(value <= 0, x, low), np.where(value >= 0, x, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = x - value / slope
        # A step out of the bracket, or none at all (NaN), becomes a bisection.
        moved = np.where((newton >= low) & (newton <= high), newton, (low + high) / 2)
        arrived = np.abs(moved - x) <= tolerance
        x = moved
        if arrived.all():
            break
    return x
