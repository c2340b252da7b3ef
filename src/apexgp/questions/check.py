"""Whether a fitted model would have measured such a pilot."""

from __future__ import annotations

from dataclasses import dataclass

from .._check import check_whole_number
from ..estimators import APExGP
from ..repeated.predictive import DRAWS, predictive_check
from ..repeated.predictive_answer import PredictiveCheck

__all__ = ["CheckAnswer", "CheckQuestion"]


@dataclass(frozen=True, kw_only=True)
class CheckQuestion:
    """How many pilots to draw."""

    draws: int = DRAWS

    def __post_init__(self) -> None:
        object.__setattr__(self, "draws", check_whole_number("draws", self.draws, least=100, most=100_000))

    def answer(self, model: APExGP) -> CheckAnswer:
        """What the draws of a fitted model, with its own seed, have found."""
        return CheckAnswer(self, model, predictive_check(model, draws=self.draws, seed=model.seed))


@dataclass(frozen=True, eq=False)
class CheckAnswer:
    """What was found, and the model that it is about."""

    question: CheckQuestion
    model: APExGP
    found: PredictiveCheck
