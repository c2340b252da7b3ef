"""How much of an answer is the data's: the question of a forecast, with one thing changed at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..estimators import APExGP
from ..repeated.sensitivity import sensitivity
from ..repeated.sensitivity_answer import Sensitivity
from .forecast import ForecastQuestion

__all__ = ["SensitivityAnswer", "SensitivityQuestion"]


@dataclass(frozen=True, kw_only=True)
class SensitivityQuestion:
    """What is asked again and again: a forecast, with its target."""

    forecast: ForecastQuestion = field(default_factory=ForecastQuestion)

    def answer(self, model: APExGP) -> SensitivityAnswer:
        """What becomes of the answer of a fitted model."""
        asked = self.forecast
        found = sensitivity(
            model,
            asked.sizes_for(model.curve_),
            of=asked.of,
            level=asked.level,
            target=asked.target,
            confidence=asked.confidence,
        )
        return SensitivityAnswer(self, model, found)


@dataclass(frozen=True, eq=False)
class SensitivityAnswer:
    """What was found, and the model that it is about."""

    question: SensitivityQuestion
    model: APExGP
    found: Sensitivity
