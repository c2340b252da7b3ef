"""Coverage of 100 replicates at 5k, 10k and 20k, 95 and 80 %, with and without priors (Table 3, appendix G)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .data import DENSE_SIZES, SPLITS_AVERAGED, TASKS
from .methods import Fits, interval_kind
from .printed import Value, printed
from .tables import Cell, by_task

NAME, DIGITS = "dense_coverage", 1
TITLE = "Dense coverage, per cent"


def grouped(scores: np.ndarray, rounds: int, rng: np.random.Generator) -> np.ndarray:
    """Runs shuffled into groups of three, and the mean of each group: shape (rounds, groups)."""
    shuffled = rng.permuted(np.tile(scores, (rounds, 1)), axis=1)
    return shuffled.reshape(rounds, -1, SPLITS_AVERAGED).mean(axis=2)


def cells(fits: Fits, rounds: int, seed: int) -> list[Cell]:
    """Every printed coverage, and ours. All methods and both levels are judged by the same rounds."""
    replicates = _replicates(fits, rounds, seed)
    found = []
    for place, values in printed(NAME):
        task, size = TASKS[place["label"]], int(place["size"])
        y = replicates[task.label, size]
        for method, value in values.items():
            ours = {}
            for column in ("remade", "written", "default"):
                forecast = fits.of_new_splits(column, method, task, [size])
                lower, upper = forecast.interval(int(place["level"]) / 100, interval_kind(column))
                share = ((y >= lower) & (y <= upper)).mean(axis=1)
                ours[column] = Value(100 * share.mean(), 100 * share.std())
            found.append(Cell(NAME, place, method, {"printed": value, **ours}))
    return found


def _replicates(fits: Fits, rounds: int, seed: int) -> dict[tuple[str, int], np.ndarray]:
    found = {}
    for label in dict.fromkeys(place["label"] for place, _ in printed(NAME)):
        scores = fits.results.dense(TASKS[label])
        for i, size in enumerate(DENSE_SIZES):
            rng = np.random.default_rng([seed, len(found)])
            found[label, size] = grouped(scores[:, i], rounds, rng)
    return found


def tables(found: Sequence[Cell]) -> dict[str, str]:
    """Markdown by heading: a table a level and size."""
    made = {}
    for level, size in dict.fromkeys((cell.place["level"], cell.place["size"]) for cell in found):
        own = [cell for cell in found if (cell.place["level"], cell.place["size"]) == (level, size)]
        with_priors = [
            (method, column, f"{name}: {heading}" if column == "printed" else heading)
            for method, name in (("gp_power_law", "GP power law"), ("gp_arctan", "GP arctan"))
            for column, heading in (("printed", "printed"), ("remade", "remade"), ("written", "as written"))
        ]
        columns = [*with_priors, ("gp_power_law", "default", "our default")]
        if any(cell.method == "gp_power_law_without_priors" for cell in own):
            without = "gp_power_law_without_priors"
            columns = [(without, "printed", "no priors: printed"), (without, "remade", "remade"), *columns]
        made[f"{level} % interval at {int(size):,} training samples"] = by_task(own, columns, DIGITS)
    return made
