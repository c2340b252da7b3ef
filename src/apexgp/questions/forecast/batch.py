"""Forecasts of many curves: together where they can be computed together, chunk by chunk, one bad curve at a time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..._answer import Answer, ColumnData, SummaryTable
from ..._check import (
    FloatArray,
    check_choice,
    check_positive,
    check_probability,
    check_real_array,
    check_real_number,
    check_sizes,
    format_value,
)
from ..._numbers import SCORE_DIGITS, format_multiple, format_score, format_score_interval, format_size
from ...cautions import shorten_caution
from ...curve import LearningCurve
from ...errors import ApexError, DataError, RequestError
from ...estimators import BREAKDOWNS, APExGP, CurveEstimator, fit_together, wrap_breakdown
from ...estimators.contract import clone
from ...files.writing import to_json_value
from ...forecast import LEVEL, LEVELS, Quantity
from ...question_base.documents import (
    Count,
    NonNegative,
    Probability,
    Size,
    Versioned,
    WithSentence,
    name_owners,
)
from ...question_base.model_documents import TargetFacts, describe_target
from ...question_base.phrases import list_some
from ...question_base.question import Cells, QuestionAnswer
from ...question_base.wording import format_required_size
from ...required import CONFIDENCE, RequiredSize
from ...running.terminal import progress_bar

if TYPE_CHECKING:
    from . import ForecastQuestion
    from .picture import BatchDisplay

__all__ = [
    "DEFAULT_TIMES",
    "BatchAnswer",
    "CurveForecast",
    "ForecastRow",
    "answer_batch",
    "build_forecast_cells",
    "build_forecast_rows",
    "forecast_many",
    "list_forecast_columns",
]

# A chunk is what one worker is handed at a time; memory holds a few of them, however many curves there are.
_CHUNK = 64
DEFAULT_TIMES = (2.0, 10.0, 50.0)
"""Multiples of a curve's largest size that are forecast where nothing else is asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class CurveForecast(Answer):
    """Summary of the forecast of one curve of a batch.

    Attributes
    ----------
    index : int
        Position of the curve in the batch.
    task : object
        Key of the curve in a mapping, else its own `task`.
    sizes, mean, median, std : arrays of shape (Q,)
        The forecast; empty if there is none.
    largest : float
        Largest size of the curve; NaN if there is no curve.
    intervals : dict
        For each level, the lower and upper ends.
    required : RequiredSize or None
        The answer to the target, where there was one.
    cautions : tuple of str
        Reasons to doubt it.
    error : str or None
        Why there is no forecast.
    decimals : int
        How many decimals scores are printed with.
    """

    index: int
    task: object
    sizes: FloatArray
    mean: FloatArray = field(default_factory=lambda: np.empty(0))
    median: FloatArray = field(default_factory=lambda: np.empty(0))
    std: FloatArray = field(default_factory=lambda: np.empty(0))
    largest: float = math.nan
    intervals: Mapping[float, tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    required: RequiredSize | None = None
    cautions: tuple[str, ...] = ()
    error: str | None = None
    decimals: int = SCORE_DIGITS

    def _columns(self) -> ColumnData:
        columns = {"size": self.sizes, "mean": self.mean, "median": self.median, "std": self.std}
        for level, ends in self.intervals.items():
            columns[f"lower_{100 * level:g}"], columns[f"upper_{100 * level:g}"] = ends
        count = len(self.mean)
        return {"task": [self.task] * count} | {name: column[:count].tolist() for name, column in columns.items()}

    def shown(self) -> SummaryTable:
        """One row per size, with the widest interval."""
        title = f"Forecast of {self.task}" if self.task is not None else f"Forecast of curve {self.index}"
        if self.error is not None:
            return SummaryTable(title, ("error",), [(self.error,)], (), ("error",))
        level = max(self.intervals, default=None)
        header = ["size", "mean"] + ([] if level is None else [f"{100 * level:g} % interval"])
        rows = [
            [format_size(size), format_score(mean, self.decimals)]
            for size, mean in zip(self.sizes, self.mean, strict=True)
        ]
        if level is not None:
            for row, low, high in zip(rows, *self.intervals[level], strict=True):
                row.append(format_score_interval(low, high, self.decimals))
        return SummaryTable(title, header, rows, self._all_notes())


def forecast_many(
    curves: Iterable[LearningCurve] | Mapping[Any, LearningCurve],
    sizes: ArrayLike | None = None,
    model: APExGP | None = None,
    levels: Sequence[float] = LEVELS,
    n_jobs: int | None = None,
    *,
    times: ArrayLike | None = None,
    of: Quantity = "new_splits",
    target: float | None = None,
    confidence: float = CONFIDENCE,
) -> Iterator[CurveForecast]:
    """Forecast many curves, at the same sizes or at multiples of each one's own largest.

    Parameters
    ----------
    curves
        Curves, or a mapping to them such as `read(path).curves`. An iterable is consumed as results are taken.
    sizes
        Training-set sizes, the same for all.
    model
        Settings to use for every curve; by default `APExGP()`. It is not fitted itself.
    levels
        Levels of the intervals.
    n_jobs
        Processes, as joblib counts them; `joblib.parallel_config(backend="dask")` spreads the work over a cluster.
    times
        Multiples of each curve's own largest size; in addition to `sizes`, or instead. By default 2, 10 and 50 where no
        sizes are given.
    of
        What is forecast, as for `model.forecast`.
    target, confidence
        Score to reach, and with what probability: also give the number of examples that takes, as `model.required_size`
        does.

    Yields
    ------
    CurveForecast
        One for each curve, in order. A curve that cannot be forecast has `error` set.

    Notes
    -----
    Results come one by one, each computed when it is taken and none kept, so that there may be more curves than fit
    into memory. `list(...)` takes them all; to go over them twice, keep that list.

    Examples
    --------
    >>> from apexgp import LearningCurve
    >>> liver = LearningCurve([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    >>> for found in forecast_many({"liver": liver}, times=[2]):
    ...     print(found.task, found.sizes, found.mean.round(2))
    liver [720.] [0.83]
    """
    check_choice("of", of, get_args(Quantity))
    asked = _Asked(
        sizes=np.empty(0) if sizes is None else check_sizes("sizes", sizes),
        times=_multiples(DEFAULT_TIMES if sizes is None and times is None else () if times is None else times),
        levels=tuple(
            check_probability("levels", level)
            for level in np.atleast_1d(check_real_array("levels", levels)).ravel().tolist()
        ),
        of=of,
        target=None if target is None else check_real_number("target", target),
        confidence=check_probability("confidence", confidence),
    )
    settings = APExGP() if model is None else model
    if not isinstance(settings, APExGP):
        raise RequestError(f"must be an APExGP, got {type(settings).__name__}.", argument="model")
    try:
        items = curves.items() if isinstance(curves, Mapping) else ((None, curve) for curve in iter(curves))
    except TypeError:
        raise RequestError(
            f"must be several, or a mapping to them, got {format_value(curves)}.", argument="curves"
        ) from None
    chunks = _chunks(enumerate(items))
    from joblib import delayed

    work = (delayed(_forecast_chunk)(chunk, asked, clone(settings)) for chunk in chunks)
    from ...running.processes import run_in_order

    return (forecast for chunk in run_in_order(work, n_jobs) for forecast in chunk)


@dataclass(frozen=True)
class _Asked:
    """The question that is put to every curve."""

    sizes: FloatArray
    times: FloatArray
    levels: tuple[float, ...]
    of: Quantity
    target: float | None
    confidence: float

    def of_curve(self, largest: float) -> FloatArray:
        """The sizes to forecast: the common ones as they were given, then the multiples."""
        return np.append(self.sizes, self.times * largest)


def _multiples(times: ArrayLike) -> FloatArray:
    values = np.atleast_1d(check_real_array("times", times))
    for value in values.ravel().tolist():
        check_positive("times", value)
    return values.ravel()


def _chunks(items: Iterable[Any]) -> Iterator[list[Any]]:
    """Chunks of an iterable; where reading fails, the items before are given out first."""
    chunk: list[Any] = []
    failed: Exception | None = None
    count = 0
    try:
        for item in items:
            chunk.append(item)
            count += 1
            if len(chunk) == _CHUNK:
                yield chunk
                chunk = []
    except Exception as problem:  # the caller's own iterator
        failed = problem
    if chunk:
        yield chunk
    if failed is not None:
        raise DataError(
            f"could not be read beyond the first {count} ({type(failed).__name__}: {failed}).", argument="curves"
        ) from failed


def _forecast_chunk(
    chunk: Sequence[tuple[int, tuple[object, LearningCurve]]], asked: _Asked, settings: APExGP
) -> list[CurveForecast]:
    """Forecast some curves, those of the same structure together."""
    models = fit_together(settings, [curve for _, (_, curve) in chunk])
    results = []
    for (index, (key, curve)), model in zip(chunk, models, strict=True):
        task = key if key is not None else getattr(curve, "task", None)
        largest = float(curve.largest) if isinstance(curve, LearningCurve) else math.nan
        try:
            if isinstance(model, ApexError):
                raise model
            results.append(_summary(index, task, model, asked))
        except BREAKDOWNS as problem:
            why = str(wrap_breakdown(problem))
            results.append(CurveForecast(index, task, np.empty(0), largest=largest, error=why))
    return results


def _summary(index: int, task: object, model: CurveEstimator, asked: _Asked) -> CurveForecast:
    largest = model.curve_.largest
    forecast = model.forecast(asked.of_curve(largest), of=asked.of)
    required = None if asked.target is None else model.required_size(asked.target, asked.confidence)
    more = () if required is None else required.cautions
    return CurveForecast(
        index,
        task,
        forecast.sizes,
        forecast.mean,
        forecast.median,
        forecast.std,
        largest,
        {level: forecast.interval(level) for level in asked.levels},
        required,
        tuple(dict.fromkeys((*forecast.cautions, *more))),
        decimals=forecast.count_decimals(max(asked.levels, default=LEVEL)),
    )


def answer_batch(question: ForecastQuestion, curves: Mapping[str | None, LearningCurve], model: APExGP) -> BatchAnswer:
    """Forecast every curve, with a bar that shows how far it is."""
    every = forecast_many(
        curves,
        question.at.sizes or None,
        model,
        levels=(question.level,),
        times=question.at.times or None,
        of=question.of,
        target=question.target,
        confidence=question.confidence,
    )
    found = []
    with progress_bar("tasks", len(curves)) as advance:
        for one in every:
            found.append(one)
            advance()
    metric = next(iter(curves.values())).metric_name
    return BatchAnswer(question, tuple(sorted(found, key=lambda one: _sorting_key(str(one.task)))), metric)


@dataclass(frozen=True, eq=False)
class BatchAnswer(QuestionAnswer):
    """The forecast of each curve of a batch, or why there is none, by their names as people sort them."""

    question: ForecastQuestion
    found: tuple[CurveForecast, ...]
    metric: str

    @property
    def failed(self) -> int:
        """How many curves could not be forecast."""
        return sum(one.error is not None for one in self.found)

    @property
    def introduction(self) -> str:  # type: ignore[override]
        """How many tasks there are."""
        return f"{len(self.found):,} tasks, each forecast on its own ({self.metric})."

    def document(self) -> BatchDocument:
        """Every curve of the batch."""
        asked = self.question
        by_task = ((str(one.task), one.cautions) for one in self.found)
        document: BatchDocument = {
            "schema": "urn:apexgp:batch:1",
            "apexgp": version("apexgp"),
            "level": asked.level,
            "tasks": [_task_facts(one, asked.level) for one in self.found],
            "failed": self.failed,
            "sentence": say_batch(self),
            "cautions": name_owners(by_task, len(self.found)),
        }
        if asked.target is not None:
            document["target"], document["confidence"] = asked.target, asked.confidence
        return document

    def table(self) -> Cells:
        """One row per task and size; what a task asks for, and what is wrong with it, stand in its first row."""
        level, target = self.question.level, self.question.target
        header = ["task", *list_forecast_columns(self.metric, level)]
        header += [] if target is None else [f"size for {target:g}"]
        rows = []
        for one in self.found:
            asked = [] if target is None else ["-" if one.required is None else format_required_size(one.required)]
            wrong = "; ".join(map(shorten_caution, one.cautions)) if one.error is None else _first_sentence(one.error)
            ends = one.intervals.get(level)
            cells = [["-"] * 4]
            if ends is not None:
                cells = build_forecast_cells(one.sizes, one.mean, ends, one.largest, one.decimals)
            rows += [
                [str(one.task), *row, *(asked if i == 0 else [""] * len(asked)), wrong if i == 0 else ""]
                for i, row in enumerate(cells)
            ]
        return [*header, "what is wrong"], rows

    def display(self, curves: Mapping[str | None, LearningCurve], model: APExGP) -> BatchDisplay:
        """A panel for each curve, fitted again: a batch keeps summaries, not models, and a picture has few tasks."""
        from .picture import BatchDisplay

        models = dict(zip(map(str, curves), fit_together(model, list(curves.values())), strict=True))
        drawn = {str(one.task): models[str(one.task)] for one in self.found}
        required = {str(one.task): one.required for one in self.found if one.required is not None}
        at = self.question.at_or_default
        return BatchDisplay.from_estimators(
            drawn, at.sizes, at.times, of=self.question.of, levels=self.question.bands, required=required
        ).plot()


def _sorting_key(name: str) -> tuple[tuple[float, str], ...]:
    """Order of names as people sort them: task 2 before task 10, a before B."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return tuple((float(part), "") if part.isdecimal() else (math.inf, part) for part in parts)


class ForecastRow(TypedDict):
    """The forecast at one size; with a target, the probability that the true expected score reaches it."""

    size: Size
    mean: float
    median: float
    std: NonNegative
    """Standard deviation of the forecast."""
    lower: float
    """Lower end of the interval with probability `level`."""
    upper: float
    """Upper end of that interval."""
    prob_target: NotRequired[Probability]
    """Probability that the true expected score at this size reaches the target."""
    promised: NotRequired[float]
    """The score that the true expected score at this size reaches with the probability `confidence`."""


class TaskFacts(TargetFacts):
    """One curve of a batch; `error` says why it has no forecast."""

    task: str | None
    largest: Size | None
    """Largest size of the pilot."""
    forecast: list[ForecastRow]
    wrong: list[str]
    """Reasons for doubt in brief, or the error."""
    cautions: list[str]
    error: str | None


class BatchDocument(Versioned, WithSentence):
    """`apexgp forecast --json`, of several curves."""

    schema: Literal["urn:apexgp:batch:1"]
    level: Probability
    """Probability of the intervals."""
    tasks: list[TaskFacts]
    failed: Count
    """Number of curves without a forecast."""
    target: NotRequired[float]
    confidence: NotRequired[Probability]


def _task_facts(found: CurveForecast, level: float) -> TaskFacts:
    ends = found.intervals.get(level)
    return {
        "task": None if found.task is None else str(found.task),
        "largest": to_json_value(found.largest),
        "forecast": [] if ends is None else build_forecast_rows(found.sizes, found.mean, found.median, found.std, ends),
        "wrong": [found.error] if found.error is not None else list(map(shorten_caution, found.cautions)),
        "cautions": list(found.cautions),
        "error": found.error,
        **describe_target(found.required),
    }


def build_forecast_rows(
    sizes: FloatArray, mean: FloatArray, median: FloatArray, std: FloatArray, ends: tuple[FloatArray, FloatArray]
) -> list[ForecastRow]:
    """One row per size. The level of the interval stands beside the rows, not in the names of its ends."""
    columns = (column.tolist() for column in (sizes, mean, median, std, *ends))
    return [
        {"size": size, "mean": expected, "median": middle, "std": spread, "lower": low, "upper": high}
        for size, expected, middle, spread, low, high in zip(*columns, strict=True)
    ]


def list_forecast_columns(metric: str, level: float) -> list[str]:
    """Names of the columns of a table of forecasts."""
    return ["size", "times pilot", f"expected {metric}", f"{100 * level:g} % interval"]


def build_forecast_cells(
    sizes: FloatArray, mean: FloatArray, ends: tuple[FloatArray, FloatArray], largest: float, decimals: int
) -> list[list[str]]:
    """Rows of such a table, by size."""
    return [
        [
            format_size(size),
            format_multiple(size / largest),
            format_score(expected, decimals),
            format_score_interval(low, high, decimals),
        ]
        for size, expected, low, high in sorted(zip(sizes.tolist(), mean, *ends, strict=True))
    ]


def _first_sentence(text: str) -> str:
    """The first sentence of an error; the rest says what to do, and is in the document."""
    return re.split(r"(?<=[.?]) (?=[A-Z])", text, maxsplit=1)[0]


def say_batch(answer: BatchAnswer) -> str:
    """How many tasks could be forecast, and which could not; and how far the target is."""
    failed = [str(one.task) for one in answer.found if one.error is not None]
    text = f"Of {len(answer.found):,} tasks, {len(answer.found) - len(failed):,} could be forecast"
    text += f"; {list_some(failed)} could not." if failed else "."
    asked = [(str(one.task), one.required) for one in answer.found if one.required is not None]
    if answer.question.target is None or not asked:
        return text
    met = [name for name, required in asked if required.already_met]
    more = [one for one in asked if not one[1].already_met and not one[1].is_out_of_reach]
    short = [(name, required) for name, required in asked if not required.already_met and required.is_out_of_reach]
    parts = [f"{list_some(met)} {'reaches' if len(met) == 1 else 'reach'} it with the data at hand"] if met else []
    parts += _more_needed(more)
    if short:
        chances = list_some([f"{required.at_best} for {name}" for name, required in short])
        parts.append(f"even with unlimited data the probability is {chances}")
    goal = f"a target of {answer.question.target:g} with a probability of {100 * answer.question.confidence:g} %"
    return f"{text} For {goal}: {'; '.join(parts)}."


def _more_needed(found: Sequence[tuple[str, RequiredSize]]) -> list[str]:
    """Sentence on the smallest and the largest size that tasks need."""
    if not found:
        return []
    by_size = sorted(found, key=lambda one: one[1].size)
    sizes = [f"{format_required_size(required)} examples" for _, required in (by_size[0], by_size[-1])]
    if len(found) == 1:
        return [f"{by_size[0][0]} needs {sizes[0]}"]
    return [f"{len(found):,} tasks need more, from {sizes[0]} ({by_size[0][0]}) to {sizes[1]} ({by_size[-1][0]})"]
