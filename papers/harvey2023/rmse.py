"""Root mean squared errors, times 100: four methods, short and long range (appendix D)."""

from __future__ import annotations

from collections.abc import Sequence

from apexgp import metrics

from .data import TASKS
from .methods import Fits
from .printed import Value, printed
from .tables import Cell, by_task

NAME, DIGITS = "rmse", 3
TITLE = "Root mean squared error of AUROC, times 100"


def cells(fits: Fits) -> list[Cell]:
    """Every printed error, and ours."""
    found = []
    for place, values in printed(NAME):
        task, extent = TASKS[place["label"]], place["range"]
        later = fits.results.later(task, extent).replicates
        for method, value in values.items():
            ours = {
                column: Value(100 * float(metrics.rmse(fits.expected(column, method, task, later.sizes), later.mean)))
                for column in ("remade", "written", "default")
            }
            found.append(Cell(NAME, place, method, {"printed": value, **ours}))
    return found


def tables(found: Sequence[Cell]) -> dict[str, str]:
    """Markdown by heading: a table a range and mean function."""
    made = {}
    for extent in ("short", "long"):
        own = [cell for cell in found if cell.place["range"] == extent]
        for curve in ("power_law", "arctan"):
            name = curve.replace("_", " ")
            columns = [
                (curve, "printed", f"{name}: printed"),
                (curve, "remade", "remade"),
                (f"gp_{curve}", "printed", f"GP {name}: printed"),
                (f"gp_{curve}", "remade", "remade"),
                (f"gp_{curve}", "written", "as written"),
                (f"gp_{curve}", "default", "our default"),
            ]
            made[f"{extent.capitalize()} range, {name}"] = by_task(own, columns, DIGITS)
    return made
