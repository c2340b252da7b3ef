"""What every run does, whatever it fits: go on from its record, send fits to workers, enter each when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, Protocol

from .._warn import warn
from ..errors import DataError, FailedFitsWarning
from ..running.progress import progress_bar
from .curves import CurveSet
from .results import FitKey, FitRow, Record, key, resumed
from .workers import Call, in_workers

__all__ = ["After", "Stop", "Work", "carried_out"]

After = Callable[[CurveSet], object]
"""Called with the curves so far whenever there is one more score."""
Stop = Callable[[CurveSet], object]
"""Says of the curves so far whether they are enough: anything that counts as true, such as the reason."""


class Work(Protocol):
    """What a run is to do."""

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides what a row of the record holds; `metrics` is None where the first score tells."""

    def notes_on(self, rows: Sequence[FitRow]) -> tuple[str, ...]:
        """What was chosen, and why; for the run as planned, and for what came of it."""

    @property
    def any_metrics(self) -> bool:
        """Whether a record will do that holds other metrics beside those asked for."""

    def calls(self) -> list[Call]:
        """What workers do, in the order in which to begin."""

    def entered(self, row: FitRow, record: Record) -> FitRow:
        """A row as the record takes it."""


def carried_out(
    work: Work,
    *,
    n_jobs: int | None,
    results: Path | None,
    progress: bool,
    after: After | None = None,
    stop: Stop | None = None,
    told: Callable[[FitRow], None] | None = None,
) -> CurveSet:
    """Do the fits that the record does not hold yet, and give the curves.

    Parameters
    ----------
    work
        What to do.
    n_jobs
        Number of processes, as joblib counts them.
    results
        The record's file, of which it has been checked that it can be written; None keeps the rows in memory only.
    progress
        Whether to show a bar.
    after, stop
        As for `collect_scores`.
    told
        Called with each row, failed ones too, once it is in the record.
    """
    with _opened(work, results) as record:
        calls = work.calls()
        asked_for = {call.key for call in calls}
        done = record.finished()
        left = [call for call in calls if call.key not in done]
        enough = _enough(stop, record, asked_for, work) if len(left) < len(calls) else ""
        with (
            progress_bar("fits", len(calls), done=len(calls) - len(left), shown=progress, patience=0) as advance,
            closing(in_workers([] if enough else left, n_jobs)) as rows,
        ):
            for found in rows:
                row = work.entered(found, record)
                record.add(row)
                advance()
                if told is not None:
                    told(row)
                if row["error"] or (after is None and stop is None):
                    continue
                if after is not None:
                    after(_curves(record, asked_for, work))
                if enough := _enough(stop, record, asked_for, work):
                    break
        curves = _curves(record, asked_for, work, *([enough] if enough else []))
    _say_what_failed(curves)
    return curves


def _opened(work: Work, results: Path | None) -> Any:
    settings = work.settings
    if results is None:
        return nullcontext(Record(settings["metrics"] or (), head=settings))
    return resumed(results, settings, of_more_metrics=work.any_metrics)


def _enough(stop: Stop | None, record: Record, asked_for: set[FitKey], work: Work) -> str:
    """Why to stop; empty where the run goes on."""
    if stop is None:
        return ""
    answer = stop(_curves(record, asked_for, work))
    return answer if isinstance(answer, str) else "Stopped: the curves so far are enough." if answer else ""


def _curves(record: Record, asked_for: set[FitKey], work: Work, *notes: str) -> CurveSet:
    """The curves of what was asked for."""
    rows = [row for row in record.rows if key(row) in asked_for]
    metrics = work.settings["metrics"] or record.metrics
    return CurveSet(record.of(rows, metrics), notes=(*work.notes_on(rows), *notes))


def _say_what_failed(curves: CurveSet) -> None:
    if not curves.failed:
        return
    reasons = Counter(row["error"] for row in curves.failed)
    told = "; ".join(f"{number} with {reason.rstrip('.')}" for reason, number in reasons.most_common(3))
    if not len(curves):
        raise DataError(f"All {len(curves.failed)} fits failed: {told}.")
    warn(
        f"{len(curves.failed)} of {len(curves.fits)} fits failed and are missing from the curves: {told}. They are "
        "retried when the run is repeated with the same results file.",
        FailedFitsWarning,
    )
