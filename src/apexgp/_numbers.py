"""Numbers as people read them: probabilities without false certainty, sizes rounded to the safe side."""

from __future__ import annotations

import math

__all__ = ["format_chance", "format_money", "format_multiple", "format_size", "format_size_needed", "round_up"]

_VAGUE = 0.05  # relative error from which on not even two digits are known
_LONG = 1e12  # from here on a size is written with a power of ten
_DIGITS = 2  # of a size that was computed, and of an amount that rests on one
_KNOWN = 3  # digits of a ratio of numbers that were given


def format_chance(p: float, short_of: float | None = None) -> str:
    """A probability in whole per cent: another seed moves it by about half a point.

    One that is less than a probability that it is `short_of` is never shown as that.
    """
    if p < 0.01:
        return "less than 1 %"
    if p > 0.99:
        return "more than 99 %"
    percent = round(100 * p)
    if short_of is not None and p < short_of and percent >= 100 * short_of:
        return f"under {100 * short_of:g} %"
    return f"{percent} %"


def format_size(size: float) -> str:
    """A number of examples as it was given, with its thousands apart."""
    return f"{size:,.10g}"


def format_money(amount: float) -> str:
    """An amount that was computed, to two digits: what it rests on is not known better."""
    if amount >= 10 ** (_DIGITS - 1):
        return f"{float(f'{amount:.{_DIGITS}g}'):,.0f}"
    return f"{amount:,.{_DIGITS}g}"


def format_multiple(factor: float, digits: int = _KNOWN) -> str:
    """How many times as many, to so many digits."""
    return f"{float(f'{factor:.{digits}g}'):,.10g}"


def round_up(size: float, digits: int = _DIGITS) -> float:
    """The next number of so many digits that is not below a whole number; infinity stays."""
    if math.isinf(size):
        return size
    whole = math.ceil(size)
    step = 10 ** max(0, len(str(whole)) - digits)
    return -(-whole // step) * step


def format_size_needed(size: float, digits: int = _DIGITS, relative_error: float = 0.0) -> str:
    """A finite number of examples that something takes: rounded up, and said to be vague where it is."""
    rounded = round_up(size, digits)
    number = f"{rounded:,.0f}" if rounded < _LONG else f"{rounded:.{digits - 1}e}"
    return f"about {number}" if relative_error > _VAGUE else number
