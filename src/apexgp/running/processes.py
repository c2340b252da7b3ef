"""Work spread over processes by joblib: how many are started, and what is said when one of them dies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pickle import PicklingError
from typing import Any

from .._check import check_whole_number
from ..errors import FewerProcessesWarning, RequestError, warn

__all__ = ["check_n_jobs", "run_in_order"]

_PER_CORE = 4  # processes a core, beyond which they only take each other's memory


def run_in_order(work: Iterable[Any], n_jobs: int | None) -> Iterator[Any]:
    """Run joblib's delayed calls, and yield their results in order, each as soon as those before it are there."""
    from joblib import Parallel

    parallel = Parallel(n_jobs=check_n_jobs(n_jobs), return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)
    return _translate_errors(parallel(work))


def _translate_errors(results: Iterable[Any]) -> Iterator[Any]:
    from concurrent.futures.process import BrokenProcessPool  # here: multiprocessing takes its time to import

    try:
        yield from results
    except BrokenProcessPool:
        raise RequestError(
            "A worker process died: it ran out of memory, or native code crashed.",
            remedy=("Try fewer processes with {}.", "n_jobs"),
        ) from None
    except PicklingError as problem:
        raise RequestError(
            f"The curves or settings cannot be sent to other processes: {problem}",
            remedy=("Run in one process, with {}.", ("n_jobs", 1)),
        ) from None


def check_n_jobs(n_jobs: int | None) -> int | None:
    """Check a number of processes, counted as joblib does, and lower it to four per core of this machine.

    Results do not depend on it, so a larger number is lowered with a warning instead of refused. For a Dask cluster
    it is not lowered.
    """
    if n_jobs is None:
        return None
    number = check_whole_number("n_jobs", n_jobs, least=-(2**31), most=2**31)
    if number == 0:
        raise RequestError("must be a number of processes other than 0; -1 uses all cores.", argument="n_jobs")
    import joblib  # here: reading a curve needs none of it

    most = _PER_CORE * joblib.cpu_count()
    if number <= most or joblib.parallel.get_active_backend()[0].__class__.__name__ == "DaskDistributedBackend":
        return number
    warn(
        f"{number:,} processes are more than this machine can use; {most} are started, four per core.",
        FewerProcessesWarning,
    )
    return most
