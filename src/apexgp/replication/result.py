"""The result of an experiment: measured curves, fitted methods, their figures, and the tables of the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from math import isnan, nan
from typing import Any

from .._answer import Answer, ColumnData, SummaryTable, to_data_frame, to_json_columns
from .._check import check_choice
from .._numbers import format_size
from ..collect.curves import CurveSet
from ..curve import LearningCurve
from ..estimators import CurveEstimator
from ..reading.files import as_csv
from ..reading.names import metric_name
from .configuration import Experiment
from .settings import EXPERIMENT_METHODS

__all__ = ["DenseFigure", "ExperimentResult", "PaperTable", "RangeFigure"]

_NONE = "—"


@dataclass(frozen=True)
class RangeFigure:
    """How one method did on one task, over the sizes of one range.

    Attributes
    ----------
    task : str
        What tables call it.
    range : str
        "short" or "long".
    method : str
        Its name in the configuration, or "baseline": uniform from the pilot's lowest mean score to the ceiling.
    sizes : int
        Number of held-out sizes.
    rmse : float
        Root mean squared error of the forecast mean score.
    likelihood, likelihood_sd : float
        Quantized likelihood, mean and standard deviation over the rounds; NaN for a curve without a distribution.
    coverage : float
        Share of the mean scores that the intervals cover; NaN likewise.
    error : str or None
        Why there are no values.
    """

    task: str
    range: str
    method: str
    sizes: int
    rmse: float = float("nan")
    likelihood: float = float("nan")
    likelihood_sd: float = float("nan")
    coverage: float = float("nan")
    error: str | None = None


@dataclass(frozen=True)
class DenseFigure:
    """Coverage of the intervals of one method, from many runs at one size.

    Attributes
    ----------
    task, method
        As in `RangeFigure`.
    size : int
        The training-set size.
    level : float
        Of the interval.
    coverage, coverage_sd : float
        Share of the groups of runs whose mean the interval covers, mean and standard deviation over the rounds.
    runs : int
        Number of runs.
    """

    task: str
    method: str
    size: int
    level: float
    coverage: float
    coverage_sd: float
    runs: int


@dataclass(frozen=True, repr=False)
class ExperimentResult(Answer):
    """The curves of an experiment and how each method forecast them.

    Attributes
    ----------
    experiment : Experiment
        What was run.
    curves : dict
        The measured curve of each task, at all sizes.
    models : dict
        The estimators, fitted to the pilot, by (task, method).
    figures : tuple of RangeFigure
        For each task, range and method.
    dense : tuple of DenseFigure
        For each task, method, size and level, where there are many runs.
    fits, dense_fits : CurveSet, or None
        The fits behind all this.
    notes : tuple of str
        What a reader should know about the treatment of the data.
    cautions : tuple of str
        What went wrong, in words.
    """

    experiment: Experiment
    curves: dict[str, LearningCurve]
    models: dict[tuple[str, str], CurveEstimator]
    figures: tuple[RangeFigure, ...]
    dense: tuple[DenseFigure, ...] = ()
    fits: CurveSet | None = None
    dense_fits: CurveSet | None = None
    notes: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[PaperTable, ...]:
        """The tables of the paper, for this experiment."""
        return make_paper_tables(self.experiment, list(self.curves), self.figures, self.dense)

    @property
    def n_fits(self) -> int:
        """Number of fits."""
        return len(self._fit_seconds())

    @property
    def seconds(self) -> float:
        """Total time of the fits."""
        return float(sum(self._fit_seconds().values()))

    def _fit_seconds(self) -> dict[tuple[Any, ...], float]:
        """Seconds of each fit; one that both runs asked for was made once."""
        runs = [run for run in (self.fits, self.dense_fits) if run is not None]
        return {(row["size"], row["split"], row["task"]): row["seconds"] for run in runs for row in run.fits}

    def _columns(self) -> ColumnData:
        return _to_columns(self.figures, RangeFigure)

    def to_dict(self, of: str = "ranges") -> ColumnData:
        """The figures as plain columns: of the two "ranges", or of the "dense" runs."""
        return to_json_columns(self._select_columns(of))

    def to_frame(self, of: str = "ranges") -> Any:
        """The figures as a pandas DataFrame (`pip install 'apexgp[pandas]'`); `of` as for `to_dict`."""
        return to_data_frame(self, self._select_columns(of))

    def _select_columns(self, of: str) -> ColumnData:
        return (
            self._columns()
            if check_choice("of", of, ("ranges", "dense")) == "ranges"
            else _to_columns(self.dense, DenseFigure)
        )

    def shown(self) -> SummaryTable:
        """One row per task, range and method."""
        header = ("task", "range", "method", "RMSE x 100", "likelihood", f"{100 * self.experiment.level:g} % coverage")
        rows = [
            (
                one.task,
                one.range,
                EXPERIMENT_METHODS[one.method].heading,
                _format_number(100 * one.rmse, ".3f"),
                _format_number(one.likelihood, ".3f"),
                _format_number(one.coverage, ".2f"),
            )
            for one in self.figures
            if one.method in EXPERIMENT_METHODS
        ]
        title = f"Experiment {self.experiment.name}"
        return SummaryTable(title, header, rows, self._all_notes(*self.notes), ("task", "range", "method"))


def _to_columns(rows: Sequence[Any], kind: type) -> ColumnData:
    return {field.name: [getattr(row, field.name) for row in rows] for field in fields(kind)}


def _format_number(value: float, form: str) -> str:
    return "-" if value != value else f"{value:{form}}"


@dataclass(frozen=True)
class PaperTable:
    """A table laid out as in the paper.

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
        """Caption and table in Markdown."""
        lines = [
            f"**{self.caption}**",
            "",
            _format_line(self.header),
            _format_line(["---", "---", *["---:"] * (len(self.header) - 2)]),
        ]
        for i, row in enumerate(self.rows):
            lines.append(_format_line([f"**{cell}**" if (i, j) in self.bold else cell for j, cell in enumerate(row)]))
        return "\n".join(lines) + "\n"

    def as_csv(self) -> str:
        """Cells as CSV, with the data set in every row."""
        columns = dict(zip(self.header, map(list, zip(*self.rows, strict=True)), strict=True))
        columns[self.header[0]] = [self.rows[0][0]] * len(self.rows)
        return as_csv(columns)


def _format_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def make_paper_tables(
    experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure], dense: Sequence[DenseFigure]
) -> tuple[PaperTable, ...]:
    """All tables for which there are figures."""
    made = [_make_rmse_table(experiment, tasks, figures, extent) for extent in experiment.ranges]
    if any(not isnan(one.coverage) for one in figures):
        made += [_make_likelihood_table(experiment, tasks, figures), _make_coverage_table(experiment, tasks, figures)]
    made += [_make_dense_table(experiment, tasks, dense, level) for level in dict.fromkeys(one.level for one in dense)]
    return tuple(made)


def _make_rmse_table(
    experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure], extent: str
) -> PaperTable:
    found = {(one.task, one.method): one.rmse for one in figures if one.range == extent}
    return PaperTable(
        f"rmse_{extent}",
        f"{metric_name(experiment.metric)} RMSE (times 100) for {extent}-range extrapolations.",
        ("Dataset", "Label", *(EXPERIMENT_METHODS[method].heading for method in experiment.methods)),
        _make_rows(
            experiment, tasks, lambda task: [_format_rmse(found.get((task, one), nan)) for one in experiment.methods]
        ),
    )


def _make_likelihood_table(experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure]) -> PaperTable:
    found = {(one.range, one.task, one.method): (one.likelihood, one.likelihood_sd) for one in figures}
    forecasting = _list_forecasting(experiment, figures)
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
        ("Dataset", "Label", "Baseline", *_make_headings(asked)),
        _make_rows(
            experiment,
            tasks,
            lambda task: [_format_share(*found.get((extent, task, method), (nan, nan))) for extent, method in columns],
        ),
        frozenset(bold),
    )


def _clearly_best(cell: tuple[float, float], others: Sequence[tuple[float, float]]) -> bool:
    """Whether a mean minus its deviation lies above all others plus theirs."""
    return bool(others) and all(cell[0] - cell[1] > other[0] + other[1] for other in others)


def _make_coverage_table(experiment: Experiment, tasks: Sequence[str], figures: Sequence[RangeFigure]) -> PaperTable:
    found = {(one.range, one.task, one.method): one.coverage for one in figures}
    asked = [(extent, method) for extent in experiment.ranges for method in _list_forecasting(experiment, figures)]
    return PaperTable(
        "coverage",
        f"Single point coverage of {100 * experiment.level:g} % intervals.",
        ("Dataset", "Label", *_make_headings(asked)),
        _make_rows(
            experiment,
            tasks,
            lambda task: [_format_share(found.get((extent, task, method), nan)) for extent, method in asked],
        ),
    )


def _make_dense_table(
    experiment: Experiment, tasks: Sequence[str], dense: Sequence[DenseFigure], level: float
) -> PaperTable:
    found = {(one.task, one.size, one.method): (one.coverage, one.coverage_sd) for one in dense if one.level == level}
    asked = list(dict.fromkeys((one.size, one.method) for one in sorted(dense, key=lambda one: one.size)))
    group = 1 if experiment.dense is None else experiment.dense.group
    return PaperTable(
        f"dense_coverage_{100 * level:g}",
        f"Coverage of {100 * level:g} % intervals, from {format_size(max(one.runs for one in dense) // group)} means "
        "of "
        f"{group} runs at each size. Deviations are over {experiment.rounds:,} rounds that choose the runs to average "
        "over.",
        ("Dataset", "Label", *_make_headings([(format_size(size), method) for size, method in asked])),
        _make_rows(
            experiment,
            tasks,
            lambda task: [_format_share(*found.get((task, size, method), (nan, nan))) for size, method in asked],
        ),
    )


def _make_headings(columns: Sequence[tuple[str, str]]) -> list[str]:
    """Headings of a range or size with each method."""
    return [f"{extent}: {EXPERIMENT_METHODS[method].heading}" for extent, method in columns]


def _make_rows(
    experiment: Experiment, tasks: Sequence[str], cells: Callable[[str], list[str]]
) -> tuple[tuple[str, ...], ...]:
    """One row per task; the first also names the data set, as in the paper."""
    return tuple((experiment.name if i == 0 else "", task, *cells(task)) for i, task in enumerate(tasks))


def _list_forecasting(experiment: Experiment, figures: Sequence[RangeFigure]) -> list[str]:
    """Methods that give distributions."""
    sure = {one.method for one in figures if not isnan(one.coverage)}
    return [method for method in experiment.methods if method in sure]


def _format_rmse(value: float) -> str:
    return _NONE if isnan(value) else f"{100 * value:.3f}"


def _format_share(value: float, deviation: float | None = None) -> str:
    if isnan(value):
        return _NONE
    return f"{100 * value:.1f} %" if deviation is None else f"{100 * value:.1f} ± {100 * deviation:.1f} %"
