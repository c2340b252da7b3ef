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
from .results import FitKey, FitRecord, FitRow, fit_key, open_record
from .workers import FitCall, run_in_workers

__all__ = ["AfterScore", "RunPlan", "StopCondition", "run_fits"]

AfterScore = Callable[[CurveSet], object]
"""Called with the curves so far whenever there is one more score."""
StopCondition = Callable[[CurveSet], object]
"""Says of the curves so far whether they are enough: anything that counts as true, such as the reason."""


class RunPlan(Protocol):
    """What a run is to do."""

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides what a row of the record holds; `metrics` is None where the first score tells."""

    def make_notes(self, rows: Sequence[FitRow]) -> tuple[str, ...]:
        """What was chosen, and why; for the run as planned, and for what came of it."""

    @property
    def accepts_other_metrics(self) -> bool:
        """Whether a record will do that holds other metrics beside those asked for."""

    def list_calls(self) -> list[FitCall]:
        """What workers do, in the order in which to begin."""

    def to_record_row(self, row: FitRow, record: FitRecord) -> FitRow:
        """A row as the record takes it."""


def run_fits(
    plan: RunPlan,
    *,
    n_jobs: int | None,
    results: Path | None,
    progress: bool,
    after: AfterScore | None = None,
    stop: StopCondition | None = None,
    on_row: Callable[[FitRow], None] | None = None,
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
    with _open_run_record(plan, results) as record:
        calls = plan.list_calls()
        asked_for = {call.key for call in calls}
        done = record.finished_rows()
        left = [call for call in calls if call.key not in done]
        enough = _find_stop_reason(stop, record, asked_for, plan) if len(left) < len(calls) else ""
        with (
            progress_bar("fits", len(calls), done=len(calls) - len(left), shown=progress, patience=0) as advance,
            closing(run_in_workers([] if enough else left, n_jobs)) as rows,
        ):
            for found in rows:
                row = plan.to_record_row(found, record)
                record.add(row)
                advance()
                if on_row is not None:
                    on_row(row)
                if row["error"] or (after is None and stop is None):
                    continue
                if after is not None:
                    after(_make_curves(record, asked_for, plan))
                if enough := _find_stop_reason(stop, record, asked_for, plan):
                    break
        curves = _make_curves(record, asked_for, plan, *([enough] if enough else []))
    _report_failures(curves)
    return curves


def _open_run_record(plan: RunPlan, results: Path | None) -> Any:
    settings = plan.settings
    if results is None:
        return nullcontext(FitRecord(settings["metrics"] or (), head=settings))
    return open_record(results, settings, allow_other_metrics=plan.accepts_other_metrics)


def _find_stop_reason(stop: StopCondition | None, record: FitRecord, asked_for: set[FitKey], plan: RunPlan) -> str:
    """Why to stop; empty where the run goes on."""
    if stop is None:
        return ""
    answer = stop(_make_curves(record, asked_for, plan))
    return answer if isinstance(answer, str) else "Stopped: the curves so far are enough." if answer else ""


def _make_curves(record: FitRecord, asked_for: set[FitKey], plan: RunPlan, *notes: str) -> CurveSet:
    """The curves of what was asked for."""
    rows = [row for row in record.rows if fit_key(row) in asked_for]
    metrics = plan.settings["metrics"] or record.metrics
    return CurveSet(record.select(rows, metrics), notes=(*plan.make_notes(rows), *notes))


def _report_failures(curves: CurveSet) -> None:
    if not curves.failed:
        return
    reasons = Counter(row["error"] for row in curves.failed)
    on_row = "; ".join(f"{number} with {reason.rstrip('.')}" for reason, number in reasons.most_common(3))
    if not len(curves):
        raise DataError(f"All {len(curves.failed)} fits failed: {on_row}.")
    warn(
        f"{len(curves.failed)} of {len(curves.fits)} fits failed and are missing from the curves: {on_row}. They are "
        "retried when the run is repeated with the same results file.",
        FailedFitsWarning,
    )
