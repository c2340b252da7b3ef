"""The score with more data, and how many examples a target takes: asked of one curve, or of each of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypedDict, get_args

import numpy as np

from ..._check import FloatArray, check_choice, check_probability, check_real_number
from ..._numbers import (
    format_chance,
    format_count,
    format_multiple,
    format_score,
    format_score_interval,
    format_size,
    format_size_range,
)
from ...cautions import shorten_caution
from ...curve import LearningCurve
from ...errors import RequestError
from ...estimators import APExGP
from ...estimators.contract import clone
from ...forecast import LEVEL, Forecast, Quantity
from ...question_base.citations import list_sources, say_how_to_cite
from ...question_base.documents import NonNegative, Probability, WithMethodsText, word_answer
from ...question_base.model_documents import (
    ModelFacts,
    TargetFacts,
    describe_model,
    describe_target,
)
from ...question_base.model_settings import CONFIDENCE_SETTING, ModelQuestion
from ...question_base.phrases import join_words
from ...question_base.question import Cells, QuestionAnswer
from ...question_base.sizes import SizeSpec, build_sizes_setting, format_multiples
from ...question_base.wording import (
    count_total,
    describe_pilot_and_method,
    describe_precision,
    describe_required_size_methods,
    say_held_out,
    say_kind,
    say_required_size,
)
from ...reading.known_metrics import UNNAMED
from ...required import CONFIDENCE, RequiredSize, is_beyond_plans, prob_met
from ...settings import Setting
from ..evaluation import (
    MEASURES,
    EvaluationRow,
    MinimumEvaluationSize,
    check_cstatistic,
    describe_evaluation,
    minimum_evaluation_size,
    write_evaluation_methods,
)
from .assumptions import RequiredSizeRange, SizeRangeFacts, describe_size_range, required_size_range
from .batch import (
    DEFAULT_TIMES,
    BatchAnswer,
    BatchDocument,
    ForecastRow,
    answer_batch,
    build_forecast_cells,
    build_forecast_rows,
    list_forecast_columns,
)
from .tripod import say_tripod

if TYPE_CHECKING:
    from .curve_picture import Picture
    from .picture import CurveDisplay

__all__ = [
    "DEFAULT_TIMES",
    "BatchDocument",
    "ForecastAnswer",
    "ForecastDocument",
    "ForecastQuestion",
    "ForecastSettings",
    "StudySettings",
    "say_answer",
    "say_briefly",
    "say_pilot",
]

_CSTATISTICS = ("AUROC", "c-statistic")  # metrics, by the names of `known_metrics`, that are one for a binary outcome


@dataclass(frozen=True, kw_only=True)
class ForecastSettings(ModelQuestion):
    """Where to forecast, what, how sure to be, and the score to reach; a target is about the true expected score."""

    at: Annotated[
        SizeSpec,
        build_sizes_setting(
            "Training-set sizes to forecast: 20000, 20k, or 10x for ten times the largest measured.",
            control="Forecast at sizes",
            default=format_multiples(DEFAULT_TIMES),
            arguments=("sizes", "times", "to"),
        ),
    ] = field(default_factory=SizeSpec)
    target: Annotated[
        float | None,
        Setting("Score to reach: say how many examples it takes.", control="Score to reach", accepts_percent=True),
    ] = None
    confidence: Annotated[float, CONFIDENCE_SETTING] = CONFIDENCE
    of: Annotated[
        Quantity,
        Setting(
            "What to forecast: new_splits, same_splits (the pilot's, continued) or expected.",
            control="What is forecast",
        ),
    ] = "new_splits"
    level: Annotated[
        float,
        Setting(
            "Probability that the interval should cover the score.",
            control="Probability of the intervals",
            arguments=("level", "levels"),
            above=0,
            below=1,
            accepts_percent=True,
        ),
    ] = LEVEL

    def __post_init__(self) -> None:
        check_choice("of", self.of, get_args(Quantity))
        object.__setattr__(self, "level", check_probability("level", self.level))
        object.__setattr__(self, "confidence", check_probability("confidence", self.confidence))
        if self.target is not None:
            object.__setattr__(self, "target", check_real_number("target", self.target))

    @property
    def at_or_default(self) -> SizeSpec:
        """The sizes to forecast: those asked for, or the usual multiples."""
        return SizeSpec(times=DEFAULT_TIMES) if self.at.is_open else self.at

    def list_sizes(self, curve: LearningCurve) -> list[float]:
        """The sizes to forecast, in rising order."""
        return self.at_or_default.list_sizes(curve.largest)

    @property
    def bands(self) -> tuple[float, float]:
        """Probabilities of the bands of a picture: the one that was asked for, and another to compare it with."""
        return (0.8, self.level) if self.level > 0.8 else (self.level, 0.95)


@dataclass(frozen=True, kw_only=True)
class StudySettings(ForecastSettings):
    """A forecast for a study that may have to state both of its sizes: for development and for evaluation."""

    prevalence: Annotated[
        float | None,
        Setting(
            "Share of patients with the outcome: with a target, also say how many it takes to evaluate the model.",
            control="Share of patients with the outcome",
            accepts_percent=True,
        ),
    ] = None
    cstatistic: Annotated[
        float | None,
        Setting(
            "The C statistic (AUROC) to evaluate for.",
            control="Expected C statistic (AUROC)",
            default="the target, where the scores are AUROCs",
            accepts_percent=True,
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cstatistic is not None:
            object.__setattr__(self, "cstatistic", check_cstatistic("cstatistic", self.cstatistic))
            if self.prevalence is None:
                raise RequestError(
                    "applies only with a prevalence.", argument="cstatistic", remedy=("Give {}.", "prevalence")
                )
        if self.prevalence is not None:
            object.__setattr__(self, "prevalence", check_probability("prevalence", self.prevalence))
            if self.target is None:
                raise RequestError("applies only with a target.", argument="prevalence", remedy=("Give {}.", "target"))

    def forecast(self, model: APExGP, *, quick: bool = False) -> ForecastAnswer:
        """Ask a fitted model for the forecast; if quick, without other assumptions about a required size."""
        evaluation = self._evaluation(model.curve_)
        sizes = self.list_sizes(model.curve_)
        required = None if self.target is None else model.required_size(self.target, self.confidence)
        otherwise = None
        if required is not None and not quick:
            otherwise = required_size_range(model, required.target, required.confidence)
        return ForecastAnswer(
            question=self,
            model=model,
            forecast=model.forecast(sizes, of=self.of),
            expected=model.forecast(sizes, of="expected")
            if required is None
            else model._forecast_behind(required, np.array(sizes)),
            required=required,
            otherwise=otherwise,
            without=self._forecast_without(model, sizes),
            # For another C statistic than the target it may be planned, whether or not the target can be reached.
            evaluation=None if self.cstatistic is None and required and not required.is_realistic else evaluation,
        )

    def _evaluation(self, curve: LearningCurve) -> MinimumEvaluationSize | None:
        """How many patients it takes to evaluate the model that reaches the target, where a prevalence is given."""
        if self.prevalence is None or self.target is None:
            return None
        if self.cstatistic is not None:
            return minimum_evaluation_size(self.prevalence, self.cstatistic)
        if curve.metric_name not in _CSTATISTICS:
            raise RequestError(
                f"must be given with a prevalence: nothing says that the scores ({curve.metric_name}) are AUROCs.",
                argument="cstatistic",
                remedy=("Give {}, or {} if they are AUROCs.", "cstatistic", ("metric", "auroc")),
            )
        return minimum_evaluation_size(self.prevalence, check_cstatistic("target", self.target))

    def _forecast_without(self, model: APExGP, sizes: list[float]) -> dict[str, Forecast]:
        """The forecasts if each fact that has moved the priors were not known."""
        settings = clone(model).set_params(**model._settings)  # with the priors that were learnt from related curves
        without: list[dict[str, Any]] = [{fact: None} for fact in _SAID_WITHOUT if fact in model.facts_]
        return {
            fact: clone(settings).fit(replace(model.curve_, **less)).forecast(sizes, of=self.of)
            for less in without
            for fact in less
        }


@dataclass(frozen=True, kw_only=True)
class ForecastQuestion(StudySettings):
    """Forecast the score at larger training-set sizes.

    With a target, also say how many examples reach it, and with a prevalence how many patients it takes to evaluate the
    model.
    """

    has_own_place: ClassVar[bool] = True

    quick: Annotated[
        bool, Setting("Leave out how far other reasonable assumptions move the number of examples for a target.")
    ] = False

    def answer(self, model: APExGP) -> ForecastAnswer:
        """Ask a fitted model."""
        return self.forecast(model, quick=self.quick)

    def answer_batch(self, curves: Mapping[str | None, LearningCurve], model: APExGP) -> BatchAnswer:
        """Ask a model with these settings about each of several curves."""
        if self.prevalence is not None:
            raise RequestError(
                f"applies to one curve, whose outcome it describes; there are {len(curves)}.",
                argument="prevalence",
                remedy=("Choose one with {}, or leave it out.", "task"),
            )
        return answer_batch(self, curves, model)


@dataclass(frozen=True, eq=False, kw_only=True)
class ForecastAnswer(QuestionAnswer):
    """A forecast, the ends of its intervals and, where there is a target, the size that it takes.

    `expected` is the forecast of the true expected score, which a target is about, and a promise.
    `otherwise` says how far other reasonable assumptions move the required size.
    `without` holds, for each fact about the curve that has moved the priors, the forecast that there would be if it
    were not known.
    `evaluation` is how many patients it takes to evaluate the model, where a prevalence was given.
    """

    question: StudySettings
    model: APExGP
    forecast: Forecast
    expected: Forecast
    required: RequiredSize | None
    otherwise: RequiredSizeRange | None
    without: Mapping[str, Forecast] = field(default_factory=dict)
    evaluation: MinimumEvaluationSize | None = None

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Ends of the intervals at each size."""
        return self.forecast.interval(self.question.level)

    @property
    def range_clause(self) -> str:
        """The range under other reasonable assumptions as the end of a sentence; empty where it was not asked for."""
        return "" if self.otherwise is None else self.otherwise.clause

    @cached_property
    def promised_scores(self) -> FloatArray:
        """The score that the true expected score reaches with the confidence asked for, at each size."""
        higher, sure = self.model.curve_.direction == "higher", self.question.confidence
        return self.expected.at_least(sure) if higher else self.expected.quantile(sure)

    @cached_property
    def chances(self) -> FloatArray | None:
        """The probability that each of the sizes reaches the target, as the required size counts it."""
        if self.required is None:
            return None
        return prob_met(self.expected, self.required.target, self.model.curve_.direction)

    @property
    def sizes(self) -> list[float]:
        """The sizes that were forecast."""
        return self.forecast.sizes.tolist()

    @property
    def decimals(self) -> int:
        """How many decimals scores are printed with: see `Scale.count_decimals`."""
        lower, upper = self.ends
        return self.forecast.scale.count_decimals(float(upper[-1] - lower[-1]))

    @property
    def cautions(self) -> tuple[str, ...]:
        """Reasons to doubt the forecast or the required size, each once."""
        of_target = () if self.required is None else self.required.cautions
        return tuple(dict.fromkeys((*self.forecast.cautions, *of_target)))

    @property
    def introduction(self) -> str:  # type: ignore[override]
        """The pilot in a line."""
        return say_pilot(self)

    def document(self) -> ForecastDocument:
        """The pilot, the settings, the fit and the forecast, and the answer to a target."""
        level = self.question.level
        rows = _rows_of(self.forecast, level)
        for row, promised in zip(rows, self.promised_scores.tolist(), strict=True):
            row["promised"] = promised
        if self.chances is not None:
            for row, one in zip(rows, self.chances.tolist(), strict=True):
                row["prob_target"] = one
        of_evaluation: tuple[str, ...] = () if self.evaluation is None else ("riley_evaluation",)
        return {
            "schema": "urn:apexgp:forecast:1",
            **describe_model(self.model),
            "level": level,
            "confidence": self.question.confidence,
            "forecast": rows,
            "without": {fact: _rows_of(found, level) for fact, found in self.without.items()},
            **describe_target(self.required, self.model.curve_),
            "otherwise": None if self.otherwise is None else describe_size_range(self.otherwise),
            **_describe_study(self),
            "grant_text": write_grant_text(self),
            **word_answer(
                " ".join(say_answer(self)),
                write_forecast_methods(self),
                self.cautions,
                (*list_sources(self.model), *of_evaluation, "collins"),
            ),
        }

    def table(self) -> Cells:
        """One row per size."""
        curve, found, asked = self.model.curve_, self.forecast, self.question
        promise = f"{_name_bound(curve)}, with {100 * asked.confidence:g} %"
        header = [*list_forecast_columns(curve.metric_name, asked.level), promise]
        rows = build_forecast_cells(found.sizes, found.mean, self.ends, curve.largest, self.decimals)
        rows = [[*row, format_score(one, self.decimals)] for row, one in zip(rows, self.promised_scores, strict=True)]
        if self.required is None or self.chances is None:
            return header, rows
        return [*header, f"true mean reaches {self.required.target:g}"], [
            [*row, format_chance(one, self.required.confidence)] for row, one in zip(rows, self.chances, strict=True)
        ]

    def picture(self, kind: type[Picture], **more: int) -> Picture:
        """The arrays of a picture: the forecast with the interval that was asked for, and the target."""
        from .curve_picture import build_curve_picture, find_picture_end

        return build_curve_picture(
            self.model,
            find_picture_end(self.model.curve_, self.sizes, self.required),
            kind,
            of=self.question.of,
            levels=self.question.bands,
            level=self.question.level,
            required=self.required,
            exact=self.sizes,
            **more,
        )

    def display(self, truth: tuple[Sequence[float], Sequence[float]] | None = None) -> CurveDisplay:
        """The picture by matplotlib; with the truth, sizes and scores that were measured later, if it is known."""
        from .picture import CurveDisplay

        return self.picture(CurveDisplay).plot(truth=truth)


class StudyFacts(TypedDict):
    """The two sizes of a study, for development and for evaluation."""

    paragraph: str
    """Both in words, for those who fund it."""
    evaluation: EvaluationRow | None
    """Null where the target, for which it would be planned, cannot be reached."""
    total: NonNegative | None
    """Patients for development and evaluation together; null where the former are not known."""


class StudySizes(TypedDict, total=False):
    """The two sizes of a study, where a prevalence was given with the target."""

    study: StudyFacts


class ForecastDocument(ModelFacts, TargetFacts, StudySizes, WithMethodsText):
    """`apexgp forecast --json`, of one curve."""

    schema: Literal["urn:apexgp:forecast:1"]
    level: Probability
    """Probability of the intervals."""
    confidence: Probability
    """Probability with which the target should be reached, and with which each size reaches `promised`."""
    forecast: list[ForecastRow]
    without: dict[str, list[ForecastRow]]
    """For each fact about the curve that has moved the priors (`train_scores`, `n_features`, `n_classes`), the forecast
    that there would be if it were not known."""
    otherwise: SizeRangeFacts | None
    """How far other reasonable assumptions move the required size; null where that was not asked for."""
    grant_text: str | None
    """Three sentences for the sample-size paragraph of a grant, with the citation; null without a target."""


def _describe_study(answer: ForecastAnswer) -> StudySizes:
    if answer.question.prevalence is None:
        return {}
    evaluation = None if answer.evaluation is None else describe_evaluation(answer.evaluation)
    return {
        "study": {"paragraph": " ".join(say_study(answer)), "evaluation": evaluation, "total": count_patients(answer)}
    }


def _rows_of(found: Forecast, level: float) -> list[ForecastRow]:
    return build_forecast_rows(found.sizes, found.mean, found.median, found.std, found.interval(level))


def say_answer(answer: ForecastAnswer) -> list[str]:
    """Sentences of the whole answer: the size that a target takes, or the two sizes of a study, then the forecast.

    Whoever asks for a precision is told which was reached.
    """
    model = answer.model
    precision = [] if model.precision is None else [describe_precision(model)]
    of_model = [*say_kind(model), *_say_changes(answer), *precision]
    return [*say_study(answer), say_forecast(answer), *of_model]


def say_development(answer: ForecastAnswer) -> list[str]:
    """Sentences on the size that a target takes, where there is one."""
    if answer.required is None:
        return []
    curve = answer.model.curve_
    told = (say_required_size(answer.required, curve, answer.range_clause), say_held_out(answer.required, curve))
    return [sentence for sentence in told if sentence]


def say_briefly(answer: ForecastAnswer) -> str:
    """The answer in one line of a phone: the target first, then the farthest forecast."""
    curve, required = answer.model.curve_, answer.required
    (lower, upper), size = answer.ends, answer.forecast.sizes[-1]
    expected = format_score(answer.forecast.mean[-1], answer.decimals)
    if required is None:
        ends = format_score_interval(lower[-1], upper[-1], answer.decimals)
        return f"expect {expected}, {ends}, with {size:,.10g} {curve.unit_name}"
    if required.already_met:
        target = "is met already"
    elif required.is_realistic:
        target = f"takes {required.size_in_words} {curve.unit_name}"
    else:
        target = f"is reached with a probability of {required.at_best} at best"
    return f"{required.target:g} {target}; expect {expected} with {size:,.10g}"


def say_forecast(answer: ForecastAnswer) -> str:
    """The farthest size that was forecast."""
    curve, (lower, upper) = answer.model.curve_, answer.ends
    last, score, size = curve.largest, curve.replicates.mean[-1], answer.forecast.sizes[-1]
    told = (score, answer.forecast.mean[-1], lower[-1], upper[-1], answer.promised_scores[-1])
    measured, expected, low, high, promised = (format_score(one, answer.decimals) for one in told)
    return (
        f"With {size:,.10g} training {curve.unit_name} ({format_multiple(size / last)} times the pilot's "
        f"{last:,.10g}, which "
        f"give {measured}), expect a mean {curve.metric_name} of {expected}; the chance is "
        f"{100 * answer.question.level:g} % that it lies between {low} and {high}, and "
        f"{100 * answer.question.confidence:g} % that the true mean is {_name_bound(curve)} {promised}."
    )


def _name_bound(curve: LearningCurve) -> str:
    return "at least" if curve.direction == "higher" else "at most"


_SAID_WITHOUT: dict[str, Callable[[LearningCurve], str]] = {
    "train_scores": lambda curve: "Without the training scores",
    "n_features": lambda curve: f"{format_count(curve.n_features or 0, 'feature')}: without this number",
    "n_classes": lambda curve: f"{curve.n_classes:,} classes: without this number",
}
"""How a sentence begins on what a fact about the curve has changed."""


def _say_changes(answer: ForecastAnswer) -> list[str]:
    """Sentences on what facts about the curve have changed at the farthest size."""
    said = []
    for fact, found in answer.without.items():
        begin = _SAID_WITHOUT[fact](answer.model.curve_)
        lower, upper = found.interval(answer.question.level)
        expected, low, high = (format_score(one, answer.decimals) for one in (found.mean[-1], lower[-1], upper[-1]))
        said.append(f"{begin} it would be {expected}, between {low} and {high}.")
    return said


def write_forecast_methods(answer: ForecastAnswer) -> str:
    """Paragraph about a forecast, and the size that was asked for."""
    curve, forecast = answer.model.curve_, answer.forecast
    results = "; ".join(
        f"{format_score(mean, answer.decimals)} at {size:,.10g} training {curve.unit_name} "
        f"({100 * answer.question.level:g} % prediction interval {format_score_interval(low, high, answer.decimals)})"
        for size, mean, low, high in zip(forecast.sizes, forecast.mean, *answer.ends, strict=True)
    )
    text = f"{describe_pilot_and_method(answer.model)} The forecast mean {curve.metric_name} was {results}."
    if answer.required is not None:
        described = describe_required_size_methods(answer.required, curve, answer.range_clause)
        told = (described, say_held_out(answer.required, curve))
        text = " ".join([text, *filter(None, told)])
    if answer.evaluation is not None:
        text = f"{text} {write_evaluation_methods(answer.evaluation)}"
    return f"{text} {say_tripod(answer)}"


def say_pilot(answer: ForecastAnswer) -> str:
    """One line about the pilot, to open with."""
    curve = answer.model.curve_
    of_task = f" of {curve.task}" if curve.task else ""
    pilot = curve.replicates
    first, last = (format_score(pilot.mean[i], answer.decimals) for i in (0, -1))
    end = "; the metric is not named: say so if it is accuracy or AUROC." if curve.metric == UNNAMED else "."
    if len(pilot.sizes) == 1:
        mean = f"mean {first}" if len(curve) > 1 else first
        scores = format_count(len(curve), "score")
        return f"Pilot{of_task}: {scores} at one size, {mean} at {format_size(pilot.sizes[0])}{end}"
    return (
        f"Pilot{of_task}: {len(curve)} scores at {len(pilot.sizes)} sizes, {first} at "
        f"{pilot.sizes[0]:,.10g} to {last} at {pilot.sizes[-1]:,.10g}{end}"
    )


def say_study(answer: ForecastAnswer) -> list[str]:
    """Sentences on how many a study takes: to develop the model and, with a prevalence, to evaluate it, and in all."""
    found, development, prevalence = answer.evaluation, say_development(answer), answer.question.prevalence
    if prevalence is None:
        return development
    if found is None:
        return [*development, "No evaluation is planned at a target that cannot be reached."]
    outcome = f"about {found.events:,} of them with the outcome if {100 * found.prevalence:.3g} % of all have it"
    evaluation = (
        f"To evaluate the finished model, plan for at least {found.size:,} further patients who had no part in its "
        f"development, {outcome}; if its C statistic (AUROC) is {found.cstatistic:g}, most are needed for "
        f"{MEASURES[found.decisive]} (Riley et al. 2021)."
    )
    return [*development, evaluation, _say_total(answer, found)]


def _say_total(answer: ForecastAnswer, found: MinimumEvaluationSize) -> str:
    begin, total, required = "The two add up, since no patient can serve both", count_patients(answer), answer.required
    on_top = "" if answer.model.curve_.test_share is not None else "; those for validation and test still come on top"
    if total is not None:
        parts = f"{total - found.size:,.0f} for development and {found.size:,} for evaluation"
        return f"{begin}: {total:,.0f} patients, {parts}{on_top}."
    if required is None or not required.is_realistic:
        return f"{begin}."
    low, high = required.rounded_range
    most = "or more" if is_beyond_plans(high, required.largest) else f"to {high + found.size:,.0f}"
    return f"{begin}: {low + found.size:,.0f} {most} patients{on_top}."


def count_patients(answer: ForecastAnswer) -> float | None:
    """Patients for development and evaluation together, from what is printed; None where the former are not known.

    Development counts those who are kept for validation and test, where their share is known.
    """
    required, found, curve = answer.required, answer.evaluation, answer.model.curve_
    if required is None or found is None:
        return None
    if required.already_met:
        return curve.largest + found.size
    if not required.is_realistic or not required.is_known:
        return None
    kept = count_total(required, curve)
    return (required.rounded_size if kept is None else kept) + found.size


def write_grant_text(answer: ForecastAnswer) -> str | None:
    """Three sentences for the sample-size paragraph of a grant, with the citation; None without a target."""
    required, curve, found = answer.required, answer.model.curve_, answer.evaluation
    if required is None:
        return None
    sizes = format_size_range(np.unique(curve.sizes).tolist(), "training-set size")
    measured = format_score(curve.replicates.mean[-1], answer.decimals)
    pilot = (
        f"In our pilot study ({format_count(len(curve), 'score')} at {sizes}) the model reached a mean "
        f"{curve.metric_name} of {measured} with {curve.largest:,.10g} training {curve.unit_name}."
    )
    of_evaluation = () if found is None else ("riley_evaluation",)
    cited = say_how_to_cite("harvey", *of_evaluation)
    words = (pilot, _say_grant_estimate(answer, required), _say_grant_plan(answer, required))
    doubts = "; ".join(map(shorten_caution, answer.cautions))
    return "\n\n".join(filter(None, [" ".join(words), doubts and f"Cautions that apply: {doubts}.", cited]))


def _say_grant_estimate(answer: ForecastAnswer, required: RequiredSize) -> str:
    curve, otherwise = answer.model.curve_, answer.range_clause
    begin = f"Extrapolation of its learning curve (Harvey et al. 2023; apexgp {version('apexgp')}) gives a probability"
    goal, sure = f"a mean {curve.metric_name} of {required.target:g}", f"{100 * required.confidence:g} %"
    if required.already_met:
        return f"{begin} of {format_chance(required.prob_now)} that this number already reaches {goal}{otherwise}."
    if required.is_out_of_reach:
        return (
            f"{begin} of {required.at_best} that unlimited data of this kind reach {goal}, short of the {sure} wanted."
        )
    size, ever = f"{required.size_in_words} training {curve.unit_name}", f"{required.at_best} with unlimited data"
    reach = f"that {size} reach {goal}" if required.is_realistic else f"of reaching {goal} only with {size}"
    return f"{begin} of {sure} ({ever}) {reach}{otherwise}."


def _say_grant_plan(answer: ForecastAnswer, required: RequiredSize) -> str:
    curve, found, kept = answer.model.curve_, answer.evaluation, count_total(required, answer.model.curve_)
    if not required.is_realistic and not required.already_met:
        size, expected = format_size(answer.sizes[-1]), format_score(answer.forecast.mean[-1], answer.decimals)
        promised = format_score(answer.promised_scores[-1], answer.decimals)
        return (
            f"With {size} training {curve.unit_name} we expect a mean {curve.metric_name} of {expected}, and one of "
            f"{_name_bound(curve)} {promised} with a probability of {100 * required.confidence:g} %."
        )
    if required.already_met:
        many = format_size(curve.largest)
    else:  # of a range its upper end, where there is one
        most = required.rounded_range[1]
        is_number = not required.is_known and not is_beyond_plans(most, required.largest)
        many = format_size(most) if is_number else required.size_in_words
    parts = [f"{many} {curve.unit_name} for training"]
    if kept is not None:
        parts.append(f"{kept - required.rounded_size:,.0f} for validation and test")
    if found is not None:
        parts.append(
            f"{found.size:,} to evaluate the finished model (Riley et al. 2021; prevalence {found.prevalence:g}, AUROC "
            f"{found.cstatistic:g})"
        )
    total = kept if found is None else count_patients(answer)
    in_all = "" if total is None or len(parts) == 1 else f", {total:,.0f} in all"
    return f"We therefore plan for {join_words(parts)}{in_all}."
