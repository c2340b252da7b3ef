"""Fewer components for a mixture, without bias: what a forecast costs grows with their number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray

__all__ = ["thinned"]

_CLASSES = 16
_NEXT_TO_NOTHING = 1e-4


def thinned(
    weights: FloatArray, importance: FloatArray, location: FloatArray, scale: FloatArray, count: int
) -> tuple[NDArray[np.intp], FloatArray]:
    """Choose at most `count` components of a mixture, and the weights that they then have.

    Fearnhead and Clifford's resampling (2003): what is more important than a threshold is kept as it is; of the rest,
    each is kept with a probability in proportion to its importance, and its weight divided by that. They are chosen
    at even steps along an order in which neighbours are alike, so that what is left out is made up for by its like.

    Parameters
    ----------
    weights
        They sum to 1.
    importance
        How much it matters that a component is kept: its weight, or more where components decide about tails.
    location, scale
        What makes components alike.
    count
        How many to keep.

    Returns
    -------
    index, weights
        The chosen ones in rising order, and weights that sum to 1.
    """
    # What together carries next to nothing is not worth sorting.
    counting = np.flatnonzero(importance > _NEXT_TO_NOTHING / len(weights))
    if len(counting) <= count:
        return counting, weights[counting] / weights[counting].sum()
    chance = _chances(importance[counting], count)
    order = _alike_together(location[counting], scale[counting])
    passed = np.floor(np.cumsum(chance[order]) + 0.5)
    chosen = np.sort(order[np.diff(passed, prepend=0.0) > 0])
    own = weights[counting[chosen]] / chance[chosen]
    return counting[chosen], own / own.sum()


def _chances(importance: FloatArray, count: int) -> FloatArray:
    """min(1, c importance), with c such that they sum to `count`."""
    falling = np.sort(importance)[::-1]
    rest = np.cumsum(falling[::-1])[::-1]
    # With the k largest kept for sure, c = (count - k) / rest[k]; it must leave the next one below 1.
    sure = np.arange(count)
    most = int(np.argmax((count - sure) * falling[:count] <= rest[:count]))
    return np.minimum((count - most) / rest[most] * importance, 1.0)


def _alike_together(location: FloatArray, scale: FloatArray) -> NDArray[np.intp]:
    """An order by classes of scale, and by location within them, to and fro."""
    bounds = np.sort(scale)[np.arange(1, _CLASSES) * len(scale) // _CLASSES]
    classes = np.searchsorted(bounds, scale)
    within = location / (1 + np.abs(location))  # between -1 and 1, in the same order
    return np.argsort(2 * classes + np.where(classes % 2, -within, within))
