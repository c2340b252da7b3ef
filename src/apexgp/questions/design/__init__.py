"""Designs of further measurements: asked for by themselves, or as advice after a forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NotRequired, Self, TypedDict

import numpy as np

from ..._answer import to_rows
from ..._check import check_positive, check_probability, check_real_number, check_whole_number
from ...curve import LearningCurve
from ...design.designs import Cost
from ...design.pilot import CONFIRM, MOST_ASKED, design_pilot
from ...design.ranking import PilotDesign
from ...estimators import APExGP
from ...files.writing import to_json_value
from ...question_base.citations import list_sources
from ...question_base.documents import Count, Interval, NonNegative, Probability, Size, WithMethodsText, word_answer
from ...question_base.model_documents import (
    FitFacts,
    PilotFacts,
    RequiredFacts,
    SettingsFacts,
    describe_model,
    describe_required_size,
    describe_settings,
)
from ...question_base.model_settings import CONFIDENCE_SETTING, BayesSettings, MethodSettings
from ...question_base.question import Cells, Question, QuestionAnswer, build_table
from ...question_base.sizes import SizeSpec, build_sizes_setting
from ...required import CONFIDENCE
from ...settings import Setting
from ..forecast import ForecastSettings
from .sentences import say_design, write_design_methods

if TYPE_CHECKING:
    from .picture import DesignDisplay

__all__ = ["AVAILABLE", "BUDGET", "AdviceSettings", "DesignAnswer", "DesignDocument", "DesignQuestion"]

BUDGET = 12.0
"""Fits, where nothing else is said: some splits at one or two sizes more."""
_MOST_TRIED = 150  # scores of a pilot: with more, fits to drawn data take too long to wait for
_BEST = 3  # designs of the advice, beside the one that is cheap and the one that needs no more data
AVAILABLE = Setting(
    "Most examples available for training.",
    control="Most examples you could train on",
    default="twice the largest size measured; without a pilot, a tenth of the farthest size that matters",
    above=0,
)


@dataclass(frozen=True, kw_only=True)
class AdviceSettings(Question):
    """Settings of the advice on further measurements."""

    pilots: ClassVar[Literal["none", "one", "one or none", "several"]] = "one or none"
    model_settings: ClassVar[type[MethodSettings]] = BayesSettings
    is_slow: ClassVar[bool] = True

    budget: Annotated[
        float, Setting("Number of models that could be trained.", control="Models you could still train", above=0)
    ] = BUDGET
    at: Annotated[
        SizeSpec,
        build_sizes_setting(
            "Training-set sizes at which the score matters: 20000, 20k, or 10x for ten times the largest measured.",
            control="Forecast at sizes",
            default="10x",
            arguments=("at",),
        ),
    ] = field(default_factory=SizeSpec)
    target: Annotated[
        float | None,
        Setting(
            "Score to reach: say whether measuring more would change the decision.",
            control="Score to reach",
            accepts_percent=True,
        ),
    ] = None
    confidence: Annotated[float, CONFIDENCE_SETTING] = CONFIDENCE
    available: Annotated[float | None, AVAILABLE] = None


@dataclass(frozen=True, kw_only=True)
class DesignQuestion(AdviceSettings):
    """Recommend what to measure next: the sizes and splits expected to make the forecast most certain.

    Before there is a pilot, design the first one; the sizes at which the score matters must then be given.
    """

    sizes: Annotated[
        SizeSpec,
        build_sizes_setting(
            "Training-set sizes that may be measured.",
            default="several up to those available",
            arguments=("sizes",),
        ),
    ] = field(default_factory=SizeSpec)
    n_splits: Annotated[
        int | None,
        Setting(
            "Number of new splits.", name="splits", default="several are tried", least=1, server_limits={"le": 1000}
        ),
    ] = None
    confirm: Annotated[
        int, Setting("How many of the best designs to try on simulated data.", least=0, server_limits={"le": 10})
    ] = CONFIRM
    cost: Cost = None

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
        cls, asked: ForecastSettings, model: APExGP, *, budget: float | None = None, available: float | None = None
    ) -> Self:
        """The advice that goes with a forecast: about its sizes, where it was asked for some, and its target."""
        return cls(
            budget=BUDGET if budget is None else budget,
            at=SizeSpec(() if asked.at.is_open else _some(asked.list_sizes(model.curve_))),
            target=asked.target,
            confidence=asked.confidence,
            available=available,
            confirm=CONFIRM if len(model.curve_) <= _MOST_TRIED else 0,
        )

    def answer(self, model: APExGP) -> DesignAnswer:
        """Ask a fitted model or, before there is a pilot, the priors of an unfitted one."""
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


@dataclass(frozen=True, eq=False)
class DesignAnswer(QuestionAnswer):
    """Designs, and the model and the pilot, if there is one, that they start from."""

    question: DesignQuestion
    model: APExGP
    curve: LearningCurve | None
    found: PilotDesign

    def document(self) -> DesignDocument:
        """The designs, best first, what is known now, and what each is expected to show."""
        found = self.found
        own = to_json_value(
            {
                name: value
                for name, value in vars(found).items()
                if name not in ("designs", "decimals", "cautions", "required_now")
            }
        )
        now = {name.removesuffix("_now"): own.pop(name) for name in list(own) if name.endswith("_now")}
        required = None if found.required_now is None else describe_required_size(found.required_now)
        now |= {"required": required, "decided_at": own.pop("decided_at"), "verdict": found.verdict_now}
        rows, along = to_rows(found.to_dict()), [{"grid_widths": list(one.grid_widths)} for one in found.designs]
        sources: tuple[str, ...] = (*list_sources(self.model), "chaloner")
        return {
            "schema": "urn:apexgp:design:1",
            **_pilot_or_none(self),
            "question": own,
            "now": to_json_value(now),
            "designs": [row | more for row, more in zip(rows, along, strict=True)],
            "frugal": found.designs.index(found.frugal) + 1,
            "best_at_hand": None if found.best_at_hand is None else found.designs.index(found.best_at_hand) + 1,
            **word_answer(say_design(self), write_design_methods(self), found.cautions, sources),
        }

    def table(self) -> Cells:
        """One row per design, below what is known now."""
        return build_table(self.found)

    def short_table(self) -> Cells:
        """The best few designs below what is known now, at no more sizes than there is room for."""
        found = self.found
        return found.table(sorted({0, len(found.at) // 2, len(found.at) - 1}), _BEST)

    def display(self) -> DesignDisplay:
        """The picture by matplotlib."""
        from .picture import DesignDisplay

        return DesignDisplay.from_design(self.found, None if self.curve is None else self.model).plot()


def _sizes(argument: str, sizes: SizeSpec, curve: LearningCurve | None) -> list[float] | None:
    if sizes.is_open:
        return None
    return sizes.list_without_pilot(argument) if curve is None else sizes.list_sizes(curve.largest)


def _some(sizes: Sequence[float]) -> tuple[float, ...]:
    """Thin out sizes to as many as a design can look at, keeping both ends."""
    chosen = np.linspace(0, len(sizes) - 1, min(len(sizes), MOST_ASKED)).round().astype(int)
    return tuple(sizes[i] for i in chosen.tolist())


class DesignRow(TypedDict):
    """A design, and what it is expected to show."""

    rank: Count
    sizes: list[Size]
    """Training-set sizes to measure."""
    n_splits: Count
    continued: bool
    """Whether these are the pilot's own splits, continued at other sizes."""
    fits: Count
    """Models to train."""
    cost: NonNegative
    risk: float
    """What designs are ranked by (see `ranked_by`); lower is better."""
    risk_error: NonNegative
    """Monte Carlo standard error of the risk, where it was confirmed."""
    widths: list[NonNegative]
    """Expected width of the 95 % interval at each size of `at`."""
    confirmed: bool
    """Whether risk and widths come from fits to simulated data, rather than from closed forms."""
    grid_widths: list[NonNegative]
    """Expected width of the 95 % interval at each size of `grid`."""
    prob_yes: NotRequired[Probability]
    """Probability that after the design the answer to "does `decided_at` reach the target?" is yes."""
    prob_no: NotRequired[Probability]
    """Probability that it is no."""
    prob_right: NotRequired[Probability]
    """Probability that the likelier answer is right."""
    later_sizes: NotRequired[Interval]
    """Range in which the required size after the design lies in eight cases out of ten."""


class DesignAsked(TypedDict):
    """The question, and the sizes and the forecast that pictures of the answer show."""

    budget: NonNegative
    unit: str
    """What the budget is counted in: fits, hours, or cost."""
    at: list[Size]
    """Sizes at which the score matters."""
    target: float | None
    confidence: Probability
    ranked_by: Literal["score", "required_size"]
    """What the risk is about: "score", the expected CRPS of the forecast at the sizes of `at`; or "required_size", the
    expected Brier score of "this size suffices"."""
    available: Size
    """Most examples available for training."""
    pilot_sizes: list[Size]
    grid: list[Size]
    """Sizes from the end of the pilot on."""
    grid_median: list[float]
    """Median of the forecast at those sizes, as it is now."""
    grid_interval: list[list[float]]
    """Lower and upper ends of its 95 % intervals."""


class DesignNow(TypedDict):
    """State of knowledge before anything more is measured."""

    risk: float
    widths: list[NonNegative]
    prob: Probability | None
    """Probability that the size `decided_at` reaches the target."""
    required: RequiredFacts | None
    decided_at: Size
    verdict: Literal["yes", "no", "open"] | None
    """Whether that size reaches the target."""


class PilotOrNone(SettingsFacts):
    """A model that may not be fitted yet."""

    pilot: PilotFacts | None
    learner: NotRequired[str | None]
    """Kind of learner whose priors were used."""
    parameters: NotRequired[dict[str, float]]
    fit: NotRequired[FitFacts]


class DesignDocument(PilotOrNone, WithMethodsText):
    """`apexgp design --json`; before there is a pilot, no model is fitted."""

    schema: Literal["urn:apexgp:design:1"]
    question: DesignAsked
    now: DesignNow
    designs: list[DesignRow]
    frugal: Count
    """Rank of the cheapest design whose risk is at most a tenth above that of the best."""
    best_at_hand: Count | None
    """Rank of the best design that helps and needs no more examples than the pilot had."""


def _pilot_or_none(answer: DesignAnswer) -> PilotOrNone:
    if answer.curve is not None:
        return {**describe_model(answer.model)}
    settings = describe_settings(answer.model)
    return {"apexgp": settings["apexgp"], "settings": settings["settings"], "pilot": None}
