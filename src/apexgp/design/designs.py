"""Designs, measurements that would be added to a pilot or be the first one: their price, and which are considered.

Considered are usual designs, and the best that can be found by adding one size after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from .._check import FloatArray, check_positive, check_real_array, format_value
from ..collect.curves import CurveSet
from ..errors import RequestError

__all__ = [
    "Cost",
    "Design",
    "DesignSpace",
    "Price",
    "choose_candidate_sizes",
    "choose_first_sizes",
    "find_cheapest",
    "list_candidates",
    "make_price",
]

_AN_HOUR = 3600.0


@dataclass(frozen=True)
class Design:
    """Measurements at some sizes, each on so many splits.

    Attributes
    ----------
    sizes : tuple of float
        Training-set sizes, rising.
    n_splits : int
        How many splits are trained at each of them.
    continued : bool
        Whether the pilot's own splits are continued; otherwise splits are new, the same at every size.
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
    """The cost of fits."""

    cost_of_fit: Callable[[float], float]
    unit: str
    """Unit of costs: fits, hours, or whatever the caller's costs are."""

    def cost_of(self, design: Design) -> float:
        """Cost of a whole design."""
        return design.n_splits * sum(map(self.cost_of_fit, design.sizes))


Cost = Callable[[float], float] | tuple[float, float] | CurveSet | Price | None
"""Cost of a fit: a function of its size, (fixed, per example), a run with recorded times, a `Price`, or None for 1."""


def make_price(cost: Cost, sizes: FloatArray) -> Price:
    """Make a price of the cost of a fit in any form, checked at the sizes that matter."""
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
        if price.cost_of_fit(size) <= 0:
            raise RequestError(f"must be above 0, got {price.cost_of_fit(size):g} at size {size:g}.", argument="cost")
    return price


def _estimate_hours(run: CurveSet) -> tuple[float, float]:
    """Estimate hours per fit and per example by least squares, relative to the mean at each size of a run.

    Where larger sizes took less, as they may by chance, all fits cost the mean over the sizes: more than least squares
    relative to the means would give, so that the budget lasts.
    """
    done = [(float(fit["size"]), float(fit["seconds"])) for fit in run.fits if not fit["error"]]
    if not done or not all(seconds > 0 for _, seconds in done):
        raise RequestError("has no fits with recorded times in seconds.", argument="cost")
    size, seconds = np.array(done).T
    distinct, which = np.unique(size, return_inverse=True)
    mean = np.bincount(which, seconds) / np.bincount(which)
    # Neither is negative: a fit never gets cheaper with more examples, nor costs less than nothing.
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


Risk = Callable[[Design], float]

_BELOW = (0.25, 0.5)  # further candidate sizes below a pilot of one size, in units of it
_BEYOND = 2 ** (np.arange(1, 11) / 2)  # further candidate sizes, in units of the pilot's largest
_MOST_KNOWN, _MOST_BEYOND = 6, 5  # candidate sizes among the pilot's, and beyond
_FIRST = 11  # candidate sizes of a first pilot
_WIDEST = 32.0  # largest over smallest size: scores far below tell little about those above
_LEAST = 16.0
_SPLITS = (1, 2, 3, 5, 10, 20, 50)
_MOST_SPLITS = 100
_MOST_SIZES = 8  # of one design
_TREND = 3  # fewest sizes that show a trend
_SPANS = (32.0, 16.0, 8.0, 4.0)


@dataclass(frozen=True)
class DesignSpace:
    """The sizes, splits and budget that designs may use."""

    sizes: FloatArray
    """Candidate sizes, rising."""
    pilot: FloatArray
    """Measured sizes; none before a first pilot."""
    pilot_splits: int
    """Number of the pilot's splits that can be continued; 0 if none can."""
    price: Price
    budget: float
    split_counts: tuple[int, ...] = ()
    """Numbers of new splits to consider; by default usual ones, and those that spend the budget on few sizes."""

    def __post_init__(self) -> None:
        if not self.split_counts:
            fits = min(self.budget / min(map(self.price.cost_of_fit, self.sizes.tolist())), 6.0 * _MOST_SPLITS)
            whole = {min(int(fits * (1 + 1e-9) / number), _MOST_SPLITS) for number in range(1, 7)}
            object.__setattr__(self, "split_counts", tuple(sorted({*_SPLITS, *whole} - {0})))

    def affords(self, design: Design) -> bool:
        """Whether the budget pays for a design."""
        return self.price.cost_of(design) <= self.budget * (1 + 1e-9)


def choose_candidate_sizes(pilot: FloatArray, available: float) -> FloatArray:
    """Choose some of the pilot's sizes, evenly in their logarithm, and further ones in ratios of the root of 2.

    A pilot of one size shows no trend, which smaller sizes would: they are candidates as well.
    """
    known = pilot
    if len(pilot) == 1:
        smaller = [_round_to_two_digits(share * pilot[0]) for share in _BELOW]
        known = np.unique([*(size for size in smaller if 1 <= size < pilot[0]), *pilot])
    if len(pilot) > _MOST_KNOWN:
        wanted = np.geomspace(pilot[0], pilot[-1], _MOST_KNOWN)
        known = np.unique(pilot[np.abs(np.log(pilot[:, None] / wanted)).argmin(axis=0)])
    further = np.array([_round_to_two_digits(size) for size in pilot[-1] * _BEYOND])
    further = further[(further > pilot[-1] * 1.1) & (further < available * 0.95)]
    if len(further) >= _MOST_BEYOND:
        further = further[np.linspace(0, len(further) - 1, _MOST_BEYOND - 1).round().astype(int)]
    return np.unique([*known, *further, *([available] if available > pilot[-1] else [])])


def choose_first_sizes(available: float) -> FloatArray:
    """Choose sizes for a first pilot, evenly in their logarithm."""
    smallest = max(min(_LEAST, available / 4), available / _WIDEST)
    return np.unique(
        [max(1.0, _round_to_two_digits(size)) for size in np.geomspace(smallest, available, _FIRST)[:-1]] + [available]
    )


def _round_to_two_digits(size: float) -> float:
    """Round a size to a whole number of two digits."""
    return float(round(float(f"{size:.2g}")))


def list_candidates(space: DesignSpace, risk: Risk) -> list[Design]:
    """List designs within the budget, each once."""
    found = _propose_first_pilots(space, risk) if not len(space.pilot) else _extend_pilot(space, risk)
    return list(dict.fromkeys(design for design in found if design.sizes and space.affords(design)))


def _extend_pilot(space: DesignSpace, risk: Risk) -> Iterable[Design]:
    """Propose designs that extend a pilot."""
    known = space.sizes[space.sizes <= space.pilot[-1]]
    beyond = space.sizes[space.sizes > space.pilot[-1]]
    half = replace(space, budget=space.budget / 2)
    if space.pilot_splits:
        unmeasured = space.sizes[~np.isin(space.sizes, space.pilot)]
        same_splits = Design((), space.pilot_splits, continued=True)
        yield from (replace(same_splits, sizes=(size,)) for size in beyond.tolist())
        for limited in (space, half):
            yield _grow(same_splits, unmeasured, limited, risk)
    for count in space.split_counts:
        new = Design((), count)
        for limited in (space, half):
            yield _grow(new, space.sizes, limited, risk)
        yield _grow(new, known, space, risk)  # without more data
        for sizes in (known, np.union1d(known[:1], known[-1:]), known[-1:], beyond[-1:]):
            if len(sizes):
                yield _add_splits(replace(new, sizes=tuple(sizes.tolist())), space)


def _propose_first_pilots(space: DesignSpace, risk: Risk) -> Iterable[Design]:
    """Propose first pilots: at least three sizes, the largest among them unless that is expensive."""
    cheapest = find_cheapest(space)
    # A single split, whose luck cannot be told from the curve, did far worse on real curves than promised: it is
    # proposed only where the budget allows no more.
    several = [count for count in space.split_counts if count > 1 and space.affords(replace(cheapest, n_splits=count))]
    if not several:
        yield cheapest
    first_cost, last_cost = (space.price.cost_of_fit(float(space.sizes[i])) for i in (0, -1))
    expensive = last_cost > first_cost * (1 + 1e-9)
    for count in several or space.split_counts:
        for last in range(len(space.sizes), _TREND - 1, -2 if expensive else -len(space.sizes)):
            sizes = space.sizes[:last]
            for span in _SPANS:
                within = sizes[sizes >= sizes[-1] / span * 0.99]
                for number in (3, 4, 5, 6, _MOST_SIZES):
                    even = Design(_space_evenly(within, number), count)
                    if len(even.sizes) >= _TREND:
                        yield even
            for start in ((0, len(sizes) // 2), (len(sizes) // 2, -2)):
                seed_design = Design(tuple(sorted({*sizes[list(start)].tolist(), float(sizes[-1])})), count)
                if len(seed_design.sizes) >= _TREND and space.affords(seed_design):
                    yield _grow(seed_design, sizes, space, risk)


def _space_evenly(sizes: FloatArray, number: int) -> tuple[float, ...]:
    """Pick so many of the sizes, as evenly in their logarithm as they allow."""
    wanted = np.geomspace(sizes[0], sizes[-1], number)
    chosen: list[float] = sizes[np.abs(np.log(sizes[:, None] / wanted)).argmin(axis=0)].tolist()
    return tuple(sorted(set(chosen)))


def _grow(design: Design, sizes: FloatArray, space: DesignSpace, risk: Risk) -> Design:
    """Add the size that helps most, as long as the budget lasts."""
    while len(design.sizes) < _MOST_SIZES:
        larger = [_add_size(design, size) for size in sizes.tolist() if size not in design.sizes]
        affordable = [one for one in larger if space.affords(one)]
        if not affordable:
            break
        design = min(affordable, key=risk)
    return design


def _add_size(design: Design, size: float) -> Design:
    return replace(design, sizes=tuple(sorted((*design.sizes, size))))


def _add_splits(design: Design, space: DesignSpace) -> Design:
    """Raise the number of splits as far as the budget allows."""
    affordable = [count for count in space.split_counts if space.affords(replace(design, n_splits=count))]
    return replace(design, n_splits=max(affordable, default=design.n_splits))


def find_cheapest(space: DesignSpace) -> Design:
    """Find the design that costs least."""
    by_price = sorted(space.sizes.tolist(), key=space.price.cost_of_fit)
    return Design(tuple(sorted(by_price[: 1 if len(space.pilot) else _TREND])), min(space.split_counts))
