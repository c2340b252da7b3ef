"""Which of several models will be best with more data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..curve import LearningCurve
from ..estimators import APExGP
from ..repeated.compare import Comparison, compare_models
from .reach import Reach

__all__ = ["COMPARED_TIMES", "CompareQuestion"]

COMPARED_TIMES = (1.0, 2.0, 10.0)
"""Multiples of the largest size measured, where nothing else is asked for: who leads now, and later."""


@dataclass(frozen=True, kw_only=True)
class CompareQuestion:
    """Which model leads, and where: at sizes, or at multiples of the largest size of any of the curves."""

    at: Reach = field(default_factory=Reach)

    def answer(self, curves: Mapping[str, LearningCurve], settings: APExGP) -> Comparison:
        """The comparison of the models by their curves, each fitted with these settings."""
        largest = max(curve.largest for curve in curves.values())
        at = Reach(times=COMPARED_TIMES) if self.at.is_open else self.at
        return compare_models(curves, at.beyond(largest), settings)
