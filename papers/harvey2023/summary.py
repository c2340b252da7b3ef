"""What the tables say in few numbers: means over the tasks, column beside column."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .tables import FORECASTS, Cell, markdown

_GROUPS: dict[str, tuple[str, Callable[[Cell], bool], int]] = {
    "RMSE x 100, short range": ("rmse", lambda cell: cell.place["range"] == "short", 2),
    "RMSE x 100, long range": ("rmse", lambda cell: cell.place["range"] == "long", 2),
    "quantized likelihood, short range, %": ("likelihood", lambda cell: cell.place["range"] == "short", 1),
    "quantized likelihood, long range, %": ("likelihood", lambda cell: cell.place["range"] == "long", 1),
    "single points in the 95 % interval, short range, %": (
        "single_point_coverage",
        lambda cell: cell.place["range"] == "short",
        1,
    ),
    "single points in the 95 % interval, long range, %": (
        "single_point_coverage",
        lambda cell: cell.place["range"] == "long",
        1,
    ),
    "dense coverage of the 95 % interval, %": ("dense_coverage", lambda cell: cell.place["level"] == "95", 1),
    "dense coverage of the 80 % interval, %": ("dense_coverage", lambda cell: cell.place["level"] == "80", 1),
}


def summary(cells: Sequence[Cell]) -> str:
    """A row a figure, a column a method and column: means over all tasks (and sizes)."""
    rows = []
    for name, (table, belongs, digits) in _GROUPS.items():
        own = [cell for cell in cells if cell.table == table and belongs(cell)]
        means = [
            np.mean([cell.values[column].mean for cell in own if cell.method == method])
            for method, column, _ in FORECASTS
        ]
        rows.append([name, *(f"{mean:.{digits}f}" for mean in means)])
    return markdown(["mean over the tasks", *(heading for _, _, heading in FORECASTS)], rows)
