"""The tables of the paper, of an experiment: errors, likelihoods with deviations, coverage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING

from .._numbers import format_size
from ..reading.known_metrics import metric_name
from ..reading.spreadsheets import as_csv
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
    if any(not isnan(one.coverage) for one in figures):
        made += [_likelihoods(experiment, tasks, figures), _single_points(experiment, tasks, figures)]
    made += [_dense(experiment, tasks, dense, level) for level in dict.fromkeys(one.level for one in dense)]
    return tuple(made)


def _errors(experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure], extent: str) -> PaperTable:
    found = {(one.task, one.method): one.rmse for one in figures if one.range == extent}
    return PaperTable(
        f"rmse_{extent}",
        f"{metric_name(experiment.metric)} RMSE (times 100) for {extent}-range extrapolations.",
        ("Dataset", "Label", *(EXPERIMENT_METHODS[method].heading for method in experiment.methods)),
        _rows(experiment, tasks, lambda task: [_number(found.get((task, one), nan)) for one in experiment.methods]),
    )


def _likelihoods(experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure]) -> PaperTable:
    found = {(one.range, one.task, one.method): (one.likelihood, one.likelihood_sd) for one in figures}
    forecasting = _forecasting(experiment, figures)
    asked = [(extent, method) for extent in experiment.ranges for method in forecasting]
    bold = set()
    for i, task in enumerate(tasks):
        for j, (extent, method) in enumerate(asked):
            others = [found.get((extent, task, other), (nan, nan)) for other in forecasting if other != method]
            if _clearly_best(found.get((extent, task, method), (nan, nan)), others):
                bold.add((i, 3 + j))
    nearest = next(iter(experiment.ranges))
    columns = [(nearest, "baseline"), *asked]
    return PaperTable(
        "likelihood",
        f"Quantized likelihood at held-out pairs, with Delta = {experiment.delta:g}. Deviations are over "
        f"{experiment.rounds:,} bootstrap rounds that choose the splits to average over. The baseline is uniform from "
        "the lowest mean score of the pilot to the highest possible score.",
        ("Dataset", "Label", "Baseline", *_headings(asked)),
        _rows(
            experiment,
            tasks,
            lambda task: [_percent(*found.get((extent, task, method), (nan, nan))) for extent, method in columns],
        ),
        frozenset(bold),
    )


def _clearly_best(cell: tuple[float, float], others: Sequence[tuple[float, float]]) -> bool:
    """Whether the interval of one lies above those of all others."""
    return bool(others) and all(cell[0] - cell[1] > other[0] + other[1] for other in others)


def _single_points(experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure]) -> PaperTable:
    found = {(one.range, one.task, one.method): one.coverage for one in figures}
    asked = [(extent, method) for extent in experiment.ranges for method in _forecasting(experiment, figures)]
    return PaperTable(
        "coverage",
        f"Single point coverage of {100 * experiment.level:g} % intervals.",
        ("Dataset", "Label", *_headings(asked)),
        _rows(
            experiment,
            tasks,
            lambda task: [_percent(found.get((extent, task, method), nan)) for extent, method in asked],
        ),
    )


def _dense(experiment: Experiment, tasks: Sequence[str], dense: Sequence[DenseFigure], level: float) -> PaperTable:
    found = {(one.task, one.size, one.method): (one.coverage, one.coverage_sd) for one in dense if one.level == level}
    asked = list(dict.fromkeys((one.size, one.method) for one in sorted(dense, key=lambda one: one.size)))
    group = 1 if experiment.dense is None else experiment.dense.group
    return PaperTable(
        f"dense_coverage_{100 * level:g}",
        f"Coverage of {100 * level:g} % intervals, from {format_size(max(one.runs for one in dense) // group)} means "
        f"of {group} runs at each size. Deviations are over {experiment.rounds:,} rounds that choose the runs to "
        "average over.",
        ("Dataset", "Label", *_headings([(format_size(size), method) for size, method in asked])),
        _rows(
            experiment,
            tasks,
            lambda task: [_percent(*found.get((task, size, method), (nan, nan))) for size, method in asked],
        ),
    )


def _headings(columns: Sequence[tuple[str, str]]) -> list[str]:
    """A range or size with each method."""
    return [f"{extent}: {EXPERIMENT_METHODS[method].heading}" for extent, method in columns]


def _rows(
    experiment: Experiment, tasks: Sequence[str], cells: Callable[[str], list[str]]
) -> tuple[tuple[str, ...], ...]:
    """The data set stands in its first row, as in the paper."""
    return tuple((experiment.name if i == 0 else "", task, *cells(task)) for i, task in enumerate(tasks))


def _forecasting(experiment: Experiment, figures: Sequence[RangeFigure]) -> list[str]:
    """The methods that give distributions."""
    sure = {one.method for one in figures if not isnan(one.coverage)}
    return [method for method in experiment.methods if method in sure]


def _number(value: float) -> str:
    return _NONE if isnan(value) else f"{100 * value:.3f}"


def _percent(value: float, deviation: float | None = None) -> str:
    if isnan(value):
        return _NONE
    return f"{100 * value:.1f} %" if deviation is None else f"{100 * value:.1f} ± {100 * deviation:.1f} %"
