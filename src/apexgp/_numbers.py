"""Numbers formatted for readers: probabilities without false certainty, sizes rounded to the safe side.

How many decimals a score has follows from its scale and from the width of its interval: `Scale.count_decimals`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = [
    "SCORE_DIGITS",
    "format_chance",
    "format_count",
    "format_money",
    "format_multiple",
    "format_score",
    "format_score_change",
    "format_score_interval",
    "format_size",
    "format_size_needed",
    "format_size_range",
    "round_down",
    "round_up",
]

_LONG = 1e12  # from here on a size is written with a power of ten
_DIGITS = 2  # of a computed size, and of an amount computed from one
_RATIO_DIGITS = 3  # digits of a ratio of given numbers
SCORE_DIGITS = 3
"""Digits of a score, and so the decimals of one in [0, 1], unless its interval is narrower than they show."""


def format_chance(p: float, short_of: float | None = None) -> str:
    """Write a probability in whole per cent: its numerical error leaves no further digits.

    A probability below `short_of` is never rounded up to it.
    """
    if p < 0.01:
        return "less than 1 %"
    if p > 0.99:
        return "more than 99 %"
    percent = round(100 * p)
    if short_of is not None and p < short_of and percent >= 100 * short_of:
        return f"under {100 * short_of:g} %"
    return f"{percent} %"


def format_score(score: float, decimals: int) -> str:
    """Write a score, or a difference of scores, with so many decimals."""
    return f"{score:z,.{decimals}f}"


def format_score_change(change: float, decimals: int) -> str:
    """Write by how much a score is higher or lower, with its sign."""
    return f"{change:+z,.{decimals}f}"


def format_score_interval(lower: float, upper: float, decimals: int) -> str:
    """Write an interval of scores by its ends: 0.746 to 0.829."""
    return f"{format_score(lower, decimals)} to {format_score(upper, decimals)}"


def format_size(size: float) -> str:
    """Write a size as it was given, with thousands separators."""
    return f"{size:,.10g}"


def format_count(number: int, noun: str) -> str:
    """Write how many there are of something, which is named in the singular: 1 score, 3 scores."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_size_range(sizes: Sequence[float], noun: str = "size") -> str:
    """Write how many sizes there are, and from where to where they go; they are distinct and in rising order."""
    if len(sizes) == 1:
        return f"one {noun} ({format_size(sizes[0])})"
    return f"{len(sizes):,} {noun}s from {format_size(sizes[0])} to {format_size(sizes[-1])}"


def format_money(amount: float) -> str:
    """Write a computed amount to two digits: its inputs are not known better."""
    if amount >= 10 ** (_DIGITS - 1):
        return f"{float(f'{amount:.{_DIGITS}g}'):,.0f}"
    return f"{amount:,.{_DIGITS}g}"


def format_multiple(factor: float, digits: int = _RATIO_DIGITS) -> str:
    """Write a factor to so many digits."""
    return f"{float(f'{factor:.{digits}g}'):,.10g}"


def round_up(size: float, digits: int = _DIGITS) -> float:
    """Round a size up to so many digits; infinity stays."""
    if math.isinf(size):
        return size
    whole = math.ceil(size)
    step = 10 ** max(0, len(str(whole)) - digits)
    return -(-whole // step) * step


def round_down(size: float, digits: int = _DIGITS) -> float:
    """Round a size down to so many digits; infinity stays."""
    if math.isinf(size):
        return size
    whole = math.floor(size)
    step = 10 ** max(0, len(str(whole)) - digits)
    return whole // step * step


def format_size_needed(size: float, digits: int = _DIGITS) -> str:
    """Write a required size, rounded up."""
    rounded = round_up(size, digits)
    return f"{rounded:,.0f}" if rounded < _LONG else f"{rounded:.{digits - 1}e}"
