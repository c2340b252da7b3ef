"""Numbers as people read them: probabilities without false certainty, sizes to as many digits as are known."""

from __future__ import annotations

import math

__all__ = ["chance", "exactly", "money", "multiple", "roughly"]

_KNOWN = 3  # digits of a size whose error nobody has stated
_VAGUE = 0.1  # relative error from which on not even two digits are known
_LONG = 1e12  # from here on a size is written with a power of ten


def chance(p: float) -> str:
    """A probability in per cent, without false certainty."""
    if p < 0.001:
        return "less than 0.1 %"
    if p > 0.999:
        return "more than 99.9 %"
    return f"{100 * p:.1f} %" if p < 0.1 or p > 0.9 else f"{100 * p:.0f} %"


def exactly(size: float) -> str:
    """A number of examples as it was given, with its thousands apart."""
    return f"{size:,.10g}"


def money(amount: float) -> str:
    """An amount, with small change where it matters."""
    return f"{amount:,.0f}" if amount >= 100 or float(amount).is_integer() else f"{amount:,.2f}"


def multiple(factor: float, relative_error: float = 0.0) -> str:
    """How many times as many: to as many digits as are known of what was computed, three at most."""
    return f"{float(f'{factor:.{min(_digits(relative_error), _KNOWN)}g}'):,.10g}"


def roughly(size: float, relative_error: float = 0.0) -> str:
    """A number of examples that was computed, to as many digits as are known: two at least, and said to be vague.

    Where no error is stated it is given to three digits: no curve tells more of a size that nobody has tried.
    """
    if math.isinf(size):
        return "never"
    digits = _digits(relative_error)
    rounded = float(f"{size:.{digits}g}")
    number = f"{rounded:,.0f}" if rounded < _LONG else f"{rounded:.{digits - 1}e}"
    return f"about {number}" if relative_error > _VAGUE else number


def _digits(relative_error: float) -> int:
    return max(2, math.ceil(-math.log10(2 * relative_error))) if relative_error > 0 else _KNOWN
