"""Fits in worker processes that may die: what they leave undone is done, and what kills them is named.

A worker that runs out of memory, or whose native code crashes, takes those beside it along. The fits that were under
way are then done again, one at a time, each in a process of its own. The one that kills this one, too, has failed; the
others go on.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pickle import PicklingError
from typing import Any

import joblib

from ..errors import RequestError
from .results import FitKey, FitRow, fit_key

__all__ = ["FitCall", "run_in_workers"]

_ATTEMPTS = 3  # on a cluster, whose other troubles look the same
_WAIT = 60  # seconds for which a cluster may be without workers
_EVERY = 0.5  # seconds after which a worker looks whether the run that it works for is still there


@dataclass(frozen=True)
class FitCall:
    """What a worker does for a fit.

    Attributes
    ----------
    row : FitRow
        What is known of the fit before it is done.
    function : callable
        Gives the row, with what was measured.
    arguments : tuple
        Of the function, one by one: a cluster sends what is large among them to each worker once.
    """

    row: FitRow
    function: Callable[..., FitRow]
    arguments: tuple[Any, ...]

    @property
    def key(self) -> FitKey:
        """Which fit it is."""
        return fit_key(self.row)


def run_in_workers(calls: Iterable[FitCall], n_jobs: int | None) -> Generator[FitRow]:
    """Rows of the fits, each as soon as it is there.

    Parameters
    ----------
    calls
        What to do, in the order in which to begin.
    n_jobs
        Number of processes, as joblib counts them.
    """
    left = {call.key: call for call in calls}
    while left:
        under_way: dict[FitKey, FitCall] = {}
        try:
            for row in _run_together(list(left.values()), under_way, n_jobs):
                del left[fit_key(row)], under_way[fit_key(row)]
                yield row
        except PicklingError as problem:
            raise RequestError(
                "The estimator or training function, a setting or a scorer cannot be sent to other processes: "
                f"{problem}",
                remedy=("Run in one process, with {}.", ("n_jobs", 1)),
            ) from None
        except BaseException as problem:  # what joblib and Dask raise for a dead worker; all else goes on
            if not under_way or not (_is_dead_process(problem) or _is_lost_on_cluster(problem)):
                raise
            again = _run_alone if _is_dead_process(problem) else _run_on_cluster
            for which, call in under_way.items():
                del left[which]
                yield again(call)


def _run_together(calls: list[FitCall], under_way: dict[FitKey, FitCall], n_jobs: int | None) -> Iterator[FitRow]:
    """Rows of the fits, or of the first of them where what is left could be done better."""
    if _count_cluster_cores() == 1:
        # joblib would take a cluster of one core for this process, and do the fits here. It may get more: dead workers
        # have successors.
        for call in calls:
            under_way[call.key] = call
            yield _run_on_cluster(call)
            if _count_cluster_cores() > 1:
                return
        return

    def work() -> Iterator[Any]:
        for call in calls:
            under_way[call.key] = call
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
    """The row of a fit that has a process to itself; where that dies, the row that says so."""
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
    """The same on a Dask cluster, which gives a worker that died a successor."""
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
    """The client of the Dask cluster that work goes to; None where it goes to no cluster."""
    return getattr(joblib.parallel.get_active_backend()[0], "client", None)


def _count_cluster_cores() -> int:
    """How many cores a cluster has; 0 where there is none, or none of its workers has come yet."""
    client = _find_dask_client()
    return 0 if client is None else sum(client.ncores().values())


def _is_dead_process(problem: BaseException) -> bool:
    return isinstance(problem, BrokenProcessPool)


def _is_lost_on_cluster(problem: BaseException) -> bool:
    """Whether Dask gave a task up because its workers died, or the data that they held are gone with them."""
    scheduler = sys.modules.get("distributed.scheduler")
    return scheduler is not None and isinstance(problem, (scheduler.KilledWorker, CancelledError))


def _make_dead_row(call: FitCall, problem: BaseException) -> FitRow:
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
    """Begin a worker: it ends when the process of the run does, whatever it is doing then, or before it has begun."""
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
