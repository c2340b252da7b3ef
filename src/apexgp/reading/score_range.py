"""Which values scores can take: those of a known metric, those that were stated, or a question."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Literal

import numpy as np

from .._check import FloatArray, format_some
from ..errors import DataError
from ..scale import UNIT_RANGE, Range, format_range
from ..vocabulary import Remedy
from .known_metrics import is_negated, known_metric, metric_name, sounds_like_a_loss

__all__ = [
    "WHAT_ELSE",
    "check_within",
    "looks_like_per_cent",
    "per_cent_remedy",
    "range_and_direction",
    "range_remedy",
]

_TYPICAL_PER_CENT = 20.0  # scores that are per cents are mostly above, losses mostly below

WHAT_ELSE: Remedy = (
    "What was measured? Name it with {}, if it is a known metric such as log loss, RMSE, MCC or R2; otherwise give "
    "the values it can take, such as {} for a loss.",
    "metric",
    ("range", (0, inf)),
)
"""What to do with scores of which nobody has said what they are."""


def range_and_direction(metric: str, scores: FloatArray) -> tuple[Range, Literal["higher", "lower"]]:
    """Which values a metric can take, and which way is better, as far as its name says.

    An unknown metric lies in [0, 1], and higher is better unless it is called a loss.
    """
    known = known_metric(metric)
    if is_negated(metric) and not (scores > 0).any():
        low, high = (0.0, inf) if known is None else known.range
        return (0.0 - high, 0.0 - low), "higher"
    if known is not None:
        return known.range, "lower" if known.lower_is_better else "higher"
    return UNIT_RANGE, "lower" if sounds_like_a_loss(metric) and not is_negated(metric) else "higher"


def looks_like_per_cent(scores: Sequence[float]) -> bool:
    """Whether scores may well be per cents: above 1, at most 100, and most of them no small numbers."""
    return bool(scores) and all(1 < score <= 100 for score in scores) and float(np.median(scores)) > _TYPICAL_PER_CENT


def range_remedy(metric: str, *, stated: bool) -> Remedy:
    """What to do about scores outside the range of their metric."""
    if stated:
        return ()
    if known_metric(metric) is None:
        return WHAT_ELSE
    return (
        "If something else was measured, name it with {}, or give the values it can take with {}.",
        "metric",
        "range",
    )


def per_cent_remedy(metric: str) -> Remedy:
    """What to do about the scores of a table that may be per cents."""
    either = "Or say so with {}, or with a % sign in the column's name"
    if known_metric(metric) is not None:
        return f"{either}.", ("per_cent", True)
    return f"{either}; if they are something else, give the values it can take with {{}}.", ("per_cent", True), "range"


def check_within(name: str, scores: FloatArray, between: Range, metric: str, *, stated: bool) -> None:
    """Refuse scores that their metric, or the range that was stated, does not allow, and ask what they are."""
    outside = scores[(scores < between[0]) | (scores > between[1])]
    if not outside.size:
        return
    known = known_metric(metric)
    whose = " as the range says," if stated else f" as {metric_name(metric)} does," if known else ""
    problem = f"must lie in {format_range(between)},{whose} got {format_some(outside)}."
    if between == UNIT_RANGE and looks_like_per_cent(scores[~np.isnan(scores)].tolist()):
        problem += f" Are these percentages? Divide by 100: {outside[0]:g} becomes {outside[0] / 100:g}."
        raise DataError(problem, argument=name, remedy=("Or keep them, and say so with {}.", ("range", (0, 100))))
    raise DataError(problem, argument=name, remedy=range_remedy(metric, stated=stated))
