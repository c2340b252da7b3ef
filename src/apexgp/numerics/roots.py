"""Many one-dimensional roots at once, where slopes are known.

Without slopes SciPy's `elementwise.find_root` does: required sizes take it. It asks for 13 to 15 values where Newton's
method, begun nearby, asks for one or two.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray


def rising_root(
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
