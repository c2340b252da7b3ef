"""Sobol points: they fill the unit cube more evenly than random ones.

They are the points of `scipy.stats.qmc.Sobol`, made here because importing `scipy.stats` takes longer than everything
else that a forecast needs. SciPy scrambles with a child of the generator that it is given (`rng.spawn(1)[0]`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray

__all__ = ["MOST_DIMENSIONS", "make_sobol_points"]

_BITS = 30
_POWERS_OF_TWO = 2.0 ** np.arange(_BITS)

# Joe and Kuo (2008), new-joe-kuo-6: the coefficients of each dimension's primitive polynomial as the bits of a number,
# and the first direction numbers. The first dimension, which needs neither, is the van der Corput sequence.
_POLYNOMIALS = (
    (0b11, (1,)),
    (0b111, (1, 3)),
    (0b1011, (1, 3, 1)),
    (0b1101, (1, 1, 1)),
    (0b10011, (1, 1, 3, 3)),
    (0b11001, (1, 3, 5, 13)),
    (0b100101, (1, 1, 5, 5, 17)),
    (0b101001, (1, 1, 5, 5, 5)),
    (0b101111, (1, 1, 7, 11, 19)),
    (0b110111, (1, 1, 5, 1, 1)),
    (0b111011, (1, 1, 1, 3, 11)),
    (0b111101, (1, 3, 5, 5, 31)),
    (0b1000011, (1, 3, 3, 9, 7, 49)),
    (0b1011011, (1, 1, 1, 15, 21, 21)),
    (0b1100001, (1, 3, 1, 13, 27, 49)),
)
MOST_DIMENSIONS = 1 + len(_POLYNOMIALS)


def make_sobol_points(count: int, dimensions: int, rng: np.random.Generator | None = None) -> FloatArray:
    """Make the first points of the Sobol sequence, shape (dimensions, count).

    Parameters
    ----------
    count
        How many points; they are balanced where this is a power of 2.
    dimensions
        At most `MOST_DIMENSIONS`.
    rng
        Scrambles the points: a random matrix for the digits of each dimension, and a random shift (Matousek 1998).
        Every point is then uniform over the cube, and all together keep their balance. None: the plain sequence,
        which begins at the origin.
    """
    directions = np.array([_make_directions(dimension) for dimension in range(dimensions)], dtype=np.uint32)
    points = np.empty((dimensions, count), dtype=np.uint32)
    points[:, 0] = 0
    if rng is not None:
        points[:, 0] = rng.integers(2, size=(dimensions, _BITS), dtype=np.uint32) @ _POWERS_OF_TWO
        directions = _scramble(directions, rng)
    # In the order of the Gray code each doubling runs through the earlier points backwards, with one more bit set.
    known, bit = 1, 0
    while known < count:
        more = min(known, count - known)
        earlier = points[:, known - more : known][:, ::-1]
        np.bitwise_xor(earlier, directions[:, bit, None], out=points[:, known : known + more])
        known, bit = known + more, bit + 1
    return points.astype(float) * 2.0**-_BITS


def _make_directions(dimension: int) -> list[int]:
    """Make the direction numbers of one dimension as fractions of 2^30, the coarsest first."""
    if dimension == 0:
        return [1 << (_BITS - 1 - bit) for bit in range(_BITS)]
    polynomial, first = _POLYNOMIALS[dimension - 1]
    numbers, degree = list(first), len(first)
    for bit in range(degree, _BITS):
        number = numbers[bit - degree]
        for back in range(1, degree + 1):
            if polynomial >> (degree - back) & 1:
                number ^= numbers[bit - back] << back
        numbers.append(number)
    return [number << (_BITS - 1 - bit) for bit, number in enumerate(numbers)]


def _scramble(directions: NDArray[np.uint32], rng: np.random.Generator) -> NDArray[np.uint32]:
    """Multiply the digits of direction numbers by a random lower triangular matrix, one for each dimension."""
    random = rng.integers(2, size=(len(directions), _BITS, _BITS), dtype=np.uint32)
    matrices = np.tril(random, -1) + np.eye(_BITS)
    digits = (directions[:, :, None] >> np.arange(_BITS - 1, -1, -1, dtype=np.uint32)) & 1  # the coarsest first
    mixed = (digits @ matrices.swapaxes(1, 2)) % 2  # as floats: NumPy has no fast product of integers
    return (mixed @ _POWERS_OF_TWO[::-1]).astype(np.uint32)
