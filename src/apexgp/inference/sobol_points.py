"""Evenly spread numbers that nodes and draws are made of: scrambled Sobol points, the same for the same seed."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri

from .._check import FloatArray
from ..numerics.sobol import make_sobol_points

__all__ = ["CLOSEST", "DRAWS", "Uniforms", "even_uniforms", "sobol", "standard_t", "uniforms"]

CLOSEST = 1e-9
"""Of a share to 0 and 1, and of a level to the ceiling."""
DRAWS = 4
"""Of the share that is still to be won, at each node."""


class Uniforms(NamedTuple):
    """Uniform numbers at each of some nodes, shape (draws, nodes)."""

    levels: FloatArray
    """For the level, where it is drawn."""
    shares: FloatArray
    """For the drop, or the share; each half of a node's are evenly spread over [0, 1], and so are all."""
    arcsine: FloatArray
    """The second half of these as draws from the arcsine distribution."""

    def between(self, start: int, stop: int) -> Uniforms:
        """Of some of the nodes."""
        return Uniforms(*(values[:, start:stop] for values in self))


# Counts are powers of 2, of which the first are taken: curves that take other numbers of nodes share them. What is made
# of a seed's points takes a megabyte, so it is kept for as many seeds as a required size takes.
@lru_cache(maxsize=4)
def sobol(count: int, dimensions: int, seed: int) -> FloatArray:
    """Scrambled Sobol points in the unit cube, shape (dimensions, count): other ones for each seed."""
    return _fixed(np.clip(make_sobol_points(count, dimensions, np.random.default_rng([seed, 0])), 1e-6, 1 - 1e-6))


def standard_t(count: int, dimensions: int, degrees: int, seed: int) -> FloatArray:
    """The first standard t vectors of so many degrees of freedom, shape (dimensions, count)."""
    return _standard_t(_enough(count), dimensions, degrees, seed)[:, :count]


def uniforms(count: int, dimensions: int, seed: int) -> Uniforms:
    """Numbers for the draws at the nodes that belong to these vectors."""
    return _uniforms(_enough(count), dimensions, seed).between(0, count)


def _enough(count: int) -> int:
    return 1 << (count - 1).bit_length()


@lru_cache(maxsize=64)
def _standard_t(count: int, dimensions: int, degrees: int, seed: int) -> FloatArray:
    """One more coordinate is spent on their common scale; two are left for `uniforms`."""
    points = sobol(count, dimensions + 3, seed)
    return _fixed(ndtri(points[:-3]) * np.interp(ndtri(points[-3]), *_scale_table(degrees)))


@lru_cache(maxsize=8)
def _scale_table(degrees: int) -> tuple[FloatArray, FloatArray]:
    """Normal scores and the common scales of t vectors there: between two of them straight to 1e-7.

    The last thousandth would lie where numbers overflow, and no weight is: it has the scale of the one before.
    """
    scores = np.linspace(ndtri(1e-3), ndtri(1 - 1e-6), 4097)
    return scores, np.sqrt(0.5 * degrees / gammaincinv(0.5 * degrees, ndtr(scores)))


@lru_cache(maxsize=128)
def even_uniforms(count: int) -> Uniforms:
    """Equal numbers at each of so many nodes, so that densities differ by the nodes alone."""
    return _spread_draws(*np.full((2, 1, count), 0.5 / DRAWS))


@lru_cache(maxsize=64)
def _uniforms(count: int, dimensions: int, seed: int) -> Uniforms:
    return _spread_draws(*sobol(count, dimensions + 3, seed)[-2:, None])


def _spread_draws(levels: FloatArray, shares: FloatArray) -> Uniforms:
    """Numbers for all draws, evenly spread, from those of the first: shape (1, nodes)."""
    steps = np.arange(DRAWS)[:, None] / DRAWS
    # In the order of bit reversal, so that each half is as evenly spread as the whole.
    turned = np.concatenate([steps[::2], steps[1::2]])
    levels, shares = (levels + steps) % 1.0, (shares + turned) % 1.0
    arcsine = np.clip(np.sin(0.5 * np.pi * shares[DRAWS // 2 :]) ** 2, CLOSEST, 1 - CLOSEST)
    return Uniforms(_fixed(levels), _fixed(shares), _fixed(arcsine))


def _fixed(array: FloatArray) -> FloatArray:
    """The array, which nobody may change from now on."""
    array.flags.writeable = False
    return array
