"""Where the remade numbers leave the printed ones by more than the tolerance, and the known reason."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .methods import METHODS
from .tables import Cell, markdown

TOLERANCE = {"rmse": 0.03, "likelihood": 2.5, "dense_coverage": 2.0, "single_point_coverage": 0.05}
"""In the units of each table: hundredths of AUROC, and per cent."""

_NAMES = {
    "rmse": "RMSE x 100",
    "likelihood": "quantized likelihood, %",
    "dense_coverage": "dense coverage, %",
    "single_point_coverage": "single-point coverage, %",
}

_UNSEEDED = (
    "The released code draws its prior on sigma at random, without a seed: another one in every run. Cells like this "
    "one move with it."
)
_RIDGE = (
    "Many limits of the curve fit this pilot equally well. The authors' search stopped on the ridge; ours goes to its "
    "end, where eps = 0."
)
_RIDGE_AGAIN = "The ridge of the power law by least squares, which this fit is: without priors sigma vanishes."
_WHITE = (
    "At the optimum lambda vanishes, so that sigma is one more noise that five scores say little about. The authors' "
    "search ended with a slightly narrower interval."
)
_AT_THE_END = "One of the five scores lies 0.0002 outside the interval."
_REASONS = {
    ("Atelectasis", "power_law"): _RIDGE,
    ("Atelectasis", "gp_power_law_without_priors"): _RIDGE_AGAIN,
    ("A2C", "gp_power_law"): _WHITE,
}


def reason(cell: Cell) -> str:
    """Why a cell cannot be expected to come out as printed."""
    if (cell.table, cell.label) == ("single_point_coverage", "Infiltration"):
        return _AT_THE_END
    return _REASONS.get((cell.label, cell.method), _UNSEEDED)


def beyond_tolerance(cells: Sequence[Cell]) -> list[Cell]:
    """Cells that differ by more than the tolerance of their table, the largest differences of a table first."""
    far = [cell for cell in cells if abs(cell.difference) > TOLERANCE[cell.table]]
    order = list(TOLERANCE)
    return sorted(far, key=lambda cell: (order.index(cell.table), -abs(cell.difference)))


def table(cells: Sequence[Cell]) -> str:
    """The list as Markdown, with the reasons below it."""
    far = beyond_tolerance(cells)
    reasons = list(dict.fromkeys(map(reason, far)))
    rows = []
    for cell in far:
        printed, remade = (cell.values[column].mean for column in ("printed", "remade"))
        digits = 3 if cell.table == "rmse" else 1
        numbers = [f"{printed:.{digits}f}", f"{remade:.{digits}f}", f"{cell.difference:+.{digits}f}"]
        which = str(1 + reasons.index(reason(cell)))
        rows.append([_NAMES[cell.table], where(cell), METHODS[cell.method], *numbers, which])
    header = ["table", "where", "method", "printed", "remade", "difference", "reason"]
    told = [f"{number}. {words}" for number, words in enumerate(reasons, start=1)]
    return markdown(header, rows, words=3) + "\n\n" + "\n".join(told)


def agreement(cells: Sequence[Cell]) -> str:
    """How near the remade numbers of each table are to the printed ones, as Markdown."""
    rows = []
    for name, tolerance in TOLERANCE.items():
        gaps = np.abs([cell.difference for cell in cells if cell.table == name])
        near = f"{(gaps <= tolerance).sum()} of {len(gaps)}"
        rows.append([_NAMES[name], f"{tolerance:g}", near, f"{gaps.mean():.3f}", f"{gaps.max():.2f}"])
    header = ["table", "tolerance", "cells within it", "mean absolute difference", "largest"]
    return markdown(header, rows)


def where(cell: Cell) -> str:
    """Place of a cell in words."""
    if cell.table == "dense_coverage":
        return f"{cell.label}, {cell.place['level']} % at {int(cell.place['size']) // 1000}k"
    return f"{cell.label}, {cell.place['range']} range"
