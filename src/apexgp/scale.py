"""Which values scores can take, and a rising map between them and [0, 1], where every engine works.

Scores in [0, 1] stay as they are; those between two other ends are moved and stretched. Where one end is infinite, a
loss d (the distance from the end that is finite) becomes 1 - exp(-d / unit). The unit is taken from the pilot, twice
its mean loss at the largest size, so that the same losses in other units give the same forecast.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._check import UNUSABLE, FloatArray, check_bool, check_list, check_real_array, format_value
from ._numbers import SCORE_DIGITS
from .errors import ApexError, RequestError

__all__ = [
    "UNIT_RANGE",
    "UNIT_SCALE",
    "Range",
    "Scale",
    "check_range",
    "format_range",
    "make_scale",
    "parse_range",
    "range_to_text",
]

Range = tuple[float, float]
"""The lowest and the highest value that a score can take; one of them may be infinite."""

UNIT_RANGE: Range = (0.0, 1.0)

_UNIT_IN_LAST_LOSSES = 2.0  # unit over the pilot's last mean loss; the best of several: see docs/calibration.md
_LEAST = 1e-300  # smallest score whose logarithm is taken
_LEAST_STEPS = 4  # of the last decimal, in the width of an interval that is printed: two to each side
_MOST_DECIMALS = 12
_NUMBER = r"[+-]?(?:\d++(?:\.\d*+)?(?:e[+-]?\d++)?|\.\d++|inf|infinity|∞)"
_RANGE = re.compile(rf"[\[(\s]*+({_NUMBER})(?:\s*+(?:,|;|\.\.+|:|to)\s*+|\s++)({_NUMBER})[\])\s]*+")


@dataclass(frozen=True)
class Scale:
    """A rising map of scores to [0, 1] and back.

    Parameters
    ----------
    lower, upper : float
        The lowest and the highest possible score; one of them may be infinite.
    unit : float
        Where one of them is infinite: the distance from the other at which 1 - 1/e of [0, 1] is used up.
    logarithmic : bool
        Whether the logarithm of a score is mapped, as for perplexities.
    """

    lower: float = 0.0
    upper: float = 1.0
    unit: float = 1.0
    logarithmic: bool = False

    @property
    def range(self) -> Range:
        """The lowest and the highest possible score."""
        return self.lower, self.upper

    @property
    def same(self) -> bool:
        """Whether scores stay as they are."""
        return self.range == UNIT_RANGE and not self.logarithmic

    @property
    def straight(self) -> bool:
        """Whether scores are only moved and stretched, so that means stay means."""
        return math.isfinite(self.upper - self.lower) and not self.logarithmic

    def inside(self, scores: ArrayLike, *, turned: bool = False) -> FloatArray:
        """Scores in [0, 1], or 1 minus that where `turned`, to the last digit; those beyond the range lie beyond."""
        values, turned = check_real_array("scores", scores), check_bool("turned", turned)
        if self.same:
            return 1 - values if turned else values
        if self.logarithmic:
            values = np.log(np.maximum(values, _LEAST))
        low, high = self._ends
        if math.isfinite(high - low):
            return ((high - values) if turned else (values - low)) / (high - low)
        # No more than one unit beyond the end: what is farther would overflow.
        distance = -np.maximum((values - low if math.isinf(high) else high - values) / self.unit, -1.0)
        return np.exp(distance) if turned == math.isinf(high) else -np.expm1(distance)

    def outside(self, values: ArrayLike, *, turned: bool = False) -> FloatArray:
        """Values of [0, 1] as the scores that they stand for; where `turned`, 1 minus the values."""
        inside, turned = check_real_array("values", values), check_bool("turned", turned)
        if self.same:
            return 1 - inside if turned else inside
        low, high = self._ends
        with np.errstate(divide="ignore", over="ignore"):
            if math.isfinite(high - low):
                scores = high - (high - low) * inside if turned else low + (high - low) * inside
            else:
                distance = -self.unit * (np.log(inside) if turned == math.isinf(high) else np.log1p(-inside))
                scores = low + distance if math.isinf(high) else high - distance
            return np.exp(scores) if self.logarithmic else scores

    def stretch(self, values: ArrayLike) -> FloatArray:
        """How many units of the score one of [0, 1] is, at values strictly between 0 and 1."""
        inside = check_real_array("values", values)
        low, high = self._ends
        if math.isfinite(high - low):
            slope = np.full(inside.shape, high - low)
        else:
            slope = self.unit / (1 - inside if math.isinf(high) else inside)
        return slope * self.outside(inside) if self.logarithmic else slope

    def log_slope(self, scores: ArrayLike) -> FloatArray:
        """Logarithm of the map's slope at scores: what turns a density of the engine's into one of the score."""
        values = check_real_array("scores", scores)
        of_logarithm = np.log(np.maximum(values, _LEAST)) if self.logarithmic else np.zeros(values.shape)
        plain = of_logarithm if self.logarithmic else values
        low, high = self._ends
        if math.isfinite(high - low):
            return np.full(values.shape, -math.log(high - low)) - of_logarithm
        distance = plain - low if math.isinf(high) else high - plain
        return -distance / self.unit - math.log(self.unit) - of_logarithm

    @property
    def slope_at_the_end(self) -> float:
        """How much of [0, 1] one unit of the score is at the last mean of the pilot that the scale was made for."""
        if self.straight:
            return 1 / (self.upper - self.lower)
        return float(np.exp(self.log_slope(self._last_score)))

    def count_decimals(self, width: float = math.inf) -> int:
        """How many decimals scores are printed with, beside an interval that is so wide.

        Between two ends a thousandth of their distance is shown, 0.1 of scores in per cent; where one end is infinite,
        three digits of the pilot's last mean. An interval that would be few steps of the last decimal wide, or none,
        has more decimals.
        """
        array = check_real_array("width", width)
        if array.ndim:
            raise RequestError(f"must be one number, got {format_value(width)}.", argument="width")
        width = float(array)
        if math.isfinite(self.upper - self.lower):
            decimals = SCORE_DIGITS - round(math.log10(self.upper - self.lower))
        else:
            last, best = self._last_score, self.lower if math.isinf(self.upper) else self.upper
            decimals = SCORE_DIGITS - 1 - math.floor(math.log10(max(abs(last), abs(last - best), _LEAST)))
        if width > 0 and math.isfinite(width):
            decimals = max(decimals, math.ceil(math.log10(_LEAST_STEPS / width) - 1e-9))
        return min(max(decimals, 0), _MOST_DECIMALS)

    @property
    def _last_score(self) -> float:
        """The last mean of the pilot that the scale was made for, where one end of the range is infinite."""
        distance = self.unit / _UNIT_IN_LAST_LOSSES
        low, high = self._ends
        end = low + distance if math.isinf(high) else high - distance
        return math.exp(end) if self.logarithmic else end

    @property
    def _ends(self) -> Range:
        if not self.logarithmic:
            return self.range
        return math.log(max(self.lower, _LEAST)), math.log(self.upper) if math.isfinite(self.upper) else math.inf


UNIT_SCALE = Scale()
"""The scale of scores in [0, 1]: the identity."""


def make_scale(between: Range, sizes: FloatArray, scores: FloatArray, *, logarithmic: bool = False) -> Scale:
    """Make the scale of a pilot whose scores lie in the given range; `logarithmic` maps the logarithms of scores."""
    scale = Scale(*between, logarithmic=logarithmic)
    low, high = scale._ends
    if math.isfinite(high - low):
        return scale
    values = np.log(np.maximum(scores, _LEAST)) if logarithmic else scores
    losses = values - low if math.isinf(high) else high - values
    # Sorted, so that the order of the rows cannot change the last digit.
    unit = float(np.sort(losses[sizes == sizes.max()]).mean() or losses.max() or 1.0)
    return replace(scale, unit=_UNIT_IN_LAST_LOSSES * unit)


def check_range(value: Any, *, error: type[ApexError] = RequestError) -> Range:
    """Check the lowest and the highest possible score: two numbers, or text that holds them."""
    wanted = "the lowest and the highest possible score, such as (0, inf) or (-1, 1)"
    try:
        ends = parse_range(value) if isinstance(value, str) else tuple(check_list("range", value, wanted, error=error))
        numbers = check_real_array("range", ends, error=error).ravel()
    except (ApexError, *UNUSABLE):
        raise error(f"must be {wanted}, got {format_value(value)}.", argument="range") from None
    if len(numbers) != 2 or np.isnan(numbers).any() or not numbers[0] < numbers[1]:
        raise error(f"must be {wanted}, the lower one first, got {format_value(value)}.", argument="range")
    if np.isinf(numbers).all():
        raise error(
            "must have at least one finite end: a forecast needs to know the best or the worst possible score. Got "
            f"{format_value(value)}.",
            argument="range",
        )
    return float(numbers[0]), float(numbers[1])


def parse_range(text: str) -> tuple[float, ...]:
    """Parse a range as people write it: 0,inf or 0 to inf or [-1, 1]; raises ValueError where it is none."""
    found = _RANGE.fullmatch(text.casefold().replace("\u2212", "-"))
    if found is None:
        raise ValueError(text)
    return tuple(float(number.replace("∞", "inf")) for number in found.groups())


def range_to_text(between: Range) -> str:
    """Write a range for a file, to the last digit: 0 to inf."""
    return f"{between[0]:.17g} to {between[1]:.17g}"


def format_range(between: Range) -> str:
    """Write a range for a message: [0, 1], [0, inf), (-inf, 1]."""
    low, high = between
    return f"{'(' if math.isinf(low) else '['}{low:g}, {high:g}{')' if math.isinf(high) else ']'}"
