"""An experiment in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from ..._numbers import format_size
from ...reading.known_metrics import metric_name
from ...replication.configuration import Experiment
from ...replication.methods import EXPERIMENT_METHODS
from ...replication.result import ExperimentResult, RangeFigure
from .phrases import listed

__all__ = ["experiment_methods", "experiment_sentence", "shipped_lines", "stopped_sentence", "written_sentence"]


def experiment_sentence(result: ExperimentResult) -> str:
    """How the methods fared over each range."""
    said = [_range_sentence(result, extent) for extent in result.experiment.ranges]
    return " ".join(sentence for sentence in said if sentence) or "No method produced a forecast."


def _range_sentence(result: ExperimentResult, extent: str) -> str:
    own = [one for one in result.figures if one.range == extent and one.method in EXPERIMENT_METHODS]
    errors = _averages(own, lambda one: one.rmse)
    if not errors:
        return ""
    tasks = len({one.task for one in own})
    measured = _measured(result, result.experiment.ranges[extent])
    reach = f"{measured[0]:,} to {measured[-1]:,}" if len(measured) > 1 else f"{measured[0]:,}"
    closest = min(errors, key=lambda method: errors[method])
    text = (
        f"{extent.capitalize()} range ({reach} training examples, from a pilot of "
        f"{_pilot(result)[-1]}; {tasks} label{'s' * (tasks > 1)}): {_heading(closest)} has the lowest RMSE, "
        f"{100 * errors[closest]:.2f} points"
    )
    likelihoods = _averages(own, lambda one: one.likelihood)
    if likelihoods:
        likeliest = max(likelihoods, key=lambda method: likelihoods[method])
        which = "and" if likeliest == closest else _heading(likeliest)
        text += f", {which} the highest quantized likelihood, {100 * likelihoods[likeliest]:.0f} %"
        held = listed([_held(method, own) for method in likelihoods])
        text += f"; of the measured scores, the {100 * result.experiment.level:g} % intervals covered {held}"
    return f"{text}."


def _measured(result: ExperimentResult, sizes: Sequence[int]) -> list[int]:
    """Those of the sizes that any task has a score at: data may be too few for all."""
    return [size for size in sizes if any(size in curve.sizes for curve in result.curves.values())]


def _pilot(result: ExperimentResult) -> list[str]:
    """The sizes that were fitted to."""
    largest = result.experiment.pilot[-1]
    return [
        format_size(size)
        for size in sorted({n for curve in result.curves.values() for n in curve.sizes if n <= largest})
    ]


def _averages(figures: Sequence[RangeFigure], of: Callable[[RangeFigure], float]) -> dict[str, float]:
    """Mean over the tasks, of the methods that have a figure for each."""
    found = {}
    for method in dict.fromkeys(one.method for one in figures):
        values = [of(one) for one in figures if one.method == method]
        if not any(map(math.isnan, values)):
            found[method] = sum(values) / len(values)
    return found


def _held(method: str, figures: Sequence[RangeFigure]) -> str:
    own = [one for one in figures if one.method == method]
    held = sum(round(one.coverage * one.sizes) for one in own)
    return f"{held} of {sum(one.sizes for one in own)} ({_heading(method)})"


def _heading(method: str) -> str:
    return EXPERIMENT_METHODS[method].heading


def experiment_methods(result: ExperimentResult) -> str:
    """Paragraph about an experiment."""
    told = result.experiment
    heads = {
        "2D": "logistic regression on embeddings",
        "3D": "the mean over slices of a logistic regression",
        "tuned": "tuned logistic regression",
    }
    train, validation, test = (f"{10 * share:g}" for share in told.ratio)
    measured = {name: _measured(result, sizes) for name, sizes in told.ranges.items()}
    ranges = listed([f"{name}-range sizes of {listed(sizes)}" for name, sizes in measured.items() if sizes])
    return (
        f"The experiment of Harvey et al. (2023) was run on {told.name} with apexgp {version('apexgp')}. In each of "
        f"{told.n_splits} random splits{' by patient' if told.patients else ''} ({train}:{validation}:{test} into "
        f"train, validation and test), {heads[told.head]} was fitted to nested training sets, tuned on validation and "
        f"scored on test ({metric_name(told.metric)}). At {listed(_pilot(result))} training examples, "
        f"{_fitted(told.methods)}, with a highest possible score of {told.ceiling:g}; all were judged at {ranges}. "
        f"{experiment_sentence(result)}"
    )


def _fitted(methods: Sequence[str]) -> str:
    """Which methods were fitted to what."""
    to = {"the mean scores": False, "the scores of the individual splits": True}
    own = {
        what: [one for one in methods if EXPERIMENT_METHODS[one].single_scores is single] for what, single in to.items()
    }
    said = [
        f"{listed(map(_heading, those))} {'was' if len(those) == 1 else 'were'} fitted to {what}"
        for what, those in own.items()
        if those
    ]
    return " and ".join(said)


def written_sentence(folder: Path, pictures: bool) -> str:
    """Where everything is."""
    drawn = "" if pictures else " Pictures need matplotlib: pip install 'apexgp[plot]'."
    return f"Tables, curves{', pictures' if pictures else ''} and all figures are in {folder}.{drawn}"


def stopped_sentence(record: Path) -> str:
    """What an interrupted experiment leaves behind."""
    return f"Stopped. The finished fits are in {record}; the same command resumes from there."


def shipped_lines(experiments: dict[str, Experiment]) -> list[str]:
    """The experiments that ship, one per line, and what to do with them."""
    width = max(map(len, experiments))
    lines = []
    for name, one in experiments.items():
        tasks = list(one.tasks.values()) or list(one.labels)
        lines.append(f"{name:{width}}  {one.name}: {', '.join(tasks)} ({one.head} head, {one.n_splits} splits)")
    return [
        *lines,
        "`apexgp experiment NAME --embeddings FILE` runs one; `apexgp experiment NAME --write my.toml` writes it to a "
        "file for you to edit.",
    ]
