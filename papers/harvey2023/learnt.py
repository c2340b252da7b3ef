"""Our default with priors learnt from the paper's other data sets, beside the default and the published method.

One data set is left out at a time; priors are learnt from whole curves of the other five, the long ones where there are
such. The likelihoods are those of the paper's own table, by the same rounds.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from apexgp import APExGP, Forecast, learn_beliefs
from apexgp.experiment import bootstrapped_likelihood
from apexgp.priors import Beliefs

from . import likelihood
from .data import LARGE, TASKS
from .methods import Fits
from .printed import printed
from .tables import markdown, seed_of

NAME = "learnt"
TITLE = "With priors learnt from the other data sets"
ORIGIN = (
    "Quantized likelihood of the later scores within 0.01, how many of their means the 95 % interval covers, and its "
    "mean width. Priors are learnt from the whole curves of the other five data sets"
)
METHODS = {"published": "GP power law, remade", "default": "our default", "learnt": "learnt"}
_FIGURES = {"likelihood": 1, "covered": 0, "width": 3}
"""Figures, and the digits of their means: quantized likelihood in per cent, points in the 95 % interval, its width."""


@dataclass(frozen=True)
class Row:
    """Figures of one task in one range, by method."""

    extent: str
    label: str
    points: int
    figures: Mapping[str, Mapping[str, float]]


def rows(fits: Fits, rounds: int, seed: int) -> list[Row]:
    """Every task and range of the paper's table of likelihoods."""
    learnt = {dataset: _learnt_without(fits, dataset) for dataset in {task.dataset for task in TASKS.values()}}
    found = []
    for number, (place, _) in enumerate(printed(likelihood.NAME)):
        task = TASKS[place["label"]]
        later = fits.results.later(task, place["range"])
        sizes = later.replicates.sizes
        own = APExGP(ceiling=task.ceiling, priors=learnt[task.dataset]).fit(fits.results.pilot(task))
        forecasts = {
            "published": fits.of_the_same_splits("remade", "gp_power_law", task, sizes),
            "default": fits.of_the_same_splits("default", "", task, sizes),
            "learnt": own.forecast(sizes, of="same_splits"),
        }
        scores = [later.scores[later.sizes == size] for size in sizes]
        drawn = {"rounds": rounds, "seed": seed_of(seed, number)}
        figures = {
            method: {
                "likelihood": 100 * bootstrapped_likelihood(forecast, scores, likelihood.DELTA, **drawn)[0],
                **_interval(forecast, later.replicates.mean),
            }
            for method, forecast in forecasts.items()
        }
        found.append(Row(place["range"], task.label, len(sizes), figures))
    return found


def _learnt_without(fits: Fits, dataset: str) -> Beliefs:
    others = [task for task in TASKS.values() if task.dataset != dataset]
    return learn_beliefs(
        [fits.results.curve(task, "long" if task.dataset in LARGE else "short") for task in others], progress=False
    )


def _interval(forecast: Forecast, scores: np.ndarray) -> dict[str, float]:
    low, high = forecast.interval(0.95)
    return {"covered": float(((low <= scores) & (scores <= high)).sum()), "width": float((high - low).mean())}


def tables(found: Sequence[Row]) -> dict[str, str]:
    """Markdown by heading: a table a range."""
    return {
        f"{extent.capitalize()} range": _table([row for row in found if row.extent == extent])
        for extent in ("short", "long")
    }


def _table(own: Sequence[Row]) -> str:
    heads = [f"{what}: {name}" for what in ("likelihood, %", "covered", "95 % width") for name in METHODS.values()]
    lines = [
        [
            f"{row.label} ({row.points} sizes)",
            *(f"{row.figures[method][figure]:.{n}f}" for figure, n in _FIGURES.items() for method in METHODS),
        ]
        for row in own
    ]
    return markdown(["task", *heads], lines)


def summary(found: Sequence[Row]) -> str:
    """Means over the tasks of each range."""
    lines = []
    for extent in ("short", "long"):
        own = [row for row in found if row.extent == extent]
        points = sum(row.points for row in own)

        def mean(figure: str, method: str, own: list[Row] = own) -> float:
            return float(np.mean([row.figures[method][figure] for row in own]))

        covered = {method: int(sum(row.figures[method]["covered"] for row in own)) for method in METHODS}
        lines += [
            [f"quantized likelihood, {extent} range, %", *(f"{mean('likelihood', method):.1f}" for method in METHODS)],
            [f"mean scores in the 95 % interval, {extent} range", *(f"{covered[m]} of {points}" for m in METHODS)],
            [f"width of the 95 % interval, {extent} range", *(f"{mean('width', method):.3f}" for method in METHODS)],
        ]
    return markdown(["mean over the tasks", *METHODS.values()], lines)


def as_csv(found: Sequence[Row]) -> str:
    """A row a task, range and method."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["range", "label", "method", "points", *_FIGURES])
    for row in found:
        for method, figures in row.figures.items():
            numbers = [f"{figures[figure]:.{digits}f}" for figure, digits in _FIGURES.items()]
            writer.writerow([row.extent, row.label, method, row.points, *numbers])
    return text.getvalue()
