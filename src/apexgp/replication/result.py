"""What an experiment found: measured curves, fitted methods, and figures of each at the sizes held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from .._answer import Answer, ColumnData, SummaryTable, to_data_frame, to_json_columns
from .._check import check_choice
from ..collect.curves import CurveSet
from ..curve import LearningCurve
from ..estimators import CurveEstimator
from .configuration import Experiment
from .methods import EXPERIMENT_METHODS
from .tables import PaperTable, paper_tables

__all__ = ["DenseFigure", "ExperimentResult", "RangeFigure"]


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
        """The tables of the paper, of this experiment."""
        return paper_tables(self.experiment, list(self.curves), self.figures, self.dense)

    @property
    def n_fits(self) -> int:
        """How many fits were made."""
        return len(self._fits())

    @property
    def seconds(self) -> float:
        """Their total time."""
        return float(sum(self._fits().values()))

    def _fits(self) -> dict[tuple[Any, ...], float]:
        """The seconds of each fit; one that both runs asked for was made once."""
        runs = [run for run in (self.fits, self.dense_fits) if run is not None]
        return {(row["size"], row["split"], row["task"]): row["seconds"] for run in runs for row in run.fits}

    def _columns(self) -> ColumnData:
        return _by_field(self.figures, RangeFigure)

    def to_dict(self, of: str = "ranges") -> ColumnData:
        """The figures as plain columns: of the two "ranges", or of the "dense" runs."""
        return to_json_columns(self._asked(of))

    def to_frame(self, of: str = "ranges") -> Any:
        """The same as a pandas DataFrame (`pip install 'apexgp[pandas]'`)."""
        return to_data_frame(self, self._asked(of))

    def _asked(self, of: str) -> ColumnData:
        return (
            self._columns()
            if check_choice("of", of, ("ranges", "dense")) == "ranges"
            else _by_field(self.dense, DenseFigure)
        )

    def shown(self) -> SummaryTable:
        """One row per task, range and method."""
        header = ("task", "range", "method", "RMSE x 100", "likelihood", f"{100 * self.experiment.level:g} % coverage")
        rows = [
            (
                one.task,
                one.range,
                EXPERIMENT_METHODS[one.method].heading,
                _said(100 * one.rmse, ".3f"),
                _said(one.likelihood, ".3f"),
                _said(one.coverage, ".2f"),
            )
            for one in self.figures
            if one.method in EXPERIMENT_METHODS
        ]
        title = f"Experiment {self.experiment.name}"
        return SummaryTable(title, header, rows, self._all_notes(*self.notes), ("task", "range", "method"))


def _by_field(rows: Sequence[Any], kind: type) -> ColumnData:
    return {field.name: [getattr(row, field.name) for row in rows] for field in fields(kind)}


def _said(value: float, form: str) -> str:
    return "-" if value != value else f"{value:{form}}"
