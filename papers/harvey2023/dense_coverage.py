"""Coverage of 100 replicates at 5k, 10k and 20k, 95 and 80 %, with and without priors (Table 3, appendix G)."""

from __future__ import annotations

from collections.abc import Sequence

from apexgp.experiment import dense_coverage

from .data import DENSE_SIZES, SPLITS_AVERAGED, TASKS
from .methods import Fits, interval_kind
from .printed import Value, printed
from .tables import FORECASTS, Cell, by_task, seed_of

NAME, DIGITS = "dense_coverage", 1
TITLE = "Dense coverage, per cent"


def cells(fits: Fits, rounds: int, seed: int) -> list[Cell]:
    """Every printed coverage, and ours. All methods and both levels are judged by the same rounds."""
    found = []
    seeds: dict[tuple[str, int], int] = {}
    for place, values in printed(NAME):
        task, size = TASKS[place["label"]], int(place["size"])
        runs = fits.results.dense(task)[:, DENSE_SIZES.index(size)]
        drawn = {"rounds": rounds, "seed": seeds.setdefault((task.label, size), seed_of(seed, len(seeds)))}
        for method, value in values.items():
            ours = {}
            for column in ("remade", "written", "default"):
                forecast = fits.of_new_splits(column, method, task, [size])
                lower, upper = forecast.interval(int(place["level"]) / 100, interval_kind(column))
                share, deviation = dense_coverage((lower[0], upper[0]), runs, SPLITS_AVERAGED, **drawn)
                ours[column] = Value(100 * share, 100 * deviation)
            found.append(Cell(NAME, place, method, {"printed": value, **ours}))
    return found


def tables(found: Sequence[Cell]) -> dict[str, str]:
    """Markdown by heading: a table a level and size."""
    made = {}
    for level, size in dict.fromkeys((cell.place["level"], cell.place["size"]) for cell in found):
        own = [cell for cell in found if (cell.place["level"], cell.place["size"]) == (level, size)]
        columns = FORECASTS
        if any(cell.method == "gp_power_law_without_priors" for cell in own):
            without = "gp_power_law_without_priors"
            columns = [(without, "printed", "no priors: printed"), (without, "remade", "remade"), *columns]
        made[f"{level} % interval at {int(size):,} training samples"] = by_task(own, columns, DIGITS)
    return made
