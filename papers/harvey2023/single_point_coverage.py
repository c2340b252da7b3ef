"""Share of the later mean scores that lie in the 95 % interval (appendix H)."""

from __future__ import annotations

from collections.abc import Sequence

from apexgp import metrics

from .data import TASKS
from .methods import Fits, interval_kind
from .printed import Value, printed
from .tables import FORECASTS, Cell, by_task

NAME, DIGITS = "single_point_coverage", 1
TITLE = "Single-point coverage of the 95 % interval, per cent"


def cells(fits: Fits) -> list[Cell]:
    """Every printed coverage, and ours."""
    found = []
    for place, values in printed(NAME):
        task = TASKS[place["label"]]
        later = fits.results.later(task, place["range"]).replicates
        for method, value in values.items():
            ours = {}
            for column in ("remade", "written", "default"):
                forecast = fits.of_the_same_splits(column, method, task, later.sizes)
                share = metrics.coverage(forecast, later.mean, 0.95, interval_kind(column))
                ours[column] = Value(100 * float(share))
            found.append(Cell(NAME, place, method, {"printed": value, **ours}))
    return found


def tables(found: Sequence[Cell]) -> dict[str, str]:
    """Markdown by heading: a table a range."""
    return {
        f"{extent.capitalize()} range": by_task([c for c in found if c.place["range"] == extent], FORECASTS, DIGITS)
        for extent in ("short", "long")
    }
