"""The paper's experiment on one's own embeddings: what is said of its result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal, NotRequired, TypedDict

from ..._answer import to_rows
from ..._numbers import format_size
from ...files.writing import to_json_value
from ...question_base.citations import list_method_sources
from ...question_base.documents import Count, Json, NonNegative, Size, Versioned, WithMethodsText, word_answer
from ...question_base.phrases import join_words
from ...question_base.question import Cells, QuestionAnswer
from ...reading.names import metric_name
from ...replication.result import ExperimentResult, RangeFigure
from ...replication.settings import EXPERIMENT_METHODS, DenseRuns

__all__ = ["ExperimentAnswer", "ExperimentDocument"]


class MeasuredFacts(TypedDict):
    """A curve of an experiment."""

    sizes: list[Size]
    means: list[float]
    splits: list[Count]
    """Number of splits at each size."""


class TableFacts(TypedDict):
    """A table as a paper sets it."""

    caption: str
    header: list[str]
    rows: list[list[str]]


class ExperimentDocument(Versioned, WithMethodsText):
    """`apexgp experiment --json`."""

    schema: Literal["urn:apexgp:experiment:1"]
    experiment: dict[str, Json]
    """What the configuration says."""
    curves: dict[str, MeasuredFacts]
    """By task."""
    figures: list[dict[str, Json]]
    """How each method did within each range of sizes."""
    dense: list[dict[str, Json]]
    """Coverage where a size was measured many times."""
    tables: dict[str, TableFacts]
    fits: Count
    """Models trained."""
    seconds: NonNegative
    notes: list[str]
    files: NotRequired[list[str]]
    """Names of the files beside it, where it is the `experiment.json` of a folder."""


@dataclass(frozen=True, eq=False)
class ExperimentAnswer(QuestionAnswer):
    """The result of an experiment, with the last of its tables to close with."""

    result: ExperimentResult

    @property
    def introduction(self) -> str:  # type: ignore[override]
        """The caption of the last table."""
        return self.result.tables[-1].caption

    def document(self) -> ExperimentDocument:
        """The settings of the experiment, its curves, and how each method fared."""
        result = self.result
        told = {name: value for name, value in vars(result.experiment).items() if name != "text"}
        measured = {task: curve.replicates for task, curve in result.curves.items()}
        sources: tuple[str, ...] = ("harvey", *list_method_sources(result.experiment.methods))
        said = word_answer(say_experiment(result), write_experiment_methods(result), result.cautions, sources)
        return {
            "schema": "urn:apexgp:experiment:1",
            "apexgp": version("apexgp"),
            "experiment": to_json_value(
                told, lambda value: vars(value) if isinstance(value, DenseRuns) else str(value)
            ),
            "curves": {
                task: {"sizes": one.sizes.tolist(), "means": one.mean.tolist(), "splits": one.count.tolist()}
                for task, one in measured.items()
            },
            "figures": to_rows(result.to_dict("ranges")),
            "dense": to_rows(result.to_dict("dense")),
            "tables": {
                table.name: {
                    "caption": table.caption,
                    "header": list(table.header),
                    "rows": [list(row) for row in table.rows],
                }
                for table in result.tables
            },
            "fits": result.n_fits,
            "seconds": round(result.seconds, 1),
            "notes": list(result.notes),
            "sentence": said["sentence"],
            "methods_text": said["methods_text"],
            "cautions": said["cautions"],
        }

    def table(self) -> Cells:
        """The last table of the paper's."""
        last = self.result.tables[-1]
        return list(last.header[1:]), [list(row[1:]) for row in last.rows]


def say_experiment(result: ExperimentResult) -> str:
    """How the methods fared over each range."""
    said = [_say_range(result, extent) for extent in result.experiment.ranges]
    return " ".join(sentence for sentence in said if sentence) or "No method produced a forecast."


def _say_range(result: ExperimentResult, extent: str) -> str:
    own = [one for one in result.figures if one.range == extent and one.method in EXPERIMENT_METHODS]
    errors = _average(own, lambda one: one.rmse)
    if not errors:
        return ""
    tasks = len({one.task for one in own})
    measured = _list_measured_sizes(result, result.experiment.ranges[extent])
    reach = f"{measured[0]:,} to {measured[-1]:,}" if len(measured) > 1 else f"{measured[0]:,}"
    closest = min(errors, key=lambda method: errors[method])
    text = (
        f"{extent.capitalize()} range ({reach} training examples, from a pilot of "
        f"{_list_pilot_sizes(result)[-1]}; {tasks} label{'s' * (tasks > 1)}): {_name_method(closest)} has the lowest "
        f"RMSE, {100 * errors[closest]:.2f} points"
    )
    likelihoods = _average(own, lambda one: one.likelihood)
    if likelihoods:
        likeliest = max(likelihoods, key=lambda method: likelihoods[method])
        which = "and" if likeliest == closest else _name_method(likeliest)
        text += f", {which} the highest quantized likelihood, {100 * likelihoods[likeliest]:.0f} %"
        held = join_words([_count_held(method, own) for method in likelihoods])
        text += f"; of the measured scores, the {100 * result.experiment.level:g} % intervals covered {held}"
    return f"{text}."


def _list_measured_sizes(result: ExperimentResult, sizes: Sequence[int]) -> list[int]:
    """Those of the sizes that any task has a score at: data may be too few for all."""
    return [size for size in sizes if any(size in curve.sizes for curve in result.curves.values())]


def _list_pilot_sizes(result: ExperimentResult) -> list[str]:
    """The sizes that were fitted to."""
    largest = result.experiment.pilot[-1]
    return [
        format_size(size)
        for size in sorted({n for curve in result.curves.values() for n in curve.sizes if n <= largest})
    ]


def _average(figures: Sequence[RangeFigure], of: Callable[[RangeFigure], float]) -> dict[str, float]:
    """Mean over the tasks, of the methods that have a figure for each."""
    found = {}
    for method in dict.fromkeys(one.method for one in figures):
        values = [of(one) for one in figures if one.method == method]
        if not any(map(math.isnan, values)):
            found[method] = sum(values) / len(values)
    return found


def _count_held(method: str, figures: Sequence[RangeFigure]) -> str:
    own = [one for one in figures if one.method == method]
    held = sum(round(one.coverage * one.sizes) for one in own)
    return f"{held} of {sum(one.sizes for one in own)} ({_name_method(method)})"


def _name_method(method: str) -> str:
    return EXPERIMENT_METHODS[method].heading


def write_experiment_methods(result: ExperimentResult) -> str:
    """Paragraph about an experiment."""
    told = result.experiment
    heads = {
        "2D": "logistic regression on embeddings",
        "3D": "the mean over slices of a logistic regression",
        "tuned": "tuned logistic regression",
    }
    train, validation, test = (f"{10 * share:g}" for share in told.ratio)
    measured = {name: _list_measured_sizes(result, sizes) for name, sizes in told.ranges.items()}
    ranges = join_words([f"{name}-range sizes of {join_words(sizes)}" for name, sizes in measured.items() if sizes])
    return (
        f"The experiment of Harvey et al. (2023) was run on {told.name} with apexgp {version('apexgp')}. In each of "
        f"{told.n_splits} random splits{' by patient' if told.patients else ''} ({train}:{validation}:{test} into "
        f"train, validation and test), {heads[told.head]} was fitted to nested training sets, tuned on validation and "
        f"scored on test ({metric_name(told.metric)}). At {join_words(_list_pilot_sizes(result))} training examples, "
        f"{_say_fitted(told.methods)}, with a highest possible score of {told.ceiling:g}; all were judged at {ranges}. "
        f"{say_experiment(result)}"
    )


def _say_fitted(methods: Sequence[str]) -> str:
    """Sentence on the data that each method was fitted to."""
    to = {"the mean scores": False, "the scores of the individual splits": True}
    own = {
        what: [one for one in methods if EXPERIMENT_METHODS[one].single_scores is single] for what, single in to.items()
    }
    said = [
        f"{join_words(map(_name_method, those))} {'was' if len(those) == 1 else 'were'} fitted to {what}"
        for what, those in own.items()
        if those
    ]
    return " and ".join(said)
