"""The record of forecasts: a file of JSON lines that is only ever appended to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from .._check import check_bool, check_list, check_path, check_text
from ..curve import LearningCurve
from ..errors import DataError
from ..estimators import CurveEstimator
from ..files.lock import lock_file, read_shared
from ..files.writing import check_writable, to_json_value
from ..forecast import Quantity
from ..reading.files import read_bytes
from ..reading.names import metric_name
from .lines import (
    CurveIdentity,
    Day,
    ForecastLine,
    RecordLine,
    adds_nothing,
    group_by_identity,
    merge_curves,
    parse_line,
)
from .reliability import Reliability, compare_forecasts, measure_reliability

__all__ = ["ForecastRecord", "append_lines", "read_lines"]

_PATIENCE = 20.0  # seconds: others hold the file for as long as it takes to append a few lines


class ForecastRecord:
    """A record of what was forecast and what was measured later, to see how often intervals covered it.

    It is a text file with one JSON object per line, each complete and with a checksum. Lines are only ever appended,
    all of a call or none, by one process at a time. What the record holds already is not appended again.

    Parameters
    ----------
    path
        The file; made when something is first added.

    Notes
    -----
    Forecasts and scores belong together if their curves have the same `name`, task, metric and unit, and the size is
    the same. A size that is measured again has the scores that were recorded last. A forecast counts at a size only if
    that is larger than the whole pilot, and if no earlier line has a score of that curve there.

    Examples
    --------
    >>> import tempfile
    >>> from apexgp import APExGP, LearningCurve
    >>> liver = LearningCurve([60, 94, 147, 230, 360, 720], [0.71, 0.74, 0.77, 0.79, 0.81, 0.83], task="liver")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     record = ForecastRecord(f"{folder}/record.jsonl")
    ...     lines = record.add_forecast(APExGP().fit(liver.up_to(360)), [720])
    ...     lines += record.add_measured(liver)
    ...     print(lines, "lines,", record.reliability().curves, "curve")
    2 lines, 1 curve
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        check_path(path)  # refuses other objects than paths
        self.path = Path(os.fsdecode(path))

    def __repr__(self) -> str:
        return f"ForecastRecord({str(self.path)!r})"

    def add_forecast(
        self,
        model: CurveEstimator,
        sizes: ArrayLike,
        of: Quantity = "new_splits",
        *,
        name: str | None = None,
        date: Day = None,
    ) -> int:
        """Append what a fitted model forecasts.

        Parameters
        ----------
        model
            A fitted model; its pilot is recorded with the forecast.
        sizes
            Training-set sizes, larger than the pilot's.
        of
            What is forecast, as for `APExGP.forecast`; not "expected", which is never measured.
        name
            What the curve belongs to, such as a study: needed where it has no task.
        date
            When it was forecast; by default now.

        Returns
        -------
        int
            Number of lines appended: 0 if the record has this forecast already.
        """
        return append_lines(self.path, [ForecastLine.from_model(model, sizes, of, name, date)])

    def add_measured(
        self,
        curves: LearningCurve | Iterable[LearningCurve] | Mapping[Any, LearningCurve],
        *,
        name: str | None = None,
        date: Day = None,
    ) -> int:
        """Append scores that were measured: one curve, or several.

        Parameters
        ----------
        curves
            All that was measured, whether or not the record has part of it.
        name, date
            As for `add_forecast`.

        Returns
        -------
        int
            Number of lines appended: 0 if the record has all of these scores already.
        """
        values = curves.values() if isinstance(curves, Mapping) else curves
        listed = [values] if isinstance(values, LearningCurve) else check_list("curves", values, "LearningCurves")
        return append_lines(self.path, [RecordLine.from_curve(curve, name, date) for curve in listed])

    def curves(self, metric: str | None = None, *, whole: bool = False) -> dict[str, LearningCurve]:
        """The curves that all lines add up to, by name and task.

        Parameters
        ----------
        metric
            Only those of this metric; by default all, with the metric in their key where there are several.
        whole
            Only those that are more than pilots: never forecast, or measured beyond the pilot of a forecast. Priors
            that were learnt from a pilot would count it twice when it is forecast with them.
        """
        lines, whole = read_lines(self.path), check_bool("whole", whole)
        found = {}
        for one, places in group_by_identity(lines).items():
            own = [lines[i] for i in places]
            curve = replace(merge_curves([line.curve for line in own]), task=one.title)
            pilots = [line.curve.largest for line in own if isinstance(line, ForecastLine)]
            if _has_metric(one, metric) and not (whole and pilots and curve.largest <= min(pilots)):
                found[one] = curve
        unclear = len({one.title for one in found}) < len(found)
        return {str(one) if unclear else one.title: curve for one, curve in found.items()}

    def reliability(self, *, metric: str | None = None, task: str | None = None) -> Reliability:
        """How often the intervals of its forecasts covered what was measured later.

        Parameters
        ----------
        metric, task
            Only curves of this metric, of this task; by default all.
        """
        wanted = None if task is None else check_text("task", task)
        chosen = [line for line in read_lines(self.path) if _has_metric(line.identity, metric)]
        return measure_reliability(compare_forecasts([line for line in chosen if wanted in (None, line.curve.task)]))


def append_lines(path: Path, lines: Sequence[RecordLine]) -> int:
    """Append the lines that add something new, all of them or none, and return their number."""
    target = check_writable(path, True)
    with lock_file(target, wait=_PATIENCE) as file:
        content = file.read()
        known = _parse_lines(content, path)
        alike = {one: [known[i] for i in places] for one, places in group_by_identity(known).items()}
        new = []
        for line in lines:
            same = alike.setdefault(line.identity, [])
            if not _is_recorded(line, same):
                same.append(line)
                new.append(line)
        group_by_identity([*known, *new])  # refuses lines that contradict each other
        if new:
            whole = "".join(line.as_text() for line in new)
            file.append(whole if not content or content.endswith(b"\n") else f"\n{whole}")
    return len(new)


def read_lines(path: Path) -> list[RecordLine]:
    """Read and check every line of a record."""
    # Closing a second descriptor of a file that this process has locked would free the lock.
    return _parse_lines(read_shared(path) if path.is_file() else read_bytes(path), path)


def _parse_lines(content: bytes, path: Path) -> list[RecordLine]:
    try:
        rows = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not a record of forecasts: it is no text.") from None
    return [parse_line(row, f"{path}, line {i},") for i, row in enumerate(rows, start=1) if row.strip()]


def _is_recorded(line: RecordLine, alike: Sequence[RecordLine]) -> bool:
    """Whether the record holds all that a line says, given its lines about the same curve."""
    if isinstance(line, ForecastLine):
        own = to_json_value(line.to_content())
        return any(isinstance(one, ForecastLine) and to_json_value(one.to_content()) == own for one in alike)
    return bool(alike) and adds_nothing(line.curve, merge_curves([one.curve for one in alike]))


def _has_metric(identity: CurveIdentity, metric: str | None) -> bool:
    return metric is None or identity.metric == metric_name(check_text("metric", metric))
