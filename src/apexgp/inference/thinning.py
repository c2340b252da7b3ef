"""Fewer components for a mixture, without bias: what a forecast costs grows with their number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray

__all__ = ["calibrated", "order_alike", "thinned"]

# Cells in which components count as alike: classes of scale, and of location within each.
_CLASSES, _CELLS = 16, 4096
_NEXT_TO_NOTHING = 1e-4
_MOST_MOVED = 0.5  # share of its weight, by which a component may be moved to restore totals


def thinned(
    weights: FloatArray, importance: FloatArray, location: FloatArray, scale: FloatArray, count: int
) -> tuple[NDArray[np.intp], FloatArray]:
    """Choose about `count` components of a mixture, and the weights that they then have.

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
        What makes components alike; a scale may be a variance as well.
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
    order = order_alike(location[counting], scale[counting])
    passed = np.floor(np.cumsum(chance[order]) + 0.5)
    chosen = np.sort(order[np.diff(passed, prepend=0.0) > 0])
    own = weights[counting[chosen]] / chance[chosen]
    return counting[chosen], own / own.sum()


def calibrated(weights: FloatArray, traits: FloatArray, totals: FloatArray) -> FloatArray:
    """Move weights as little as restores the totals that traits (T, components) had before thinning.

    Calibration weighting (Deville and Särndal 1992): each weight is multiplied by 1 plus a combination of its traits.
    """
    everything = np.concatenate([traits, np.ones((1, len(weights)))])
    scale = np.maximum(np.sqrt(everything**2 @ weights), 1e-300)
    everything = everything / scale[:, None]
    missing = np.append(totals, 1.0) / scale - everything @ weights
    moment = (everything * weights) @ everything.T
    moment[np.diag_indices_from(moment)] += 1e-6  # traits may be nearly the same, or nothing at all
    factor = 1 + np.linalg.solve(moment, missing) @ everything
    moved: FloatArray = weights * np.clip(factor, 1 - _MOST_MOVED, 1 + _MOST_MOVED)
    return moved / moved.sum()


def _chances(importance: FloatArray, count: int) -> FloatArray:
    """min(1, c importance), with c such that they sum to `count`."""
    sure, rest = 0, importance.sum()
    while True:
        chance = (count - sure) / rest * importance
        above = chance > 1
        now = int(np.count_nonzero(above))
        if now == sure:
            return np.minimum(chance, 1.0)
        sure, rest = now, importance.sum(where=~above)


def order_alike(location: FloatArray, scale: FloatArray) -> NDArray[np.intp]:
    """An order by classes of scale, and by location within them, to and fro."""
    part, power = np.frexp(scale)
    logs = 2 * part + power  # like those to the base of 2: as high at its powers, and straight between them
    low, high = logs.min(), logs.max()
    classes = ((_CLASSES - 1e-6) / max(high - low, 1e-9) * (logs - low)).astype(np.uint16)
    mean, std = location.mean(), max(location.std(), 1e-9)
    within = (location - mean) / std
    within /= 1 + np.abs(within)  # between -1 and 1, in the same order
    within = np.where(classes % 2, -within, within)
    cells = (_CELLS / 2 * (1 + within)).astype(np.uint16)
    return np.argsort(np.minimum(cells, _CELLS - 1) + _CELLS * classes, kind="stable")
