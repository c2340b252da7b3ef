"""What may be asked, as FastAPI checks and describes it: the fields are the options of the commands, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from typer.models import OptionInfo

from ...answers.plan import MOST_ROUNDS, ROUNDS
from ...answers.required import CONFIDENCE
from ...design.pilot import CONFIRM
from ...estimators.least_squares import METHODS
from ...forecast import LEVEL, Quantity
from ...learners import LEARNERS, UNKNOWN
from ...model.means import MEANS
from ...questions.check import CheckQuestion
from ...questions.design import BUDGET
from ...questions.minimum import MinimumQuestion, Purpose
from ..command import Sets
from ..curve_file import ColumnOptions
from ..options import ForecastOptions, ModelOptions, StudyOptions

__all__ = [
    "REQUESTS",
    "AdviceRequest",
    "BacktestRequest",
    "CheckRequest",
    "ColumnsRequest",
    "CompareRequest",
    "CurveRequest",
    "DesignRequest",
    "ForecastRequest",
    "MinimumRequest",
    "ModelRequest",
    "PageRequest",
    "PlanRequest",
    "PlannedRequest",
    "ReportRequest",
    "SensitivityRequest",
    "option_field",
]

MOST_CHARACTERS = 1_000_000  # of a table
_MOST_PRIORS = 100_000  # characters, of which learnt ones take a few thousand
_MOST_SIZES = 50  # to forecast at once
_MOST_SEED = 2**53
_MOST_DRAWS = 10_000  # pilots
_MOST_CONFIRMED = 10  # designs that are tried on drawn data, a fraction of a second each
_LONGEST_NAME = 200


def option_field(group: type, name: str, **limits: Any) -> Any:
    """A field that is an option of a command, too: its default, and what it is for, are stated there."""
    default = next(field.default for field in fields(group) if field.name == name)
    about = get_type_hints(group, include_extras=True)[name].__metadata__
    text = next(info.help for info in about if isinstance(info, OptionInfo))
    return Field(default, description=text, **limits)


def _names(**limits: Any) -> dict[str, Any]:
    return {"max_length": _LONGEST_NAME, **limits}


def _number(default: Any, description: str, **bounds: int) -> Any:
    """A number whose bounds are described here, and kept by the library, which says better what is wrong."""
    described: dict[str, JsonValue] = {**bounds}
    return Field(default, description=description, json_schema_extra=described)


class _Request(BaseModel):
    """Strict: a number is a number, and a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class ColumnsRequest(_Request):
    """How to read a table."""

    size_column: str | None = option_field(ColumnOptions, "size_column", **_names())
    score_column: list[str] | None = option_field(ColumnOptions, "score_column", max_length=1000)
    split_column: str | None = option_field(ColumnOptions, "split_column", **_names())
    task_column: str | None = option_field(ColumnOptions, "task_column", **_names())
    metric: str | None = option_field(ColumnOptions, "metric", **_names())
    task: str | None = option_field(ColumnOptions, "task", **_names())
    lower_is_better: bool | None = option_field(ColumnOptions, "lower_is_better")
    range: str | None = option_field(ColumnOptions, "range", **_names())
    unit: str | None = option_field(ColumnOptions, "unit", **_names())
    test_share: float | None = option_field(ColumnOptions, "test_share")
    train_column: list[str] | None = option_field(ColumnOptions, "train_column", max_length=1000)
    sd_column: str | None = option_field(ColumnOptions, "sd_column", **_names())
    n_test: str | float | None = option_field(ColumnOptions, "n_test")
    averaged_over: str | int | None = option_field(ColumnOptions, "averaged_over")
    each_column: Literal["split", "model"] | None = option_field(ColumnOptions, "each_column")
    per_cent: bool = option_field(ColumnOptions, "per_cent")


class CurveRequest(ColumnsRequest):
    """A table of measurements."""

    table: str = Field(
        description="The measurements as delimited text with a header line, as the commands read it from a file.",
        min_length=1,
        max_length=MOST_CHARACTERS,
        examples=["size,score\n60,0.66\n94,0.70\n147,0.72\n230,0.75\n360,0.76\n"],
    )


class _BayesRequest(_Request):
    ceiling: float = option_field(ModelOptions, "ceiling")
    floor: float = option_field(ModelOptions, "floor")
    noise: float | None = option_field(ModelOptions, "noise")
    learner: Literal[*LEARNERS, UNKNOWN] | None = option_field(ModelOptions, "learner")  # type: ignore[valid-type]
    precision: float | None = option_field(ModelOptions, "precision")
    mean: Literal["auto", *MEANS] | None = option_field(ModelOptions, "mean")  # type: ignore[valid-type]
    seed: int = option_field(ModelOptions, "seed", ge=0, le=_MOST_SEED)
    priors: str | None = Field(
        None,
        description="Priors instead of the shipped ones: the text of a JSON file that apexgp learn has written.",
        max_length=_MOST_PRIORS,
    )


class ModelRequest(CurveRequest, _BayesRequest):
    """A table, and the model to fit to it."""

    published: bool = option_field(ModelOptions, "published")


_AT = Field(
    None,
    description="Training-set sizes, written as on the command line: 20000, 20k, or 10x for ten times the largest.",
    max_length=_MOST_SIZES,
    examples=[["2x", "10x", "20000"]],
)
_ROUNDS = Field(ROUNDS, description="Number of rounds of collection.", ge=1, le=MOST_ROUNDS)
_AVAILABLE = _number(
    None, "Most examples available for training; by default twice the largest size in the table.", exclusiveMinimum=0
)
_CONFIDENCE = Field(CONFIDENCE, description="Probability with which the target should be reached.", gt=0, lt=1)


class _AnswerRequest(ModelRequest):
    at: Annotated[list[str] | None, Sets("sizes", "times", "to")] = _AT
    target: float | None = Field(None, description="Score to reach.")
    confidence: float = _CONFIDENCE
    of: Quantity = option_field(ForecastOptions, "of")
    level: Annotated[float, Sets("level", "levels")] = _number(
        LEVEL, "Probability that the interval should cover the score.", exclusiveMinimum=0, exclusiveMaximum=1
    )


class _StudyRequest(_AnswerRequest):
    prevalence: float | None = option_field(StudyOptions, "prevalence")
    cstatistic: float | None = option_field(StudyOptions, "cstatistic")


class ForecastRequest(_StudyRequest):
    """`apexgp forecast --json`: scores at larger sizes and, with a target, how many examples reach it."""


class PlanRequest(ModelRequest):
    """`apexgp plan --json`: what to collect, round by round, when labels and a missed target cost money."""

    target: float = Field(description="Score to reach.")
    cost: Annotated[float, Sets("cost_per_example")] = _number(..., "Cost of a labelled example.", exclusiveMinimum=0)
    penalty: float = _number(..., "Cost of missing the target, in the same currency.", exclusiveMinimum=0)
    rounds: int = _ROUNDS
    start: int | None = Field(
        None, description="Examples at hand; by default the largest size in the table.", ge=1, le=_MOST_SEED
    )


class BacktestRequest(CurveRequest):
    """`apexgp backtest --json`: how well each method would have done on this curve."""

    method: Annotated[list[Literal[*METHODS]] | None, Sets("methods")] = Field(  # type: ignore[valid-type]
        None, description="Methods to evaluate; by default all.", min_length=1, max_length=len(METHODS)
    )
    holdout: int | None = Field(None, description="How many of the largest sizes to hold out.", ge=1, le=1000)
    target: float | None = Field(None, description="Score to reach: also give the size that each method asks for.")
    confidence: float = _CONFIDENCE
    ceiling: float = option_field(ModelOptions, "ceiling")
    floor: float = option_field(ModelOptions, "floor")
    seed: int = option_field(ModelOptions, "seed", ge=0, le=_MOST_SEED)


class CompareRequest(ColumnsRequest, _BayesRequest):
    """`apexgp compare --json`: which model will be better with more data."""

    tables: Annotated[dict[str, str], Sets("curves")] = Field(
        description="The table of each model, by the model's name.", min_length=2, max_length=6
    )
    at: Annotated[list[str] | None, Sets("sizes")] = _AT


class MinimumRequest(_Request):
    """`apexgp minimum --json`: patients that it takes to develop or evaluate a prediction model (Riley et al.)."""

    purpose: Purpose = Field(
        MinimumQuestion.purpose, description="What the patients are for: development, or evaluation."
    )
    prevalence: float = Field(description="Share of patients with the outcome.", gt=0, lt=1)
    cstatistic: float | None = Field(
        None,
        description="The C statistic (AUROC) that the model is expected to achieve; for development, instead of r2.",
        gt=0.5,
        lt=1,
    )
    parameters: int | None = Field(
        None, description="For development: number of candidate coefficients for the model.", ge=1, le=100_000
    )
    r2: float | None = Field(
        None, description="For development: Cox and Snell's R2 that the model is expected to achieve.", gt=0, lt=1
    )
    nagelkerke: bool = Field(False, description="The R2 is Nagelkerke's.")
    margin: float = Field(
        MinimumQuestion.margin, description="Half-width of the interval for the overall risk.", gt=0, lt=1
    )
    shrinkage: float = Field(
        MinimumQuestion.shrinkage, description="Expected shrinkage of the coefficients.", gt=0, lt=1
    )
    optimism: float = Field(
        MinimumQuestion.optimism, description="Difference between the apparent and the true Nagelkerke R2.", gt=0, lt=1
    )
    error: float = Field(MinimumQuestion.error, description="Mean absolute error of the predicted risks.", gt=0, lt=1)
    threshold: float | None = Field(
        None, description="For evaluation: predicted risk above which a patient would be treated.", gt=0, lt=1
    )
    oe_width: float = Field(
        MinimumQuestion.oe_width, description="For evaluation: width of the interval for O/E.", gt=0
    )
    slope_width: float = Field(
        MinimumQuestion.slope_width, description="For evaluation: width of that for the calibration slope.", gt=0
    )
    cstatistic_width: float = Field(
        MinimumQuestion.cstatistic_width, description="For evaluation: width of that for the C statistic.", gt=0
    )
    net_benefit_width: float = Field(
        MinimumQuestion.net_benefit_width,
        description="For evaluation: width of that for the standardised net benefit.",
        gt=0,
    )


class SensitivityRequest(_AnswerRequest):
    """`apexgp sensitivity --json`: what the answer depends on, with one thing changed at a time."""


class CheckRequest(CurveRequest, _BayesRequest):
    """`apexgp check --json`: whether the model fits the pilot."""

    draws: int = Field(CheckQuestion.draws, description="Number of pilots to simulate.", ge=100, le=_MOST_DRAWS)


class PlannedRequest(_StudyRequest):
    """A forecast, and a plan where there are costs."""

    cost: Annotated[float | None, Sets("cost_per_example")] = _number(
        None, "Cost of a labelled example.", exclusiveMinimum=0
    )
    penalty: float | None = _number(None, "Cost of missing the target.", exclusiveMinimum=0)
    rounds: int = _ROUNDS


class ReportRequest(PlannedRequest):
    """`apexgp report`: one HTML file that opens offline."""

    budget: float | None = _number(
        None,
        "Number of models that could still be trained, for the advice on what to measure next; 0 for no advice.",
        minimum=0,
    )
    available: float | None = _AVAILABLE
    title: str | None = Field(None, description="Title; by default what the report is about.", max_length=_LONGEST_NAME)
    author: str | None = Field(None, description="Author of the report.", max_length=_LONGEST_NAME)
    project: str | None = Field(
        None, description="What it is for, such as a protocol or a grant.", max_length=_LONGEST_NAME
    )


class PageRequest(ForecastRequest, PlannedRequest):
    """All that the page shows at once: the forecast, the plan where there are costs, the picture, the lines of code."""

    backtest: bool = Field(False, description="Also say how well each method would have done on this curve.")
    doubts: bool = Field(
        False, description="Also say what the answer depends on, and check the model against the pilot."
    )


class _NextRequest(_BayesRequest):
    budget: float = _number(BUDGET, "Number of models that could be trained.", exclusiveMinimum=0)
    at: list[str] | None = _AT
    target: float | None = Field(None, description="Score to reach.")
    confidence: float = _CONFIDENCE
    available: float | None = _AVAILABLE


class DesignRequest(ColumnsRequest, _NextRequest):
    """`apexgp design --json`: what to measure next; without a table, the first pilot."""

    table: str | None = Field(
        None,
        description="The measurements, as for a forecast; none before the first pilot.",
        min_length=1,
        max_length=MOST_CHARACTERS,
    )
    sizes: list[str] | None = Field(
        None, description="Training-set sizes that may be measured, written as in at.", max_length=_MOST_SIZES
    )
    splits: Annotated[int | None, Sets("n_splits")] = Field(
        None, description="Number of new splits; by default several are tried.", ge=1, le=1000
    )
    confirm: int = Field(
        CONFIRM, description="How many of the best designs to try on simulated data.", ge=0, le=_MOST_CONFIRMED
    )


class AdviceRequest(CurveRequest, _NextRequest):
    """What the page shows of what more measuring would change."""

    at: Annotated[list[str] | None, Sets("at", "sizes")] = _AT


REQUESTS: Mapping[str, type[_Request]] = {
    "advice": AdviceRequest,
    "backtest": BacktestRequest,
    "check": CheckRequest,
    "compare": CompareRequest,
    "design": DesignRequest,
    "forecast": ForecastRequest,
    "minimum": MinimumRequest,
    "page": PageRequest,
    "plan": PlanRequest,
    "report": ReportRequest,
    "sensitivity": SensitivityRequest,
}
"""By the kind of a request: what it takes."""
