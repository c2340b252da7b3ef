"""Numbers and lists as sentences hold them."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...curve import LearningCurve

__all__ = ["chance", "counted", "listed", "money", "roughly"]


def counted(curve: LearningCurve) -> str:
    """What the sizes of a curve count."""
    return "examples" if curve.unit == "rows" else "groups"


def chance(p: float) -> str:
    """A probability in per cent, without false certainty."""
    if p < 0.001:
        return "less than 0.1 %"
    if p > 0.999:
        return "more than 99.9 %"
    return f"{100 * p:.1f} %" if p < 0.1 or p > 0.9 else f"{100 * p:.0f} %"


def listed(items: Iterable[int | str]) -> str:
    """Items with commas and an "and"; whole numbers with their thousands apart."""
    words = [f"{item:,}" if isinstance(item, int) else str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def roughly(size: float, relative_error: float) -> str:
    """A number of examples, to as many digits as are known: two at least, all where there is no error."""
    if relative_error <= 0:
        return f"{size:,}"
    digits = max(2, math.ceil(-math.log10(2 * relative_error)))
    return f"{float(f'{size:.{digits}g}'):,.0f}"


def money(amount: float) -> str:
    """An amount, with small change where it matters."""
    return f"{amount:,.0f}" if amount >= 100 else f"{amount:,.2f}"
