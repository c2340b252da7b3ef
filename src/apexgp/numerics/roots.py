"""Many one-dimensional roots at once."""

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
    near: float = 0.0,
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
    near
        A value that leaves nothing to do after the next step.
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
        arrived |= (np.abs(moved - x) <= tolerance) | (inside & (np.abs(value) <= near))
        root[..., index] = x = moved
        going = np.flatnonzero(~arrived.reshape(-1, len(index)).all(axis=0))
        if not going.size:
            break
        if going.size < index.size:
            x, low, high, arrived = (array[..., going] for array in (x, low, high, arrived))
            index = index[going]
    return root


def bracketed_root(
    function: Callable[[FloatArray, NDArray[np.intp]], FloatArray],
    low: FloatArray,
    high: FloatArray,
    at_low: FloatArray,
    at_high: FloatArray,
    *,
    tolerance: float,
) -> FloatArray:
    """Roots of functions without slopes, one an array element, by Chandrupatla's method.

    It asks for few values where each is dear: none at the ends of the brackets, which are known, and none for elements
    that have arrived. Steps and plateaus cost bisections, but do not stop it early. SciPy's `elementwise.find_root`
    gives the same answers, but asks for the ends again: 2 to 6 ms more on questions that take 10 to 19 ms.

    Parameters
    ----------
    function
        Maps points, and the indices of the elements that they belong to, to values.
    low, high, at_low, at_high
        Brackets, and the values at their ends: one below 0, the other not.
    tolerance
        Width of a bracket that counts as arrived. The end at which the function is not below 0 comes back.
    """
    a, b, fa, fb = (np.array(v, float) for v in (low, high, at_low, at_high))
    root = np.where(fa < 0, b, a)
    active = np.flatnonzero(np.abs(b - a) > tolerance)
    a, b, fa, fb = a[active], b[active], fa[active], fb[active]
    share = fa / (fa - fb)  # of the way from a to b; a secant first
    for _ in range(200):
        if not active.size:
            break
        # Never so near an end that a root just beyond the point would leave the bracket as wide as it was.
        least = np.minimum(0.5 * tolerance / np.abs(b - a), 0.5)
        x = a + np.clip(share, least, 1 - least) * (b - a)
        value = function(x, active)
        # The new point becomes a, the end on the other side b, and c the point that was given up.
        same_side = (value < 0) == (fa < 0)
        c, fc = np.where(same_side, a, b), np.where(same_side, fa, fb)
        b, fb = np.where(same_side, b, a), np.where(same_side, fb, fa)
        a, fa = x, value
        root[active] = np.where(fa < 0, b, a)
        going = np.abs(b - a) > tolerance
        active, a, b, c = active[going], a[going], b[going], c[going]
        fa, fb, fc = fa[going], fb[going], fc[going]
        # The inverse quadratic through the three points where it is monotone between them, else the middle.
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        smooth = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        with np.errstate(divide="ignore", invalid="ignore"):
            quadratic = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        share = np.where(smooth, quadratic, 0.5)
    return root
