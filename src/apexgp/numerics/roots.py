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

_PATIENCE, _MOST_STEPS = 30, 200  # steps after which brackets are halved, and after which the search gives up


def find_crossings(
    function: Callable[[FloatArray, NDArray[np.intp]], FloatArray],
    low: FloatArray,
    high: FloatArray,
    at_low: FloatArray,
    at_high: FloatArray,
    *,
    tolerance: float,
) -> FloatArray:
    """Find where functions, one per array element, pass from below 0 to above; the points lie just above.

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
    below, above = at_low.copy(), at_high.copy()  # values at the ends, halved where an end does not move
    unmoved = np.zeros(len(low), int)  # the end that did not move in the last step: -1, 1
    for iteration in range(_MOST_STEPS):
        active = np.flatnonzero(high - low > tolerance)
        if not active.size:
            break
        a, b, value_a, value_b = low[active], high[active], below[active], above[active]
        x = b - (b - a) * (value_b / (value_b - value_a))
        # A root next to an end is caught between that end and the least step from it.
        step = np.minimum(0.45 * tolerance, 0.5 * (b - a))
        x = np.clip(x, a + step, b - step) if iteration < _PATIENCE else (a + b) / 2
        value = function(x, active)
        is_above = value >= 0
        below[active] = np.where(is_above, np.where(unmoved[active] < 0, 0.5, 1.0) * value_a, value)
        above[active] = np.where(is_above, value, np.where(unmoved[active] > 0, 0.5, 1.0) * value_b)
        low[active], high[active] = np.where(is_above, a, x), np.where(is_above, x, b)
        unmoved[active] = np.where(is_above, -1, 1)
    return high


def find_rising_root(
    function: Callable[[FloatArray, NDArray[np.intp]], tuple[FloatArray, FloatArray]],
    low: FloatArray,
    high: FloatArray,
    start: FloatArray,
    *,
    tolerance: float,
) -> FloatArray:
    """Find roots of non-decreasing functions, one per array element, by Newton's method within shrinking brackets.

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
        Largest last step that counts as converged.
    """
    root, index = start.copy(), np.arange(start.shape[-1])
    x, converged = start, np.zeros(start.shape, bool)
    for iteration in range(100):
        value, slope = function(x, index)
        low, high = np.where(value <= 0, x, low), np.where(value >= 0, x, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = x - value / slope
        # A step out of the bracket, or none at all (NaN), becomes a bisection; so do all where Newton's method has had
        # its chance and goes to and fro between the ends.
        inside = (newton >= low) & (newton <= high) & (iteration < 12)
        moved = np.where(converged, x, np.where(inside, newton, (low + high) / 2))
        converged |= np.abs(moved - x) <= tolerance
        root[..., index] = x = moved
        active = np.flatnonzero(~converged.reshape(-1, len(index)).all(axis=0))
        if not active.size:
            break
        if active.size < index.size:
            x, low, high, converged = (array[..., active] for array in (x, low, high, converged))
            index = index[active]
    return root
