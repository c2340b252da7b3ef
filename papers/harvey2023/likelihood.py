"""Quantized likelihood, in per cent, with bootstrap deviations and the uniform baseline (Table 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from apexgp import LearningCurve, metrics

from .data import TASKS, Task
from .methods import Fits
from .printed import Value, printed
from .tables import Cell, by_task

NAME, DIGITS = "likelihood", 1
TITLE = "Quantized likelihood within 0.01, per cent"
DELTA = 0.01


def resampled(later: LearningCurve, rounds: int, rng: np.random.Generator) -> np.ndarray:
    """Mean scores of splits that are drawn anew with replacement at each size, shape (rounds, sizes)."""
    drawn = []
    for size in later.replicates.sizes:
        scores = later.scores[later.sizes == size]
        drawn.append(scores[rng.integers(len(scores), size=(rounds, len(scores)))].mean(axis=1))
    return np.stack(drawn, axis=1)


def cells(fits: Fits, rounds: int, seed: int) -> list[Cell]:
    """Every printed likelihood, and ours. All methods are judged by the same rounds."""
    found = []
    for number, (place, values) in enumerate(printed(NAME)):
        task = TASKS[place["label"]]
        later = fits.results.later(task, place["range"])
        y = resampled(later, rounds, np.random.default_rng([seed, number]))
        for method, value in values.items():
            ours = _baseline(fits, task) if method == "baseline" else _forecasts(fits, method, task, later, y)
            summed = {column: Value(100 * each.mean(), 100 * each.std()) for column, each in ours.items()}
            found.append(Cell(NAME, place, method, {"printed": value, **summed}))
    return found


def _baseline(fits: Fits, task: Task) -> dict[str, np.ndarray]:
    """A uniform distribution from the lowest pilot score to the ceiling.

    The printed one has no deviation, so it is the width alone: a score near an end counts as one within.
    """
    lowest = fits.results.pilot(task).replicates.mean.min()
    return {"remade": np.array([2 * DELTA / (task.ceiling - lowest)])}


def _forecasts(fits: Fits, method: str, task: Task, later: LearningCurve, y: np.ndarray) -> dict[str, np.ndarray]:
    found = {}
    for column in ("remade", "written", "default"):
        forecast = fits.of_the_same_splits(column, method, task, later.replicates.sizes)
        found[column] = metrics.quantized_likelihood(forecast, y, DELTA, axis=1)
    return found


def tables(found: Sequence[Cell]) -> dict[str, str]:
    """Markdown by heading: a table a range."""
    columns = [
        ("baseline", "printed", "uniform: printed"),
        ("baseline", "remade", "remade"),
        ("gp_power_law", "printed", "GP power law: printed"),
        ("gp_power_law", "remade", "remade"),
        ("gp_power_law", "written", "as written"),
        ("gp_arctan", "printed", "GP arctan: printed"),
        ("gp_arctan", "remade", "remade"),
        ("gp_arctan", "written", "as written"),
        ("gp_power_law", "default", "our default"),
    ]
    return {
        f"{extent.capitalize()} range": by_task([c for c in found if c.place["range"] == extent], columns, DIGITS)
        for extent in ("short", "long")
    }
