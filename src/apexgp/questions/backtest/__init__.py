"""How well each method would have done on the curves at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NotRequired, TypedDict

import numpy as np

from ..._answer import to_rows
from ..._check import check_probability, check_real_number, check_whole_number
from ..._numbers import format_score, format_score_interval, format_size
from ...curve import LearningCurve
from ...errors import DataError
from ...estimators import APExGP, CurveEstimator
from ...estimators.contract import clone
from ...estimators.least_squares import METHODS
from ...question_base.citations import credit_method, list_method_sources
from ...question_base.documents import (
    Count,
    NonNegative,
    Probability,
    Size,
    Versioned,
    WithMethodsText,
    name_owners,
    word_answer,
)
from ...question_base.model_documents import RequiredFacts, describe_required_size
from ...question_base.model_settings import CONFIDENCE_SETTING, MethodSettings
from ...question_base.question import Cells, Question, QuestionAnswer, build_table
from ...question_base.wording import format_required_size
from ...required import CONFIDENCE, RequiredSize
from ...settings import Setting
from .run import Backtest, MethodScore, backtest, find_required_sizes, format_error, make_methods

if TYPE_CHECKING:
    from .picture import BacktestDisplay

__all__ = ["BacktestAnswer", "BacktestDocument", "BacktestQuestion", "build_held_out_table", "name_own_method"]


@dataclass(frozen=True, kw_only=True)
class BacktestQuestion(MethodSettings, Question):
    """Evaluate every method on your own curve: fit the smaller sizes, compare with the larger ones.

    Every method is judged unless some are named, so that whoever asks about a curve is told of the same winner. Each
    has those of the ceiling, the floor and the seed that it knows.
    """

    has_own_place: ClassVar[bool] = True
    pilots: ClassVar[Literal["one"]] = "one"
    is_slow: ClassVar[bool] = True

    methods: Annotated[
        list[str] | None,
        Setting(
            f"Methods to evaluate: {', '.join(METHODS)}.",
            name="method",
            default="all",
            choices=tuple(METHODS),
            server_limits={"min_length": 1, "max_length": len(METHODS)},
        ),
    ] = None
    holdout: Annotated[
        int | None,
        Setting("How many of the largest sizes to hold out.", default="a third", least=1, server_limits={"le": 1000}),
    ] = None
    target: Annotated[
        float | None,
        Setting(
            "Score to reach: also give the size that each method, fitted to all sizes, asks for.", accepts_percent=True
        ),
    ] = None
    confidence: Annotated[float, CONFIDENCE_SETTING] = CONFIDENCE
    model: APExGP | None = None

    def __post_init__(self) -> None:
        if self.holdout is not None:
            check_whole_number("holdout", self.holdout, least=1)
        if self.target is not None:
            object.__setattr__(self, "target", check_real_number("target", self.target))
        object.__setattr__(self, "confidence", check_probability("confidence", self.confidence))
        self.build_methods()

    def ask(self, curves: Mapping[str, LearningCurve], model: APExGP | None) -> BacktestAnswer:
        """Put the question to one curve; an error where no method can be judged on it."""
        (curve,) = curves.values()
        answer = self.answer(curve)
        answer.refuse_unjudged()
        return answer

    @classmethod
    def beside(cls, model: APExGP) -> BacktestQuestion:
        """A model as it was set up, beside all others with its ceiling, floor and seed."""
        return cls(ceiling=model.ceiling, floor=model.floor, seed=model.seed, model=model)

    def build_methods(self) -> dict[str, CurveEstimator]:
        """The methods to judge, by name."""
        methods = make_methods(self.methods or list(METHODS))
        settings = {"ceiling": self.ceiling, "floor": self.floor, "seed": self.seed}
        for method in methods.values():
            known = method.get_params(deep=False)
            method.set_params(**{name: value for name, value in settings.items() if name in known})
        return methods if self.model is None else {**methods, name_own_method(self.model): clone(self.model)}

    def answer(
        self, curve: LearningCurve | Mapping[str | None, LearningCurve], *, n_jobs: int | None = None
    ) -> BacktestAnswer:
        """Judge the methods on one curve or, pooled, on several; a target goes with one."""
        methods = self.build_methods()
        required: dict[str, RequiredSize | str] = {}
        if self.target is not None:
            (only,) = [curve] if isinstance(curve, LearningCurve) else curve.values()
            required = find_required_sizes(only, methods, self.target, self.confidence)
        return BacktestAnswer(self, backtest(curve, methods, self.holdout, n_jobs=n_jobs), required, tuple(methods))


@dataclass(frozen=True, eq=False)
class BacktestAnswer(QuestionAnswer):
    """A backtest, and the size that each method asks for to reach a target."""

    question: BacktestQuestion
    result: Backtest
    required: Mapping[str, RequiredSize | str]
    methods: tuple[str, ...]

    @property
    def is_judged(self) -> bool:
        """Whether any method could be judged."""
        return any(score.curves for score in self.result.pooled)

    def refuse_unjudged(self, source: str = "") -> None:
        """Say why, where no method could be judged."""
        if not self.is_judged:
            raise DataError(f"{source}{self.result.pooled[0].failed}")

    def document(self) -> BacktestDocument:
        """Figures of each method, and how many examples it asks for where there is a target."""
        result, required = self.result, self.required
        asking = ((name, () if isinstance(found, str) else found.cautions) for name, found in required.items())
        sources = list_method_sources(score.method for score in result.pooled)
        cautions = [*result.cautions, *name_owners(asking, len(required))]
        return {
            "schema": "urn:apexgp:backtest:1",
            "apexgp": version("apexgp"),
            "methods": to_rows(result.to_dict("method")),
            "by_curve": to_rows(result.to_dict("curve")),
            "by_size": to_rows(result.to_dict("size")),
            **_by_method(required),
            **word_answer(say_backtest(result), write_backtest_methods(result), cautions, sources),
        }

    def table(self) -> Cells:
        """One row per method, the best first where there is a best, with what it asks for to reach a target."""
        header, rows = build_table(self.result)
        if not self.result.is_ranked:
            order = [*OWN, *self.methods]
            rows.sort(key=lambda row: order.index(row[0]))
        if self.required:
            header.append(f"size for {self.question.target:g}")
            for row in rows:
                found = self.required[row[0]]
                row.append("-" if isinstance(found, str) else format_required_size(found))
        return header, rows

    def display(self) -> BacktestDisplay:
        """The picture by matplotlib."""
        from .picture import BacktestDisplay

        return BacktestDisplay.from_backtest(self.result).plot()


class MethodRow(TypedDict):
    """How a method did on all curves, or on that of one `task`; null where there is no value."""

    method: str
    task: NotRequired[str | int | None]
    error: NonNegative | None
    """Mean absolute error of the forecast score at the held-out sizes."""
    bias: float | None
    """Mean of forecast minus measured score."""
    likelihood: Probability | None
    """Probability that the forecast assigned to within 0.01 of the measured score."""
    coverage_80: Probability | None
    """Share of the measured scores inside the 80 % intervals."""
    coverage_95: Probability | None
    """Share of the measured scores inside the 95 % intervals."""
    crps: NonNegative | None
    """Continuous ranked probability score; lower is better."""
    curves: Count
    """Number of curves behind the values."""
    failed: str | None
    """Why there are no values for some curve."""


class HeldOutRow(TypedDict):
    """Forecast and measured score of a method at one held-out size."""

    method: str
    task: str | int | None
    size: Size
    measured: float
    forecast: float
    lower_95: float | None
    upper_95: float | None
    times: NonNegative
    """The size as a multiple of the largest that was fitted."""


class NoSize(TypedDict):
    """Why a method cannot say what a target takes."""

    error: str


class MethodTargets(TypedDict, total=False):
    """The size that each method asks for to reach a target, if there is one."""

    required: dict[str, RequiredFacts | NoSize]


class BacktestDocument(Versioned, MethodTargets, WithMethodsText):
    """`apexgp backtest --json`."""

    schema: Literal["urn:apexgp:backtest:1"]
    methods: list[MethodRow]
    """Over all curves."""
    by_curve: list[MethodRow]
    by_size: list[HeldOutRow]


def _by_method(required: Mapping[str, RequiredSize | str]) -> MethodTargets:
    if not required:
        return {}
    return {
        "required": {
            name: {"error": found}
            if isinstance(found, str)
            else {**describe_required_size(found), "cautions": list(found.cautions)}
            for name, found in required.items()
        }
    }


def name_own_method(model: APExGP) -> str:
    """The name that a model itself has among the methods."""
    return "apexgp_published" if model.inference == "map" else "apexgp"


def build_held_out_table(result: Backtest, method: str) -> Cells:
    """One row per size that was held out: what a method said, and what came."""
    rows, digits = [one for one in result.by_size if one.method == method], result.decimals
    return ["size", "times fitted", "measured", "forecast", "95 % interval", "within"], [
        [
            format_size(one.size),
            f"{one.times:.3g}",
            format_score(one.measured, digits),
            format_score(one.forecast, digits),
            format_score_interval(one.lower_95, one.upper_95, digits),
            "yes" if one.within_95 else "no",
        ]
        for one in rows
    ]


OWN = ("apexgp", "apexgp_published")
"""Methods that are ours to speak of first."""


def say_backtest(result: Backtest) -> str:
    """Say which method did best."""
    judged = [score for score in result.pooled if score.curves]
    if not judged:
        return f"No method could be judged: {result.pooled[0].failed}"
    return _ranking(result, judged) if result.is_ranked else _comparisons(result, judged)


def _comparisons(result: Backtest, judged: Sequence[MethodScore]) -> str:
    """Say how our own method, or the first one, did where too few sizes were held out to rank methods."""
    names = [score.method for score in judged]
    method = next((name for name in OWN if name in names), names[0])
    told = [one for one in result.by_size if one.method == method]
    sure = "" if np.isnan(told[0].lower_95) else "; its 95 % interval"
    if len(told) == 1:
        (one,) = told
        expected, measured = (format_score(score, result.decimals) for score in (one.forecast, one.measured))
        text = (
            f"One size was held out to test the forecast: at {one.size:,.10g}, {method} expected {expected}, and "
            f"{measured} was measured"
        )
        if sure:
            within = "covers" if one.within_95 else "does not cover"
            text += f"{sure}, {format_score_interval(one.lower_95, one.upper_95, result.decimals)}, {within} that"
        worth = "One comparison says"
    else:
        off = sum(abs(one.forecast - one.measured) for one in told) / len(told)
        text = f"At the {len(told)} held-out sizes, {method} was off by {format_score(off, result.decimals)} on average"
        if sure:
            text += f"{sure}s covered {sum(one.within_95 for one in told)} of the {len(told)} scores"
        worth = f"These {len(told)} comparisons say"
    return f"{text}. {worth} little about the method, and nothing about which of several is best."


def _ranking(result: Backtest, judged: Sequence[MethodScore]) -> str:
    best, closest = judged[0], min(judged, key=lambda score: score.error)
    of = "this curve" if best.curves == 1 else f"{best.curves:,} curves"
    off = format_error(result, best.error)
    if len(judged) == 1:
        text = f"Fitted to the smaller sizes of {of}, {best.method} was off by {off} at the larger ones"
    else:
        text = (
            f"Fitted to the smaller sizes of {of}, {best.method} forecast the scores at the larger ones best (CRPS "
            f"{format_error(result, best.crps)}), off by {off} on average"
        )
        if closest is not best:
            text += f"; {closest.method} came closest, off by {format_error(result, closest.error)}"
    if np.isnan(best.coverage_95):
        return f"{text}. {best.method} does not quantify its uncertainty."
    return f"{text}. The 95 % intervals of {best.method} covered {100 * best.coverage_95:.0f} % of those scores."


def write_backtest_methods(result: Backtest) -> str:
    """Paragraph about a backtest."""
    curves = max(score.curves for score in result.pooled)
    return (
        f"Methods for extrapolating learning curves were compared with apexgp {version('apexgp')} on {curves:,} "
        f"measured learning curve{'s' * (curves > 1)}: each was fitted to the smaller training-set sizes and judged "
        "by its continuous ranked probability score (CRPS; absolute error for methods without a predictive "
        "distribution) and its mean absolute error at the held-out sizes. "
        f"{'; '.join(_figures(result, score) for score in result.pooled if score.curves)}."
    )


def _figures(result: Backtest, score: MethodScore) -> str:
    covered = "" if np.isnan(score.coverage_95) else f", 95 % coverage {score.coverage_95:.2f}"
    crps, error = format_error(result, score.crps), format_error(result, score.error)
    return f"{credit_method(score.method)}: CRPS {crps}, absolute error {error}{covered}"
