"""What to measure next: asked by itself, or as advice after a forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from .._check import check_positive, check_probability, check_real_number, check_whole_number
from ..answers.required import CONFIDENCE
from ..curve import LearningCurve
from ..design.designs import Cost
from ..design.pilot import CONFIRM, MOST_ASKED, design_pilot
from ..design.ranking import PilotDesign
from ..estimators import APExGP
from .forecast import ForecastQuestion
from .reach import Reach

__all__ = ["BUDGET", "DesignAnswer", "DesignQuestion"]

BUDGET = 12.0
"""Fits, where nothing else is said: some splits at one or two sizes more."""
_MOST_TRIED = 150  # scores of a pilot: with more, fits to drawn data take too long to wait for


@dataclass(frozen=True, kw_only=True)
class DesignQuestion:
    """The arguments of `design_pilot`, checked; sizes may be multiples of the pilot's largest."""

    budget: float = BUDGET
    at: Reach = field(default_factory=Reach)
    target: float | None = None
    confidence: float = CONFIDENCE
    cost: Cost = None
    available: float | None = None
    sizes: Reach = field(default_factory=Reach)
    n_splits: int | None = None
    confirm: int = CONFIRM

    def __post_init__(self) -> None:
        object.__setattr__(self, "budget", check_positive("budget", self.budget))
        object.__setattr__(self, "confidence", check_probability("confidence", self.confidence))
        for name in ("target", "available"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_real_number(name, getattr(self, name)))
        if self.n_splits is not None:
            check_whole_number("n_splits", self.n_splits, least=1)

    @classmethod
    def after(
        cls, asked: ForecastQuestion, model: APExGP, *, budget: float | None = None, available: float | None = None
    ) -> Self:
        """The advice that goes with a forecast: about its sizes, where it was asked for some, and its target."""
        return cls(
            budget=BUDGET if budget is None else budget,
            at=Reach(() if asked.at.is_open else _some(asked.sizes_for(model.curve_))),
            target=asked.target,
            confidence=asked.confidence,
            available=available,
            confirm=CONFIRM if len(model.curve_) <= _MOST_TRIED else 0,
        )

    def answer(self, model: APExGP) -> DesignAnswer:
        """What is worth measuring, by a fitted model or, before there is a pilot, by the priors of one."""
        curve: LearningCurve | None = getattr(model, "curve_", None)
        found = design_pilot(
            model,
            self.budget,
            at=_sizes("at", self.at, curve),
            target=self.target,
            confidence=self.confidence,
            cost=self.cost,
            available=self.available,
            sizes=_sizes("sizes", self.sizes, curve),
            n_splits=self.n_splits,
            confirm=self.confirm,
            seed=model.seed,
        )
        return DesignAnswer(self, model, curve, found)

    def arguments(self, model: APExGP) -> dict[str, object]:
        """The arguments that make `design_pilot` answer the same, without those that it takes by itself."""
        asked = {
            "budget": self.budget,
            "at": list(self.at.sizes) or None,
            "target": self.target,
            "confidence": None if self.target is None or self.confidence == CONFIDENCE else self.confidence,
            "available": self.available,
            "confirm": None if self.confirm == CONFIRM else self.confirm,
            "seed": model.seed or None,
        }
        return {name: value for name, value in asked.items() if value is not None}


@dataclass(frozen=True, eq=False)
class DesignAnswer:
    """Designs, and the model and the pilot, if there is one, that they start from."""

    question: DesignQuestion
    model: APExGP
    curve: LearningCurve | None
    found: PilotDesign


def _sizes(argument: str, reach: Reach, curve: LearningCurve | None) -> list[float] | None:
    if reach.is_open:
        return None
    return reach.without_pilot(argument) if curve is None else reach.beyond(curve.largest)


def _some(sizes: Sequence[float]) -> tuple[float, ...]:
    """As many of the sizes as can be looked at, the ends among them."""
    chosen = np.linspace(0, len(sizes) - 1, min(len(sizes), MOST_ASKED)).round().astype(int)
    return tuple(sizes[i] for i in chosen.tolist())
