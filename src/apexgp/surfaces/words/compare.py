"""A comparison of models in words."""

from __future__ import annotations

import numpy as np

from ..._numbers import format_chance
from ...curve import LearningCurve
from ...repeated.compare import Comparison, PairComparison
from .method import method
from .phrases import listed

__all__ = ["compare_methods", "compare_sentence"]

_NOTHING = 0.0005  # differences below would be shown as 0.000


def compare_sentence(pair: PairComparison, curve: LearningCurve) -> str:
    """Which of two models leads at the largest size asked for."""
    at = int(np.argmax(pair.sizes))
    size, first = pair.sizes[at], float(pair.prob_first_better[at])
    ahead, behind, sure = (pair.first, pair.second, first) if first >= 0.5 else (pair.second, pair.first, 1 - first)
    gap = abs(float(pair.difference[at]))
    text = (
        f"With {size:,.10g} training {curve.unit_name} {ahead} beats {behind} with a probability of "
        f"{format_chance(sure)}; the expected difference in {curve.metric_name} is "
    )
    if gap < _NOTHING:
        return f"{text}less than 0.001, too small to choose by."
    text += f"{gap:.3f}"
    if pair.crossing is None:
        return f"{text}. The lead is not expected to change between the pilot's sizes and this one."
    return f"{text}. The lead changes at about {float(f'{pair.crossing:.2g}'):,.0f} {curve.unit_name}."


def compare_methods(comparison: Comparison) -> str:
    """Paragraph about a comparison."""
    model, *others = comparison.models.values()
    parts = []
    for pair in comparison.pairs:
        chances = listed([f"{p:.2f} at {n:,.10g}" for n, p in zip(pair.sizes, pair.prob_first_better, strict=True)])
        paired = (
            f" (scores on {pair.shared_splits} shared splits paired; correlation of their noise {pair.correlation:.2f})"
            if pair.shared_splits
            else " (no shared splits)"
        )
        parts.append(
            f"{pair.first} was better than {pair.second} with a probability of {chances} training "
            f"{model.curve_.unit_name}{paired}"
        )
    return f"{method(model, *others)} Each model's learning curve was fitted separately. {'; '.join(parts)}."
