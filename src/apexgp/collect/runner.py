"""Running fits: resume from the record, send the missing fits to workers, append each row as it arrives.

A worker that runs out of memory, or whose native code crashes, takes the workers beside it along. The fits under way
are then repeated one at a time, each in a process of its own. A fit that kills this process, too, is recorded as
failed; the others go on.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from pickle import PicklingError
from typing import Any, Protocol

import joblib

from ..errors import DataError, FailedFitsWarning, RequestError, warn
from ..running.terminal import progress_bar
from .curves import CurveSet
from .fit_record import FitKey, FitRecord, FitRow, fit_key, open_record

__all__ = ["AfterScore", "FitCall", "RunPlan", "StopCondition", "run_fits"]

AfterScore = Callable[[CurveSet], object]
"""Called with the curves so far whenever there is one more score."""
StopCondition = Callable[[CurveSet], object]
"""Called with the curves so far; anything that counts as true, such as the reason, stops the run."""

_ATTEMPTS = 3  # on a cluster, whose other troubles look the same
_WAIT = 60  # seconds for which a cluster may be without workers
_EVERY = 0.5  # seconds between checks of a worker that its run still exists


class RunPlan(Protocol):
    """The fits of a run, and how their rows become rows of the record."""

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides what a row of the record holds; `metrics` is None until a score names them."""

    def make_notes(self, rows: Sequence[FitRow]) -> tuple[str, ...]:
        """Notes on what was chosen and why, and on the rows so far."""

    @property
    def accepts_other_metrics(self) -> bool:
        """Whether the record may hold further metrics."""

    def list_calls(self) -> list[FitCall]:
        """Function calls that make the fits, in the order in which to start them."""

    def to_record_row(self, row: FitRow, record: FitRecord) -> FitRow:
        """A worker's row with the columns of the record."""


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
    """Run the fits that the record does not hold yet, and return the curves.

    Parameters
    ----------
    plan
        The fits.
    n_jobs
        Number of processes, as joblib counts them.
    results
        File of the record, already checked to be writable; None keeps the rows in memory only.
    progress
        Whether to show a bar.
    after, stop
        As for `collect_scores`.
    on_row
        Called with each row, failed ones too, once it is in the record.
    """
    with _open_run_record(plan, results) as record:
        calls = plan.list_calls()
        requested = {call.key for call in calls}
        done = record.finished_rows()
        left = [call for call in calls if call.key not in done]
        stop_reason = _find_stop_reason(stop, record, requested, plan) if len(left) < len(calls) else ""
        with (
            progress_bar("fits", len(calls), done=len(calls) - len(left), shown=progress, patience=0) as advance,
            closing(run_in_workers([] if stop_reason else left, n_jobs)) as rows,
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
                    after(_make_curves(record, requested, plan))
                if stop_reason := _find_stop_reason(stop, record, requested, plan):
                    break
        curves = _make_curves(record, requested, plan, *([stop_reason] if stop_reason else []))
    _report_failures(curves)
    return curves


def _open_run_record(plan: RunPlan, results: Path | None) -> Any:
    settings = plan.settings
    if results is None:
        return nullcontext(FitRecord(settings["metrics"] or (), head=settings))
    return open_record(results, settings, allow_other_metrics=plan.accepts_other_metrics)


def _find_stop_reason(stop: StopCondition | None, record: FitRecord, requested: set[FitKey], plan: RunPlan) -> str:
    """Why to stop; empty where the run goes on."""
    if stop is None:
        return ""
    answer = stop(_make_curves(record, requested, plan))
    return answer if isinstance(answer, str) else "Stopped: the curves so far are enough." if answer else ""


def _make_curves(record: FitRecord, requested: set[FitKey], plan: RunPlan, *notes: str) -> CurveSet:
    """Curves of the requested fits."""
    rows = [row for row in record.rows if fit_key(row) in requested]
    metrics = plan.settings["metrics"] or record.metrics
    return CurveSet(record.select(rows, metrics), notes=(*plan.make_notes(rows), *notes))


def _report_failures(curves: CurveSet) -> None:
    """Warn of failed fits, or raise an error if all have failed."""
    if not curves.failed:
        return
    reasons = Counter(row["error"] for row in curves.failed)
    summary = "; ".join(f"{number} with {reason.rstrip('.')}" for reason, number in reasons.most_common(3))
    if not len(curves):
        raise DataError(f"All {len(curves.failed)} fits failed: {summary}.")
    warn(
        f"{len(curves.failed)} of {len(curves.fits)} fits failed and are missing from the curves: {summary}. They are "
        "retried when the run is repeated with the same results file.",
        FailedFitsWarning,
    )


@dataclass(frozen=True)
class FitCall:
    """A fit as a function call, for a worker to make.

    Attributes
    ----------
    row : FitRow
        Row of the fit before it is made.
    function : callable
        Returns the row with its scores.
    arguments : tuple
        Its arguments, one by one: a cluster sends a large one to each worker once.
    """

    row: FitRow
    function: Callable[..., FitRow]
    arguments: tuple[Any, ...]

    @property
    def key(self) -> FitKey:
        """Size, split and task, which identify the fit."""
        return fit_key(self.row)


def run_in_workers(calls: Iterable[FitCall], n_jobs: int | None) -> Generator[FitRow]:
    """Run fits in worker processes, and yield each row as soon as it is there.

    Parameters
    ----------
    calls
        The fits, in the order in which to start them.
    n_jobs
        Number of processes, as joblib counts them.
    """
    left = {call.key: call for call in calls}
    while left:
        running: dict[FitKey, FitCall] = {}
        try:
            for row in _run_together(list(left.values()), running, n_jobs):
                del left[fit_key(row)], running[fit_key(row)]
                yield row
        except PicklingError as problem:
            raise RequestError(
                "The estimator or training function, a setting or a scorer cannot be sent to other processes: "
                f"{problem}",
                remedy=("Run in one process, with {}.", ("n_jobs", 1)),
            ) from None
        except BaseException as problem:  # what joblib and Dask raise for a dead worker; all else goes on
            if not running or not (_is_dead_process(problem) or _is_lost_on_cluster(problem)):
                raise
            again = _run_alone if _is_dead_process(problem) else _run_on_cluster
            for which, call in running.items():
                del left[which]
                yield again(call)


def _run_together(calls: list[FitCall], running: dict[FitKey, FitCall], n_jobs: int | None) -> Iterator[FitRow]:
    """Yield rows of fits that run side by side; not all of them where a cluster of one core has got more."""
    if _count_cluster_cores() == 1:
        # joblib would take a cluster of one core for this process, and do the fits here. It may get more: dead workers
        # have successors.
        for call in calls:
            running[call.key] = call
            yield _run_on_cluster(call)
            if _count_cluster_cores() > 1:
                return
        return

    def work() -> Iterator[Any]:
        for call in calls:
            running[call.key] = call
            yield joblib.delayed(call.function)(*call.arguments)

    # Batches would hold back finished fits from the record.
    rows = joblib.Parallel(
        n_jobs=n_jobs,
        batch_size=1,
        return_as="generator_unordered",
        initializer=_end_with_run,
        initargs=(os.getpid(),),
    )(work())
    try:
        for row in rows:  # noqa: UP028 - `yield from` would close them in our place
            yield row
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fits that are given up, which a stop rule asks for
            rows.close()


def _run_alone(call: FitCall) -> FitRow:
    """Run a fit in a process of its own; if that dies, the row says so."""
    from joblib.externals.loky import ProcessPoolExecutor

    with ProcessPoolExecutor(max_workers=1, initializer=_end_with_run, initargs=(os.getpid(),)) as process:
        try:
            return process.submit(call.function, *call.arguments).result()
        except BrokenProcessPool as problem:
            return _make_dead_row(call, problem)
        except BaseException:  # Ctrl-C, too, must not leave the process behind
            process.shutdown(kill_workers=True)
            raise


def _run_on_cluster(call: FitCall) -> FitRow:
    """Run a single fit on a Dask cluster, which replaces a worker that died."""
    client = _find_dask_client()
    for attempt in range(_ATTEMPTS):
        try:
            client.wait_for_workers(1, timeout=_WAIT)
            arguments = client.scatter(list(call.arguments), hash=False)
            row: FitRow = client.submit(call.function, *arguments, pure=False).result()
            return row
        except TimeoutError:
            raise RequestError(
                "The cluster has lost its workers. The fits so far are in the record, if there is one: start workers, "
                "then run again to resume."
            ) from None
        except Exception as problem:  # whatever Dask passes on of another machine
            if not _is_lost_on_cluster(problem):
                raise
            if attempt == _ATTEMPTS - 1 or not isinstance(problem, CancelledError):
                return _make_dead_row(call, problem)
    raise AssertionError  # the last attempt has returned or raised


def _find_dask_client() -> Any:
    """Client of the Dask cluster that joblib uses; None where it uses none."""
    return getattr(joblib.parallel.get_active_backend()[0], "client", None)


def _count_cluster_cores() -> int:
    """Number of cores of the Dask cluster; 0 where there is none, or no worker has come yet."""
    client = _find_dask_client()
    return 0 if client is None else sum(client.ncores().values())


def _is_dead_process(problem: BaseException) -> bool:
    return isinstance(problem, BrokenProcessPool)


def _is_lost_on_cluster(problem: BaseException) -> bool:
    """Whether Dask gave a task up because its workers died, or the data that they held are gone with them."""
    scheduler = sys.modules.get("distributed.scheduler")
    return scheduler is not None and isinstance(problem, (scheduler.KilledWorker, CancelledError))


def _make_dead_row(call: FitCall, problem: BaseException) -> FitRow:
    """Row of a fit that killed its worker twice."""
    found = re.search(r"exit codes of the workers are \{(.*?)\}", str(problem))
    ended = f" (it ended with {found[1]})" if found else ""
    return call.row | {
        "error": (
            f"The worker process died twice on this fit{ended}, the second time with no other running: it ran out of "
            "memory, or native code crashed. Try fewer processes (n_jobs, --jobs), smaller sizes or another "
            "classifier."
        )
    }


def _end_with_run(run: int) -> None:
    """Initialise a worker: it ends as soon as the process of the run does, whatever it is doing then."""
    if sys.platform != "win32":  # where a process does not learn of its parent's end
        threading.Thread(target=_watch_run, args=(run, os.getppid()), daemon=True).start()


def _watch_run(run: int, parent: int) -> None:
    while os.getppid() == parent and _is_running(run):
        time.sleep(_EVERY)
    os._exit(1)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it does, and is another user's
        pass
    return True
