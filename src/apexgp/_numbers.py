"""Numbers as people read them: probabilities without false certainty, sizes to as many digits as are known."""

from __future__ import annotations

import math

__all__ = ["chance", "exactly", "multiple", "roughly"]

_KNOWN = 3  # digits of a size whose error nobody has stated
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


def multiple(factor: float) -> str:
    """How many times as many, to three digits."""
    return f"{float(f'{factor:.3g}'):,.10g}"


def roughly(size: float, relative_error: float = 0.0) -> str:
    """A number of examples that was computed, to as many digits as are known: two at least.

    Where no error is stated it is given to three digits: no curve tells more of a size that nobody has tried.
    """
    if math.isinf(size):
        return "never"
    digits = max(2, math.ceil(-math.log10(2 * relative_error))) if relative_error > 0 else _KNOWN
    rounded = float(f"{size:.{digits}g}")
    return f"{rounded:,.0f}" if rounded < _LONG else f"{rounded:.{digits - 1}e}"
