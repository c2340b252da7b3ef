"""A design: measurements that would be added to a pilot, or be the first one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._check import FloatArray, check_positive, check_real_array, format_value
from ..collect.curves import CurveSet
from ..errors import RequestError

__all__ = ["Cost", "Design", "Price", "make_price"]

_AN_HOUR = 3600.0


@dataclass(frozen=True)
class Design:
    """Scores at some sizes, each on so many splits.

    Attributes
    ----------
    sizes : tuple of float
        Training-set sizes, rising.
    splits : int
        How many splits are trained at each of them.
    continued : bool
        Whether they are the pilot's own splits, which go on; else they are new, the same at every size.
    """

    sizes: tuple[float, ...]
    n_splits: int
    continued: bool = False

    @property
    def fits(self) -> int:
        """How many models are trained."""
        return len(self.sizes) * self.n_splits


@dataclass(frozen=True)
class Price:
    """What fits cost."""

    of_size: Callable[[float], float]
    unit: str
    """What costs are counted in: fits, hours, or whatever the caller's costs are."""

    def of(self, design: Design) -> float:
        """Cost of a whole design."""
        return design.n_splits * sum(map(self.of_size, design.sizes))


Cost = Callable[[float], float] | tuple[float, float] | CurveSet | Price | None
"""What a fit costs: by its size, as (fixed, per example), as measured in a run, with a unit of its own, or 1 each."""


def make_price(cost: Cost, sizes: FloatArray) -> Price:
    """The cost of a fit as it was given, checked at the sizes that matter."""
    if cost is None:
        return Price(lambda size: 1.0, "fits")
    if isinstance(cost, Price):
        return _check_price(cost, sizes)
    if isinstance(cost, CurveSet):
        fixed, each = _estimate_hours(cost)
        return Price(lambda size: fixed + each * size, "hours")
    if callable(cost):
        return _check_price(Price(lambda size: _call_cost(cost, size), "cost"), sizes)
    pair = check_real_array("cost", cost)
    if pair.shape != (2,) or not np.isfinite(pair).all():
        raise RequestError(
            "must be a function of the size, a pair (per fit, per example in it) or a run of collect_curves, got "
            f"{format_value(cost)}.",
            argument="cost",
        )
    fixed, each = pair.tolist()
    if fixed < 0 or each < 0:
        raise RequestError(f"must not be negative, got {fixed:g} per fit and {each:g} per example.", argument="cost")
    return _check_price(Price(lambda size: fixed + each * size, "cost"), sizes)


def _call_cost(cost: Callable[[float], float], size: float) -> float:
    try:
        value = cost(size)
    except Exception as problem:  # whatever the caller's own function raises
        raise RequestError(
            f"failed for size {size:g} ({type(problem).__name__}: {problem}).", argument="cost"
        ) from problem
    return check_positive(f"cost of a fit at size {size:g}", value)


def _check_price(price: Price, sizes: FloatArray) -> Price:
    for size in sizes.tolist():
        if price.of_size(size) <= 0:
            raise RequestError(f"must be above 0, got {price.of_size(size):g} at size {size:g}.", argument="cost")
    return price


def _estimate_hours(run: CurveSet) -> tuple[float, float]:
    """Hours of a fit, and of each example in it: least squares of what a run took, relative to the mean at a size.

    Where larger sizes took less, as they may by chance, all fits cost the mean over the sizes: more than least squares
    relative to the means would say, so that the budget lasts.
    """
    done = [(float(fit["size"]), float(fit["seconds"])) for fit in run.fits if not fit["error"]]
    if not done or not all(seconds > 0 for _, seconds in done):
        raise RequestError("has no fits with recorded times in seconds.", argument="cost")
    size, seconds = np.array(done).T
    distinct, which = np.unique(size, return_inverse=True)
    mean = np.bincount(which, seconds) / np.bincount(which)
    # Both of one sign: a fit never gets cheaper with more examples, nor costs less than nothing.
    weight = 1 / mean
    slope_alone = float((distinct * weight**2 * mean).sum() / (distinct**2 * weight**2).sum())
    if len(distinct) == 1:
        return 0.0, slope_alone / _AN_HOUR
    fixed, slope = np.linalg.lstsq(np.stack([weight, distinct * weight], axis=1), mean * weight, rcond=None)[0]
    if slope < 0:
        fixed, slope = float(mean.mean()), 0.0
    elif fixed < 0:
        fixed, slope = 0.0, slope_alone
    return float(fixed) / _AN_HOUR, float(slope) / _AN_HOUR
