"""Work that is spread over processes, where what goes wrong with a process is said in our words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pickle import PicklingError
from typing import Any

from ..errors import RequestError
from .jobs import check_n_jobs

__all__ = ["run_in_order"]


def run_in_order(work: Iterable[Any], n_jobs: int | None) -> Iterator[Any]:
    """Results of joblib's delayed calls in their order, each as soon as those before it are there."""
    from joblib import Parallel

    parallel = Parallel(n_jobs=check_n_jobs(n_jobs), return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)
    return _translate_errors(parallel(work))


def _translate_errors(results: Iterable[Any]) -> Iterator[Any]:
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
