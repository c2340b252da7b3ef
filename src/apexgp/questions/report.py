"""All that a report says about one curve: several questions put to one model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypedDict

from .._check import check_real_number, check_text, format_value
from ..errors import ApexError, RequestError
from ..estimators import APExGP
from ..question_base.documents import Json, Versioned
from ..question_base.question import Question, QuestionAnswer
from ..settings import REQUIRED, Setting, list_settings
from . import list_questions, load_question
from .backtest import BacktestAnswer, BacktestDocument, BacktestQuestion
from .check import CheckAnswer, CheckDocument, CheckQuestion
from .design import AVAILABLE, BUDGET, DesignAnswer, DesignDocument, DesignQuestion
from .forecast import ForecastAnswer, ForecastDocument, StudySettings
from .plan import COST, PENALTY, ROUNDS, ROUNDS_SETTING, PlanAnswer, PlanDocument, PlanQuestion
from .sensitivity import SensitivityAnswer, SensitivityDocument, analyse

__all__ = ["PlannedSettings", "ReportAnswer", "ReportDocument", "ReportQuestion", "ReportedFacts"]

_LONGEST = 200
_LINE = {"max_length": _LONGEST}


@dataclass(frozen=True, kw_only=True)
class PlannedSettings(StudySettings):
    """A forecast, and a plan where there are costs."""

    cost_per_example: Annotated[float | None, COST] = None
    penalty: Annotated[float | None, PENALTY] = None
    rounds: Annotated[int, ROUNDS_SETTING] = ROUNDS

    def __post_init__(self) -> None:
        super().__post_init__()
        self._plan_question()  # refuses half of the costs before any work is done

    def plan(self, model: APExGP, forecast: ForecastAnswer) -> PlanAnswer | None:
        """Ask a fitted model for the plan, where costs are stated."""
        question = self._plan_question()
        # The size that a plan speaks of is the one that the forecast states.
        return None if question is None else question.answer(model, forecast.required)

    def _plan_question(self) -> PlanQuestion | None:
        if self.cost_per_example is None and self.penalty is None:
            return None
        if self.cost_per_example is None or self.penalty is None:
            missing = "cost_per_example" if self.cost_per_example is None else "penalty"
            raise RequestError("is missing: a plan needs both the cost per example and the penalty.", argument=missing)
        if self.target is None:
            raise RequestError("is missing: a plan needs a score to reach.", argument="target")
        return PlanQuestion(
            target=self.target, cost_per_example=self.cost_per_example, penalty=self.penalty, rounds=self.rounds
        )


@dataclass(frozen=True, kw_only=True)
class ReportQuestion(PlannedSettings):
    """Write a report: one HTML file that opens offline and prints well.

    A forecast, a plan where there are costs, advice on what to measure next, what the answer depends on, and checks.
    """

    has_own_place: ClassVar[bool] = True
    is_slow: ClassVar[bool] = True

    budget: Annotated[
        float | None,
        Setting(
            "Number of models that could still be trained, for the advice on what to measure next; 0 for no advice.",
            control="Models you could still train",
            default=f"{BUDGET:g}",
            least=0,
        ),
    ] = None
    available: Annotated[float | None, AVAILABLE] = None
    title: Annotated[
        str | None, Setting("Title.", default="that of the sheet, or what the report is about", server_limits=_LINE)
    ] = None
    author: Annotated[str | None, Setting("Author of the report.", server_limits=_LINE)] = None
    project: Annotated[str | None, Setting("What it is for, such as a protocol or a grant.", server_limits=_LINE)] = (
        None
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("title", "author", "project"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _check_line(name, getattr(self, name)))
        for name in ("budget", "available"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_real_number(name, getattr(self, name)))
        if self.budget is not None and self.budget < 0:
            raise RequestError(
                f"must be a number of fits, or 0 for no advice on what to measure next, got {self.budget:g}.",
                argument="budget",
            )

    def answer(self, model: APExGP) -> ReportAnswer:
        """Ask a fitted model everything."""
        forecast = self.forecast(model)
        return ReportAnswer(
            self,
            forecast,
            self.plan(model, forecast),
            self._advice(model),
            analyse(self, model),
            # A point estimate has nothing to draw from.
            CheckQuestion().answer(model) if model.inference == "bayes" else None,
            BacktestQuestion.beside(model).answer(model.curve_),
            {name: self._ask_other(question, model) for name, question in _find_others().items()},
        )

    def _ask_other(self, question: type[Question], model: APExGP) -> QuestionAnswer | str:
        """Ask a question that the report has no place made for, with the settings that both have; or why it refuses."""
        own = {one.field for one in list_settings(type(self))}
        shared = [one.field for one in list_settings(question) if one.field in own]
        try:
            asked: Any = question(**{name: getattr(self, name) for name in shared})
            answer: QuestionAnswer = asked.answer(model.curve_ if question.model_settings is None else model)
        except ApexError as problem:
            return str(problem)
        return answer

    def _advice(self, model: APExGP) -> DesignAnswer | None:
        if self.budget == 0:
            return None
        asked = DesignQuestion.after(self, model, budget=self.budget, available=self.available)
        try:
            return asked.answer(model)
        except RequestError as problem:
            if self.budget is None and problem.argument == "model":
                return None  # one that cannot tell, such as the published: nobody has asked it to
            raise


def _find_others() -> dict[str, type[Question]]:
    """Questions about one curve that the report has no place made for, and that can be asked without settings."""
    every = {name: load_question(name) for name in list_questions()}
    return {
        name: question
        for name, question in every.items()
        if question.pilots == "one"
        and not question.has_own_place
        and all(one.default is not REQUIRED for one in list_settings(question))
    }


def _check_line(name: str, value: str) -> str:
    """A line for the head of a report."""
    line = check_text(name, value).strip()
    if not line or len(line) > _LONGEST or len(line.splitlines()) > 1:
        raise RequestError(
            f"must be one line of at most {_LONGEST} characters, got {format_value(value)}.", argument=name
        )
    return line


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
    others: Mapping[str, QuestionAnswer | str] = field(default_factory=dict)
    """Answers to questions that the report has no place made for, by their names; or why there is none."""

    @property
    def model(self) -> APExGP:
        """The model that was asked."""
        return self.forecast.model

    def documents(self) -> ReportedFacts:
        """The documents of the answers."""
        documents: ReportedFacts = {
            "forecast": self.forecast.document(),
            "plan": None if self.plan is None else self.plan.document(),
            "design": None if self.advice is None else self.advice.document(),
            "sensitivity": self.sensitivity.document(),
            "check": None if self.check is None else self.check.document(),
            "backtest": self.backtest.document(),
        }
        if self.others:
            documents["others"] = {
                name: {"error": one} if isinstance(one, str) else one.document() for name, one in self.others.items()
            }
        return documents


class ReportedFacts(TypedDict):
    """The numbers of a report about one task: the documents of its answers."""

    forecast: ForecastDocument
    plan: PlanDocument | None
    design: DesignDocument | None
    sensitivity: SensitivityDocument
    check: CheckDocument | None
    backtest: BacktestDocument
    others: NotRequired[dict[str, dict[str, Json]]]
    """The documents of questions that the report has no place made for, by their names."""


class ReportDocument(Versioned):
    """All the numbers of a report, which it offers as a file."""

    schema: Literal["urn:apexgp:report:1"]
    tasks: dict[str, ReportedFacts]
    """By the name of the task; a single task without a name has the empty name."""
    failed: dict[str, str]
    """Why other tasks have no forecast."""
