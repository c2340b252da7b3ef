"""How many examples reach a target, and with what probability."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from ._answer import Answer, ColumnData, SummaryTable
from ._check import FloatArray, check_positive, check_probability, check_real_number, has_attributes
from ._numbers import format_chance, format_size, format_size_needed, round_down, round_up
from .curve import LearningCurve
from .errors import RequestError
from .forecast import Forecast, Quantity
from .numerics.roots import find_crossings
from .scale import UNIT_RANGE

__all__ = [
    "CERTAIN",
    "CONFIDENCE",
    "FARTHEST_PLAN",
    "KNOWN",
    "UNLIMITED",
    "Exactness",
    "Forecaster",
    "RequiredSize",
    "Success",
    "add_errors",
    "attainable_target",
    "is_beyond_plans",
    "pass_levels",
    "prob_met",
    "remember",
    "required_size",
    "success_by",
    "success_of",
    "whole_size",
]

Success = Callable[[FloatArray], FloatArray]
"""F: the probability that the score at each of some sizes meets the target."""

CONFIDENCE = 0.8
"""Probability with which a target should be met, where nothing else is said."""

FARTHEST_PLAN = 100
"""Beyond so many times the pilot a number of examples is no plan, whatever the curve says: none is printed."""

UNLIMITED = 1e300
"""Stands for infinitely many examples: what a curve has still to gain there, it gains nowhere."""

KNOWN = 0.05
"""Two standard errors of a size, as a share of it, up to which it is known: beyond, words give its range instead."""

CERTAIN = 3.0
"""Standard errors either side within which a number is certain to lie, so that other seeds do not contradict."""

_NEARBY = 1.05  # ratio of sizes between which the slope of a probability is measured
_THREE_DIGITS = 0.005  # relative error of a size below which three digits hold

# Beyond the pilot F is looked at here (multiples of its largest size), ever more coarsely, for the last place where it
# is too small.
_MULTIPLES = (3.0, 10.0, 40.0, 200.0, 2e3, 1e5, 1e8, 1e15, 1e40, 1e120)
_DIPS = (1.3, 1.8, 5.0, 20.0)
_TOLERANCE = 1e-7  # of the logarithm of a size
_EXACT = 2.0**53  # whole numbers beyond are not all representable


class Forecaster(Protocol):
    """A fitted model that answers can be asked of."""

    ceiling: float
    floor: float
    curve_: LearningCurve

    def forecast(self, sizes: ArrayLike, of: Quantity = ...) -> Forecast:
        """Distribution of the score at the sizes."""
        ...


def is_beyond_plans(size: float, largest: float) -> bool:
    """Whether a size is infinite, or more than 100 times the pilot's largest."""
    return math.isinf(size) or size > FARTHEST_PLAN * largest


@dataclass(frozen=True, repr=False)
class RequiredSize(Answer):
    """How many training examples reach a target.

    F(n) is the probability that the score with n examples meets the target.

    Attributes
    ----------
    target : float
        The score to reach (an error rate to come down to where lower is better).
    confidence : float
        Probability with which it should be reached.
    size : int, or math.inf
        The smallest number of examples from which on F stays at or above the confidence, not counting sizes below the
        pilot's smallest; inf if there is none. Words and pictures round it up (`rounded_size`).
    median : int, or math.inf
        The same for a probability of one half.
    interval : pair of int, or math.inf
        The same for probabilities of 0.1 and 0.9.
    prob_reachable : float
        Limit of F as n grows: the probability with unlimited data.
    prob_now : float
        F at the largest pilot size.
    already_met : bool
        Whether F at the largest pilot size is at or above the confidence.
    size_range : pair of int, or math.inf
        Between which sizes `size` lies, three Monte Carlo standard errors of F either way. Words give it in place of
        `size` where that is not known to 5 % (`is_known`). Where the first is finite and the second is not, it is open
        whether any number of examples suffices (`is_open`).
    relative_error : float
        Monte Carlo standard error of `size`, as a share of it: how far another seed may move it. NaN where the size is
        infinite; infinite where F does not rise there; 0 where nothing is random, or the size is the pilot's smallest.
    digits : int
        Number of digits to which sizes are rounded when printed: 3 where the standard errors of `size`, `median` and
        `interval` are all below half a per cent, else 2.
    cautions : tuple of str
        Reasons to doubt the answer, among them that `prob_reachable` is too close to the confidence for the integral
        to decide whether any number of examples suffices.
    largest : float
        The pilot's largest size: sizes more than 100 times as large are printed as such, without a number.
    """

    target: float
    confidence: float
    size: float
    median: float
    interval: tuple[float, float]
    prob_reachable: float
    prob_now: float
    already_met: bool
    size_range: tuple[float, float]
    relative_error: float = field(default=0.0, compare=False)  # NaN equals nothing
    digits: int = 2
    cautions: tuple[str, ...] = ()
    largest: float = math.inf

    @property
    def is_realistic(self) -> bool:
        """Whether there is a size that can be planned for, as far as is known."""
        return not is_beyond_plans(self.least_size, self.largest)

    @property
    def is_open(self) -> bool:
        """Whether the integral leaves open if any number of examples suffices."""
        low, high = self.size_range
        return low < high == math.inf

    @property
    def is_known(self) -> bool:
        """Whether `size` is known to 5 % (two standard errors), or to be infinite."""
        return not self.is_open and not 2 * self.relative_error > KNOWN

    @property
    def least_size(self) -> float:
        """The size, or where it is not known the least that it may be."""
        return self.size if self.is_known else self.size_range[0]

    @property
    def is_out_of_reach(self) -> bool:
        """Whether it is known that no number of examples suffices."""
        return math.isinf(self.least_size)

    @property
    def farthest_plan(self) -> str:
        """The largest size that is printed, 100 times the pilot's largest, as it is written."""
        return format_size(FARTHEST_PLAN * self.largest)

    @property
    def rounded_size(self) -> float:
        """The size as it is printed everywhere, rounded up; infinite where no number is printed."""
        return math.inf if is_beyond_plans(self.size, self.largest) else round_up(self.size, self.digits)

    @property
    def by_probability(self) -> dict[float, float]:
        """The exact sizes by the probability with which they reach the target, in rising order."""
        sizes = {0.1: self.interval[0], 0.5: self.median, 0.9: self.interval[1], self.confidence: self.size}
        return dict(sorted(sizes.items()))

    @property
    def words_by_probability(self) -> dict[float, str]:
        """The sizes by probability as they are printed."""
        words = {level: self.in_words(size) for level, size in self.by_probability.items()}
        return words | {self.confidence: self.size_in_words}

    def in_words(self, size: float) -> str:
        """One of the sizes, rounded up; where it is infinite, the best probability instead.

        Of a size that no one could plan for it is said that it is one: its digits mean nothing.
        """
        if isinstance(size, float) and size == math.inf:
            return f"none: {self.at_best} at best"
        number = check_positive("size", size)
        return (
            f"more than {self.farthest_plan}"
            if is_beyond_plans(number, self.largest)
            else format_size_needed(number, self.digits)
        )

    @property
    def size_in_words(self) -> str:
        """The required size, rounded up; its range where it is not known to 5 %."""
        if self.is_known or not self.is_realistic:
            return self.in_words(self.least_size)
        low, high = self.rounded_range
        if is_beyond_plans(high, self.largest):
            return f"{low:,.0f} or more"
        return f"between {low:,.0f} and {format_size_needed(high, self.digits)}"

    @property
    def rounded_range(self) -> tuple[float, float]:
        """The range as it is printed: rounded outward."""
        low, high = self.size_range
        return round_down(low, self.digits), round_up(high, self.digits)

    @property
    def at_best(self) -> str:
        """The probability with unlimited data, in words."""
        return format_chance(self.prob_reachable, self.confidence)

    def _columns(self) -> ColumnData:
        beside = ("cautions", "largest")
        columns: ColumnData = {one.name: [getattr(self, one.name)] for one in fields(self) if one.name not in beside}
        printed = self.rounded_size if self.is_known and not self.already_met else math.inf
        return columns | {"rounded_size": [printed], "is_open": [self.is_open]}

    def shown(self) -> SummaryTable:
        """The sizes by their probability."""
        sure = f"with a probability of {100 * self.confidence:g} %"
        now = f"Probability that the pilot's size suffices: {format_chance(self.prob_now, self.confidence)}"
        ever = f"{now}; with unlimited data: {self.at_best}."
        if self.already_met:
            title, ever = f"Required size: the pilot's examples already reach {self.target:g} {sure}", f"{now}."
        elif self.is_out_of_reach:
            title = f"Required size: no number of examples reaches {self.target:g} {sure}"
        elif not self.is_realistic:
            title = f"Required size: it takes more than {self.farthest_plan} examples to reach {self.target:g} {sure}"
        else:
            title = f"Required size: {self.size_in_words} examples reach {self.target:g} {sure}"
        title += ", if any number does" if self.is_open else ""
        rows = [(f"{100 * level:g} %", words) for level, words in self.words_by_probability.items()]
        return SummaryTable(title, ("probability", "examples"), rows, self._all_notes(ever))


def success_of(model: Forecaster, target: float, of: Quantity) -> Success:
    """F for a target, which must be attainable."""
    if not has_attributes(model, "forecast", "curve_", "ceiling", "floor") or not isinstance(
        model.curve_, LearningCurve
    ):
        raise RequestError(
            f"Expected a fitted model that forecasts, got {type(model).__name__}. Call APExGP().fit(curve) first."
        )
    curve = model.curve_
    low, high = curve.range
    floor, ceiling = low if model.floor == 0 else model.floor, high if model.ceiling == 1 else model.ceiling
    goal = attainable_target(target, curve, float(ceiling if curve.direction == "higher" else floor))
    return success_by(lambda sizes: model.forecast(sizes, of=of), goal, curve.direction)


def success_by(forecast: Callable[[FloatArray], Forecast], goal: float, direction: str) -> Success:
    """F for an attainable target, given what forecasts the score at some sizes."""
    return lambda sizes: prob_met(forecast(sizes), goal, direction)


def remember(success: Success) -> Success:
    """F that is computed once for each size."""
    known: dict[float, float] = {}

    def look_up(sizes: FloatArray) -> FloatArray:
        new = np.array([size for size in dict.fromkeys(sizes.tolist()) if size not in known])
        if new.size:
            known.update(zip(new.tolist(), success(new).tolist(), strict=True))
        return np.array([known[size] for size in sizes.tolist()])

    return look_up


def prob_met(forecast: Forecast, goal: float, direction: str) -> FloatArray:
    """Probability that the score at each size of a forecast meets a target."""
    return forecast.prob_at_least(goal) if direction == "higher" else forecast.cdf(goal)


def attainable_target(target: float, curve: LearningCurve | None, best: float) -> float:
    """`target`, checked: a score better than nothing and no better than is possible.

    `curve` says which scores there are, None for scores in [0, 1]; `best` is the best that is possible.
    """
    number = check_real_number("target", target)
    (low, high), higher = (UNIT_RANGE, True) if curve is None else (curve.range, curve.direction == "higher")
    worst = low if higher else high
    if not low <= number <= high or number == worst:
        unit = (low, high) == UNIT_RANGE
        hint = f" Write {number / 100:g} for {number:g} %." if unit and 1 < number <= 100 else ""
        bounds = f"above {low:g} and at most {high:g}" if higher else f"at least {low:g} and below {high:g}"
        raise RequestError(f"must be a score {bounds}, got {number:g}.{hint}", argument="target")
    if (low, high) == (0.0, 100.0) and higher and number <= 1:
        raise RequestError(
            f"lies on a scale from 0 to 100, got {number:g}. Write {100 * number:g} for {100 * number:g} %.",
            argument="target",
        )
    # Rounding of 1 - (1 - ceiling) must not refuse the ceiling itself.
    slack = 1e-12 * max(1.0, abs(best)) if math.isfinite(best) else 0.0
    if number > best + slack if higher else number < best - slack:
        raise RequestError(
            f"The target {number:g} is better than {best:g}, the best possible score as you set it. Ask for less, or "
            f"change the {'ceiling' if higher else 'floor'}."
        )
    return number


def required_size(success: Success, pilot_sizes: FloatArray, target: float, confidence: float) -> RequiredSize:
    """Answer for a target, given F and the distinct pilot sizes in rising order."""
    confidence = check_probability("confidence", confidence)
    last = float(pilot_sizes[-1])
    size, median, low, high = pass_levels(success, pilot_sizes, np.array([confidence, 0.5, 0.1, 0.9]))
    now, reachable = success(np.array([last, UNLIMITED])).tolist()
    return RequiredSize(
        target=target,
        confidence=confidence,
        size=size,
        median=median,
        interval=(low, high),
        prob_reachable=reachable,
        prob_now=now,
        already_met=now >= confidence,
        size_range=(size, size),
        largest=last,
    )


class Exactness(NamedTuple):
    """How exactly an answer is known."""

    limit_error: float
    """Monte Carlo standard error of the probability with unlimited data."""
    excess: float
    """How many times the errors are what they may be; at most 1 where all is known well enough."""


def add_errors(
    found: RequiredSize, success: Success, standard_error: Success, pilot_sizes: FloatArray
) -> tuple[RequiredSize, Exactness]:
    """Add errors, digits and the range of the size, given F and its Monte Carlo standard error at some sizes."""
    sizes = np.array([found.size, found.median, *found.interval], float)
    asked = np.where(np.isfinite(sizes), sizes, UNLIMITED)
    *errors_of_f, limit_error = standard_error(np.append(asked, UNLIMITED)).tolist()
    errors = _find_relative_errors(sizes, np.array(errors_of_f), success, pilot_sizes[0])
    relative_error = float(errors[0])
    gap = abs(found.prob_reachable - found.confidence)
    is_open = not found.already_met and gap < CERTAIN * limit_error
    size_range = found.size_range
    if is_open or 2 * relative_error > KNOWN:
        within = CERTAIN * errors_of_f[0]
        levels = np.clip(found.confidence + np.array([-within, within]), 1e-9, 1 - 1e-9)
        low, high = pass_levels(success, pilot_sizes, levels)
        size_range = (min(low, found.size), math.inf if is_open else max(high, found.size))
    elif relative_error > 0:
        low, high = (found.size * (1 + sign * CERTAIN * relative_error) for sign in (-1, 1))
        size_range = max(math.floor(low), float(pilot_sizes[0])), math.ceil(high)
    digits = 2 if (errors >= _THREE_DIGITS).any() else 3
    answer = replace(found, relative_error=relative_error, digits=digits, size_range=size_range)
    excess = 0.0
    if is_open:
        excess = CERTAIN * limit_error / gap if gap > 0 else math.inf
    if answer.is_realistic and math.isfinite(answer.size):
        excess = max(excess, 2 * relative_error / KNOWN)
    return answer, Exactness(limit_error, excess)


def _find_relative_errors(sizes: FloatArray, errors_of_f: FloatArray, success: Success, smallest: float) -> FloatArray:
    """Find Monte Carlo errors of log n: error of F over its slope.

    An infinite n has none (NaN). Where F does not rise, its error moves n without bound.
    """
    errors = np.where(np.isfinite(sizes), 0.0, np.nan)
    is_computed = np.isfinite(sizes) & (sizes > smallest)
    if is_computed.any():
        asked, error = sizes[is_computed], errors_of_f[is_computed]
        below, above = success(np.concatenate([asked / _NEARBY, asked * _NEARBY])).reshape(2, -1)
        slope = (above - below) / (2 * math.log(_NEARBY))
        unbounded = np.where(error > 0, np.inf, 0.0)
        errors[is_computed] = np.divide(error, slope, out=unbounded, where=slope > 0)
    return errors


def pass_levels(success: Success, pilot_sizes: FloatArray, levels: FloatArray) -> list[float]:
    """For each level the least whole size, from the pilot's smallest on, from which on F stays at or above it."""
    last = float(pilot_sizes[-1])
    sizes = np.array([last, *(last * m for m in _MULTIPLES if last * m < UNLIMITED), UNLIMITED])
    at_sizes = success(sizes)
    if at_sizes[0] >= levels.min():
        # Some of the answers may lie within the pilot, or be put off by a dip of F just after it.
        more = np.append(np.geomspace(pilot_sizes[0], last, 4)[:-1], last * np.array(_DIPS))
        sizes, order = np.unique(np.append(sizes, more), return_index=True)
        at_sizes = np.append(at_sizes, success(more))[order]
    found = np.full(len(levels), math.inf)
    too_small = at_sizes[None, :] < levels[:, None]
    # Index of the last size at which F is below the level; -1 where it never is.
    below = np.where(too_small.any(axis=1), len(sizes) - 1 - too_small[:, ::-1].argmax(axis=1), -1)
    found[below == -1] = sizes[0]
    crossed = np.flatnonzero((below >= 0) & (below < len(sizes) - 1))
    if crossed.size:
        wanted, at = levels[crossed], below[crossed]
        ends = [(np.log(sizes[k]), _surplus(at_sizes[k], wanted)) for k in (at, at + 1)]
        (low, at_low), (high, at_high) = ends

        def surplus(log_sizes: FloatArray, which: NDArray[np.intp]) -> FloatArray:
            return _surplus(success(np.exp(log_sizes)), wanted[which])

        # The end at which F is not below the level.
        found[crossed] = np.exp(find_crossings(surplus, low, high, at_low, at_high, tolerance=_TOLERANCE))
    return [whole_size(size) for size in found.tolist()]


def _surplus(p: FloatArray, level: FloatArray) -> FloatArray:
    """How far a probability is above a level, in normal scores: nearly straight over the logarithm of the size.

    Where they differ by rounding alone the sign is still that of the difference. It is never 0, which would end the
    search for the least size early.
    """
    score, wanted = (ndtri(np.clip(value, 1e-15, 1 - 1e-15)) for value in (p, level))
    return np.where(p < level, np.minimum(score - wanted, -1e-15), np.maximum(score - wanted, 1e-15))


def whole_size(size: float) -> float:
    """Round up to whole examples, but not for an excess that is the search's own."""
    return math.ceil(size * (1 - _TOLERANCE)) if size < _EXACT else size
