"""All that a report or the page says about one curve: several questions put to one model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .._check import check_real_number, check_text, format_value
from ..answers.plan import ROUNDS
from ..answers.required import CONFIDENCE
from ..errors import RequestError
from ..estimators import APExGP
from .backtest import BacktestAnswer, BacktestQuestion
from .check import CheckAnswer, CheckQuestion
from .design import DesignAnswer, DesignQuestion
from .forecast import ForecastAnswer, ForecastQuestion
from .plan import PlanAnswer, PlanQuestion
from .sensitivity import SensitivityAnswer, SensitivityQuestion

__all__ = ["ReportAnswer", "ReportQuestion"]

_HEAD = ("title", "author", "project")
_LONGEST = 200


def _line(name: str, value: str) -> str:
    """A line for the head of a report, checked."""
    given = check_text(name, value).strip()
    if not given or len(given) > _LONGEST or len(given.splitlines()) > 1:
        raise RequestError(
            f"must be one line of at most {_LONGEST} characters, got {format_value(value)}.", argument=name
        )
    return given


@dataclass(frozen=True, kw_only=True)
class ReportQuestion:
    """A forecast, a plan where there are costs, advice on what to measure next, what the answer depends on, and checks.

    Parameters
    ----------
    forecast, plan
        The questions of these names.
    budget, available
        For the advice, as for `design_pilot`. By default some fits, where the model can tell; 0: no advice.
    title, author, project
        What stands above the answers; without a title, what they are about.
    """

    forecast: ForecastQuestion = field(default_factory=ForecastQuestion)
    plan: PlanQuestion | None = None
    budget: float | None = None
    available: float | None = None
    title: str | None = None
    author: str | None = None
    project: str | None = None

    def __post_init__(self) -> None:
        for name in _HEAD:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _line(name, getattr(self, name)))
        for name in ("budget", "available"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_real_number(name, getattr(self, name)))
        if self.budget is not None and self.budget < 0:
            raise RequestError(
                f"must be a number of fits, or 0 for no advice on what to measure next, got {self.budget:g}.",
                argument="budget",
            )

    def answer(self, model: APExGP) -> ReportAnswer:
        """Everything that is asked of a fitted model."""
        return ReportAnswer(
            self,
            self.forecast.answer(model),
            None if self.plan is None else self.plan.answer(model),
            self._advice(model),
            SensitivityQuestion(forecast=self.forecast).answer(model),
            # A point estimate has nothing to draw from.
            CheckQuestion().answer(model) if model.inference == "bayes" else None,
            BacktestQuestion.beside(model).answer(model.curve_),
        )

    def _advice(self, model: APExGP) -> DesignAnswer | None:
        if self.budget == 0:
            return None
        asked = DesignQuestion.after(self.forecast, model, budget=self.budget, available=self.available)
        try:
            return asked.answer(model)
        except RequestError as problem:
            if self.budget is None and problem.argument == "model":
                return None  # one that cannot tell, such as the published: nobody has asked it to
            raise

    def arguments(self) -> dict[str, object]:
        """What was asked for, as `write_report` takes it, without what it takes by itself."""
        usual = {"confidence": CONFIDENCE, "rounds": ROUNDS, **dict(ReportQuestion()._settings())}
        return {name: value for name, value in self._settings() if value != usual.get(name)}

    def _settings(self) -> Iterator[tuple[str, object]]:
        asked = self.forecast
        yield from (("sizes", list(asked.at.sizes)), ("times", list(asked.at.times)), ("target", asked.target))
        if asked.target is not None:
            yield "confidence", asked.confidence
        yield from (("prevalence", asked.prevalence), ("cstatistic", asked.cstatistic))
        yield from (("of", asked.of), ("level", asked.level))
        if self.plan is not None:
            for name in ("cost_per_example", "penalty", "rounds"):
                yield name, getattr(self.plan, name)
        yield from (("budget", self.budget), ("available", self.available))
        for name in _HEAD:
            yield name, getattr(self, name)


@dataclass(frozen=True, eq=False)
class ReportAnswer:
    """The answers about one curve, all from one fit."""

    question: ReportQuestion
    forecast: ForecastAnswer
    plan: PlanAnswer | None
    advice: DesignAnswer | None
    sensitivity: SensitivityAnswer
    check: CheckAnswer | None
    backtest: BacktestAnswer

    @property
    def model(self) -> APExGP:
        """The model that was asked."""
        return self.forecast.model
