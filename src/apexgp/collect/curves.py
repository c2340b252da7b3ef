"""The result of a run: learning curves by task and metric, and the table of fits they come from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from .._answer import Answer, ColumnData, SummaryTable
from .._check import format_some, format_value
from .._numbers import format_score, format_size
from ..curve import LearningCurve, build_curve_columns
from ..errors import NoSuchCurveError, RequestError
from ..files.writing import write_text
from ..reading.files import as_csv
from ..reading.names import metric_name, range_and_direction
from ..scale import make_scale, range_to_text
from .fit_record import FitRecord, FitRow, fit_key, read_record

__all__ = ["CurveSet"]

CurveKey = tuple[str | None, str]


class CurveSet(Answer, Mapping[CurveKey, LearningCurve]):
    """Learning curves by (task, metric), as `collect_curves` or `collect_scores` measured them.

    A task is the class that is distinguished from the others; it is None where all classes are scored together.

    Parameters
    ----------
    record : Record
        The fits.
    notes : sequence of str
        What was chosen for them, and why.

    Attributes
    ----------
    fits : tuple of dict
        One row per fit, with the keys size, split, task, parameters (those chosen on validation), train_<metric>,
        validation_<metric>, test_<metric>, test_cases, seconds and error (empty where the fit went well).
        `pandas.DataFrame(curves.fits)` makes a table of it.
    notes : tuple of str
        What was chosen for the run (its sizes, where none were asked for), and why; empty for curves read from a file.
    """

    def __init__(self, record: FitRecord, *, notes: Sequence[str] = ()) -> None:
        self.notes = tuple(notes)
        latest = {fit_key(fit): fit for fit in record.rows} | record.finished_rows()
        self.fits: tuple[FitRow, ...] = tuple(
            sorted(latest.values(), key=lambda fit: (fit["size"], fit["split"], fit["task"] or ""))
        )
        done = [fit for fit in self.fits if not fit["error"]]
        tasks = sorted({fit["task"] for fit in done}, key=lambda task: task or "")
        self._by_task = {task: [fit for fit in done if fit["task"] == task] for task in tasks}
        self._keys: dict[CurveKey, None] = {(task, metric): None for task in tasks for metric in record.metrics}
        self._unit, self._test_share, self._range = record.unit, record.test_share, record.range
        self._of_training, self._unnamed = record.is_from_training, record.is_unnamed
        self._learner, self._n_features = record.learner, record.n_features
        self._n_classes = {task: record.count_classes(task) for task in tasks}
        self._directions = {name: record.find_direction(name) for name in record.metrics}
        self._cache: dict[CurveKey, LearningCurve] = {}

    @classmethod
    def from_results(cls, path: str | os.PathLike[str]) -> Self:
        """Read the curves that a record of fits contains so far."""
        return cls(read_record(path))

    def __getitem__(self, which: CurveKey) -> LearningCurve:
        try:
            if which not in self._cache and which in self._keys:
                # When it is asked for: a program may give numbers beside its scores that no curve can be made of.
                self._cache[which] = self._curve(*which)
            return self._cache[which]
        except (KeyError, TypeError):  # not there, or nothing that can be a key
            raise NoSuchCurveError(
                f"There is no curve {format_value(which)}; choose from {format_some([repr(known) for known in self])}."
            ) from None

    def _curve(self, task: str | None, metric: str) -> LearningCurve:
        own = self._by_task[task]
        return LearningCurve(
            [fit["size"] for fit in own],
            [fit[f"test_{metric}"] for fit in own],
            [fit["split"] for fit in own],
            metric=metric,
            task=task,
            direction=self._directions[metric],
            range=self._range,
            unit=self._unit,
            test_share=self._test_share,
            learner=self._learner,
            n_features=self._n_features,
            n_classes=self._n_classes[task],
            train_scores=[np.nan if (score := fit[f"train_{metric}"]) is None else score for fit in own],
            n_test=[np.nan if fit["test_cases"] is None else fit["test_cases"] for fit in own],
        )

    def __iter__(self) -> Iterator[CurveKey]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def cautions(self) -> tuple[str, ...]:  # type: ignore[override]
        """Sentences on what went wrong in the run."""
        failed = len(self.failed)
        return (f"{failed} of {len(self.fits)} fits raised errors; see `failed`.",) if failed else ()

    def _columns(self) -> ColumnData:
        """The columns of a file of curves, as `curve_columns` has them.

        Numbers of a training function that need a direction or range to become a curve are included: whoever reads the
        file is asked for it.
        """
        if not self._of_training:
            return build_curve_columns(self.values())
        names = ("size", "score", "split", "train_score", "n_test", "task", "metric", "direction", "unit", "range")
        columns: dict[str, list[Any]] = {name: [] for name in names}
        stated = None if self._range is None else range_to_text(self._range)
        for task, metric in self:
            for fit in self._by_task[task]:
                scores = (fit[f"test_{metric}"], fit["split"], fit[f"train_{metric}"], fit["test_cases"])
                row = (fit["size"], *scores, task, metric, self._directions[metric], self._unit, stated)
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
        if self._unnamed:  # left open, for whoever reads the file to say
            columns = {name: column for name, column in columns.items() if name not in ("metric", "direction")}
        known = {name for name, column in columns.items() if any(value is not None for value in column)}
        return {name: column for name, column in columns.items() if name in known or not column}

    def shown(self) -> SummaryTable:
        """One row per curve."""
        rows = []
        for task, metric in self:
            by_size: dict[int, list[float]] = {}
            for fit in self._by_task[task]:
                by_size.setdefault(fit["size"], []).append(fit[f"test_{metric}"])
            ends = min(by_size), max(by_size)
            sizes, scores = (np.array([fit[key] for fit in self._by_task[task]]) for key in ("size", f"test_{metric}"))
            between = range_and_direction(metric, scores)[0] if self._range is None else self._range
            decimals = make_scale(between, sizes, scores).count_decimals()
            rows.append(
                (
                    "-" if task is None else str(task),
                    metric_name(metric),
                    f"{sum(map(len, by_size.values())):,}",
                    " to ".join(map(format_size, ends)),
                    " to ".join(format_score(float(np.mean(by_size[size])), decimals) for size in ends),
                )
            )
        title = f"{len(self)} learning curve{'' if len(self) == 1 else 's'}"
        header = ("task", "metric", "scores", "sizes", "mean score")
        return SummaryTable(title, header, rows, self._all_notes(), ("task", "metric"))

    @property
    def only(self) -> LearningCurve:
        """The curve, where there is just one."""
        if len(self) != 1:
            raise RequestError(
                f"There are {len(self)} curves: {format_some([repr(which) for which in self])}. Take one by its "
                "(task, metric)."
            )
        return next(iter(self.values()))

    @property
    def failed(self) -> tuple[FitRow, ...]:
        """The fits that raised errors."""
        return tuple(fit for fit in self.fits if fit["error"])

    def as_csv(self) -> str:
        """All curves as one table, as `LearningCurve.to_csv` writes one."""
        return as_csv(self._columns())

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the table of `as_csv`, which `apexgp forecast` and `apexgp.read` read."""
        write_text(path, self.as_csv(), overwrite=overwrite)
