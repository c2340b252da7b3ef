"""Quantized likelihood, in per cent, with bootstrap deviations and the uniform baseline (Table 2)."""

from __future__ import annotations

from collections.abc import Sequence

from apexgp.experiment import bootstrapped_likelihood, uniform_likelihood

from .data import TASKS, Task
from .methods import Fits
from .printed import Value, printed
from .tables import FORECASTS, Cell, by_task, seed_of

NAME, DIGITS = "likelihood", 1
TITLE = "Quantized likelihood within 0.01, per cent"
DELTA = 0.01


def cells(fits: Fits, rounds: int, seed: int) -> list[Cell]:
    """Every printed likelihood, and ours. All methods are judged by the same rounds."""
    found = []
    for number, (place, values) in enumerate(printed(NAME)):
        task = TASKS[place["label"]]
        later, drawn = fits.results.later(task, place["range"]), {"rounds": rounds, "seed": seed_of(seed, number)}
        sizes = later.replicates.sizes
        scores = [later.scores[later.sizes == size] for size in sizes]
        for method, value in values.items():
            if method == "baseline":
                ours = {"remade": _baseline(fits, task)}
            else:
                forecasts = {
                    c: fits.of_the_same_splits(c, method, task, sizes) for c in ("remade", "written", "default")
                }
                ours = {
                    column: Value(*(100 * part for part in bootstrapped_likelihood(forecast, scores, DELTA, **drawn)))
                    for column, forecast in forecasts.items()
                }
            found.append(Cell(NAME, place, method, {"printed": value, **ours}))
    return found


def _baseline(fits: Fits, task: Task) -> Value:
    """A uniform distribution from the lowest pilot score to the ceiling; as printed, it has no deviation."""
    lowest = fits.results.pilot(task).replicates.mean.min()
    return Value(100 * uniform_likelihood(lowest, task.ceiling, DELTA), 0.0)


def tables(found: Sequence[Cell]) -> dict[str, str]:
    """Markdown by heading: a table a range."""
    columns = [
        ("baseline", "printed", "uniform: printed"),
        ("baseline", "remade", "remade"),
        *FORECASTS,
    ]
    return {
        f"{extent.capitalize()} range": by_task([c for c in found if c.place["range"] == extent], columns, DIGITS)
        for extent in ("short", "long")
    }
