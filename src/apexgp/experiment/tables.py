"""The tables of the paper, of an experiment: errors, likelihoods with deviations, coverage."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._numbers import exactly
from .._tables import as_csv
from .configuration import Experiment
from .methods import EXPERIMENT_METHODS

if TYPE_CHECKING:
    from .result import DenseFigure, RangeFigure

__all__ = ["PaperTable", "paper_tables"]

_NONE = "—"


@dataclass(frozen=True)
class PaperTable:
    """A table as the paper has it.

    Attributes
    ----------
    name : str
        For its file.
    caption : str
        What it shows.
    header : tuple of str
        Names of the columns; the first two are the data set and the label.
    rows : tuple of tuples of str
        Cells as they are printed.
    bold : frozenset of (int, int)
        Row and column of the cells that are clearly best: whose interval, mean and deviation, lies above all others.
    """

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bold: frozenset[tuple[int, int]] = frozenset()

    def as_markdown(self) -> str:
        """The caption and the table."""
        lines = [
            f"**{self.caption}**",
            "",
            _line(self.header),
            _line(["---", "---", *["---:"] * (len(self.header) - 2)]),
        ]
        for i, row in enumerate(self.rows):
            lines.append(_line([f"**{cell}**" if (i, j) in self.bold else cell for j, cell in enumerate(row)]))
        return "\n".join(lines) + "\n"

    def as_csv(self) -> str:
        """The cells, with the data set in every row."""
        columns = dict(zip(self.header, map(list, zip(*self.rows, strict=True)), strict=True))
        columns[self.header[0]] = [self.rows[0][0]] * len(self.rows)
        return as_csv(columns)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def paper_tables(
    experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure], dense: Sequence[DenseFigure]
) -> tuple[PaperTable, ...]:
    """All tables that there are figures for."""
    made = [_errors(experiment, tasks, figures, extent) for extent in experiment.ranges]
    if any(not math.isnan(one.coverage) for one in figures):
        made += [_likelihoods(experiment, tasks, figures), _single_points(experiment, tasks, figures)]
    made += [_dense(experiment, tasks, dense, level) for level in dict.fromkeys(one.level for one in dense)]
    return tuple(made)


def _errors(experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure], extent: str) -> PaperTable:
    found = {(one.task, one.method): one for one in figures if one.range == extent}
    rows = _rows(
        experiment,
        tasks,
        [
            lambda task, method=method: _number(found[task, method].rmse) if (task, method) in found else _NONE
            for method in experiment.methods
        ],
    )
    return PaperTable(
        f"rmse_{extent}",
        f"{_metric(experiment)} RMSE (times 100) for {extent}-range extrapolations.",
        ("Dataset", "Label", *(EXPERIMENT_METHODS[method].heading for method in experiment.methods)),
        rows,
    )


def _likelihoods(experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure]) -> PaperTable:
    found = {(one.range, one.task, one.method): one for one in figures}
    forecasting = _forecasting(experiment, figures)
    nearest = next(iter(experiment.ranges))
    asked = [(nearest, "baseline"), *((extent, method) for extent in experiment.ranges for method in forecasting)]
    cells = [
        [
            (one.likelihood, one.likelihood_sd) if (one := found.get((extent, task, method))) else (math.nan, math.nan)
            for extent, method in asked
        ]
        for task in tasks
    ]
    header = ["Baseline", *(f"{extent}: {EXPERIMENT_METHODS[method].heading}" for extent, method in asked[1:])]
    bold = set()
    for i, row in enumerate(cells):
        for first in range(1, len(asked), len(forecasting) or 1):  # the methods of one range stand together
            group = range(first, first + len(forecasting))
            bold |= {(i, j + 2) for j in group if _clearly_best(row[j], [row[k] for k in group if k != j])}
    return PaperTable(
        "likelihood",
        f"Quantized likelihood at held-out pairs, with Delta = {experiment.delta:g}. Deviations are of "
        f"{experiment.rounds:,} bootstrap rounds that choose the splits to average over. The baseline is uniform from "
        "the lowest mean score of the pilot to the highest score that is possible.",
        ("Dataset", "Label", *header),
        tuple(
            (experiment.name if i == 0 else "", task, *(_percent(*cell) for cell in row))
            for i, (task, row) in enumerate(zip(tasks, cells, strict=True))
        ),
        frozenset(bold),
    )


def _clearly_best(cell: tuple[float, float], others: Sequence[tuple[float, float]]) -> bool:
    """Whether the interval of one lies above those of all others."""
    return bool(others) and all(cell[0] - cell[1] > other[0] + other[1] for other in others)


def _single_points(experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure]) -> PaperTable:
    found = {(one.range, one.task, one.method): one.coverage for one in figures}
    asked = [(extent, method) for extent in experiment.ranges for method in _forecasting(experiment, figures)]
    rows = _rows(
        experiment,
        tasks,
        [
            lambda task, extent=extent, method=method: _percent(found.get((extent, task, method), math.nan))
            for extent, method in asked
        ],
    )
    return PaperTable(
        "coverage",
        f"Single point coverage for {100 * experiment.level:g} % intervals.",
        ("Dataset", "Label", *(f"{extent}: {EXPERIMENT_METHODS[method].heading}" for extent, method in asked)),
        rows,
    )


def _dense(experiment: Experiment, tasks: Sequence[str], dense: Sequence[DenseFigure], level: float) -> PaperTable:
    found = {(one.task, one.size, one.method): one for one in dense if one.level == level}
    asked = list(dict.fromkeys((one.size, one.method) for one in sorted(dense, key=lambda one: one.size)))
    runs = {one.runs for one in dense}
    rows = _rows(
        experiment,
        tasks,
        [
            lambda task, size=size, method=method: (
                _percent(one.coverage, one.coverage_sd) if (one := found.get((task, size, method))) else _NONE
            )
            for size, method in asked
        ],
    )
    assert experiment.dense is not None
    return PaperTable(
        f"dense_coverage_{100 * level:g}",
        f"Coverage of {100 * level:g} % intervals, from {exactly(max(runs) // experiment.dense.group)} means of "
        f"{experiment.dense.group} runs at each size. Deviations are of {experiment.rounds:,} rounds that choose the "
        "runs to average over.",
        ("Dataset", "Label", *(f"{exactly(size)}: {EXPERIMENT_METHODS[method].heading}" for size, method in asked)),
        rows,
    )


def _rows(
    experiment: Experiment, tasks: Sequence[str], columns: Sequence[Callable[[str], str]]
) -> tuple[tuple[str, ...], ...]:
    """The data set stands in its first row, as in the paper."""
    return tuple(
        (experiment.name if i == 0 else "", task, *(cell(task) for cell in columns)) for i, task in enumerate(tasks)
    )


def _forecasting(experiment: Experiment, figures: Sequence[RangeFigure]) -> list[str]:
    """The methods that give distributions."""
    sure = {one.method for one in figures if not math.isnan(one.coverage)}
    return [method for method in experiment.methods if method in sure]


def _metric(experiment: Experiment) -> str:
    from .._known_metrics import metric_name

    return metric_name(experiment.metric)


def _number(value: float) -> str:
    return _NONE if math.isnan(value) else f"{100 * value:.3f}"


def _percent(value: float, deviation: float | None = None) -> str:
    if math.isnan(value):
        return _NONE
    return f"{100 * value:.1f} %" if deviation is None else f"{100 * value:.1f} ± {100 * deviation:.1f} %"
