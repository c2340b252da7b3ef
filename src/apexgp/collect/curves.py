"""What a run gives: learning curves by task and metric, and the table of fits they come from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Self

from .._answer import Answer, ColumnData, Shown
from .._check import shown, some
from .._numbers import exactly
from ..curve import LearningCurve, curve_columns
from ..errors import NoSuchCurveError, RequestError
from ..files.writing import write_text
from ..reading.spreadsheets import as_csv
from .results import FitRow, Record, key, read_record

__all__ = ["CurveSet"]

Key = tuple[str | None, str]


class CurveSet(Answer, Mapping[Key, LearningCurve]):
    """Learning curves by (task, metric), as `collect_curves` measured them.

    A task is the class told apart from the others; it is None where all classes are scored together.

    Parameters
    ----------
    record : Record
        The fits.
    notes : sequence of str
        What was chosen for them, and why.

    Attributes
    ----------
    fits : tuple of dict
        One row a fit, with the keys size, split, task, parameters (those chosen on validation), train_<metric>,
        validation_<metric>, test_<metric>, test_cases, seconds and error (empty where the fit went well).
        `pandas.DataFrame(curves.fits)` makes a table of it.
    notes : tuple of str
        What was chosen for the run (its sizes, where none were asked for), and why; empty for curves read from a file.
    """

    def __init__(self, record: Record, *, notes: Sequence[str] = ()) -> None:
        self.notes = tuple(notes)
        latest = {key(fit): fit for fit in record.rows} | record.finished()
        self.fits: tuple[FitRow, ...] = tuple(
            sorted(latest.values(), key=lambda fit: (fit["size"], fit["split"], fit["task"] or ""))
        )
        self._metrics = tuple(record.metrics)
        self._curves: dict[Key, LearningCurve] = {}
        done = [fit for fit in self.fits if not fit["error"]]
        for task in sorted({fit["task"] for fit in done}, key=lambda task: task or ""):
            own = [fit for fit in done if fit["task"] == task]
            for metric in self._metrics:
                self._curves[task, metric] = LearningCurve(
                    [fit["size"] for fit in own],
                    [fit[f"test_{metric}"] for fit in own],
                    [fit["split"] for fit in own],
                    metric=metric,
                    task=task,
                    unit=record.unit,
                    test_share=record.test_share,
                    train_scores=[fit[f"train_{metric}"] for fit in own],
                    n_test=[fit["test_cases"] for fit in own],
                )

    @classmethod
    def from_results(cls, path: str | os.PathLike[str]) -> Self:
        """Read the curves that a record of fits holds so far."""
        return cls(read_record(path))

    def __getitem__(self, which: Key) -> LearningCurve:
        try:
            return self._curves[which]
        except (KeyError, TypeError):  # not there, or nothing that can be a key
            raise NoSuchCurveError(
                f"There is no curve {shown(which)}; there are {some([repr(known) for known in self])}."
            ) from None

    def __iter__(self) -> Iterator[Key]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    @property
    def cautions(self) -> tuple[str, ...]:  # type: ignore[override]
        """What went wrong in the run, in words."""
        failed = len(self.failed)
        return (f"{failed} of {len(self.fits)} fits raised errors; see `failed`.",) if failed else ()

    def _columns(self) -> ColumnData:
        return curve_columns(self.values())

    def shown(self) -> Shown:
        """One row a curve."""
        rows = []
        for curve in self.values():
            measured = curve.replicates
            rows.append(
                (
                    "-" if curve.task is None else str(curve.task),
                    curve.metric_name,
                    f"{len(curve):,}",
                    f"{exactly(measured.sizes[0])} to {exactly(measured.sizes[-1])}",
                    f"{measured.mean[0]:.3f} to {measured.mean[-1]:.3f}",
                )
            )
        title = f"{len(self)} learning curve{'' if len(self) == 1 else 's'}"
        header = ("task", "metric", "scores", "sizes", "mean score")
        return Shown(title, header, rows, self._all_notes(), ("task", "metric"))

    @property
    def only(self) -> LearningCurve:
        """The curve, where there is just one."""
        if len(self) != 1:
            raise RequestError(
                f"There are {len(self)} curves: {some([repr(which) for which in self])}. Take one by its "
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
        """Write the table of `as_csv`, which `apexgp forecast` and `read_curves` read."""
        write_text(path, self.as_csv(), overwrite=overwrite)
